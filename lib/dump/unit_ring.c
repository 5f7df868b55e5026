/* SPDX-License-Identifier: MIT */
#include "dump/unit_ring.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/file_reader.h>

#include "base/array.h"
#include "base/minmax.h"

/* A slot needs slightly more than 1 MiB, so all slots together need less than 7 MiB. */
enum { THREADS_MAX = 4, SPARE_SLOTS = 2 };

struct pm_unit_ring {
	const struct pm_dump_source *source;
	struct pm_plan *plan;
	pthread_mutex_t lock; /* protects the plan and all fields below */
	pthread_cond_t changed;
	bool closing; /* true: the threads must exit */
	bool planned; /* true: the plan has no more units, or has failed */
	/* Number of units that threads have started to read. The next unit is read into slot
	 * `filling % slot_count`. */
	uint64_t filling;
	uint64_t taking; /* index of the next unit that the consumer receives */
	bool taken;      /* true: the consumer still uses the unit before `taking` */
	size_t thread_count;
	size_t slot_count;
	pthread_t threads[THREADS_MAX];
	struct pm_ring_slot *slots[THREADS_MAX + SPARE_SLOTS];
};

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct pm_ring_slot *slot = context;
	if (pm_unreadable_list_add(&slot->unreadable, range, NULL) < 0)
		slot->out_of_memory = true;
}

/** Returns the slot for the unit with an index. */
static struct pm_ring_slot *slot_at(const struct pm_unit_ring *ring, uint64_t index)
{
	return ring->slots[index % ring->slot_count];
}

/**
 * Waits until the slot for the next unit is free, and stores the next unit of the plan in this
 * slot. The lock must be held.
 * @return the slot; NULL if the thread must exit, because the ring is closed, or the plan has ended
 *         or failed
 */
static struct pm_ring_slot *plan_unit(struct pm_unit_ring *ring)
{
	while (!ring->closing && !ring->planned &&
	       slot_at(ring, ring->filling)->state != PM_SLOT_FREE)
		pthread_cond_wait(&ring->changed, &ring->lock);

	if (ring->closing || ring->planned)
		return NULL;

	struct pm_ring_slot *slot = slot_at(ring, ring->filling);
	int more = pm_plan_next(ring->plan, &slot->unit, &slot->error);
	if (more > 0) {
		slot->state = PM_SLOT_READ;
		ring->filling++;
		return slot;
	}

	ring->planned = true;
	if (more < 0) {
		slot->state = PM_SLOT_FAILED;
		ring->filling++;
	}

	pthread_cond_broadcast(&ring->changed);
	return NULL;
}

static void *work(void *context)
{
	struct pm_unit_ring *ring = context;
	struct pm_ring_slot *slot;

	pthread_mutex_lock(&ring->lock);
	while ((slot = plan_unit(ring))) {
		pthread_mutex_unlock(&ring->lock);
		const struct pm_unit_source from = { .target = ring->source->reader,
			                             .files = ring->source->files,
			                             .unreadable = note_unreadable,
			                             .context = slot,
			                             .cancel = ring->source->cancel };
		pm_unreadable_list_clear(&slot->unreadable);
		int result = pm_unit_read(&from, &slot->unit, slot->bytes, &slot->error);
		if (result == 0 && slot->out_of_memory)
			result = pm_error_out_of_memory(&slot->error);

		pthread_mutex_lock(&ring->lock);
		slot->state = result < 0 ? PM_SLOT_FAILED : PM_SLOT_READY;
		pthread_cond_broadcast(&ring->changed);
	}

	pthread_mutex_unlock(&ring->lock);
	return NULL;
}

/**
 * Starts up to `wanted` threads. The threads block all signals, so that the other threads of the
 * program handle them.
 * @return 0 if at least one thread was started, or -1
 */
static int start_threads(struct pm_unit_ring *ring, size_t wanted, struct pm_error *error)
{
	sigset_t all, before;
	int cause = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (ring->thread_count < wanted &&
	       (cause = pthread_create(&ring->threads[ring->thread_count], NULL, work, ring)) == 0)
		ring->thread_count++;

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ring->thread_count == 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot create a thread: %s",
		                    strerror(cause));

	return 0;
}

int pm_unit_ring_open(const struct pm_dump_source *source, struct pm_unit_ring **ring,
                      struct pm_error *error)
{
	const struct pm_plan_options options = { .pages = source->pages,
		                                 .files = source->files != NULL,
		                                 .holes = pm_file_reader_holes(source->files),
		                                 .cancel = source->cancel };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t threads = pm_clamp_size(processors < 1 ? 1 : (size_t)processors, 1, THREADS_MAX);
	struct pm_unit_ring *made = calloc(1, sizeof *made);

	if (!made)
		return pm_error_out_of_memory(error);

	made->source = source;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->changed, NULL);

	while (made->slot_count < threads + SPARE_SLOTS) {
		struct pm_ring_slot *slot = malloc(sizeof *slot);
		if (!slot) {
			pm_error_out_of_memory(error);
			goto fail;
		}
		slot->state = PM_SLOT_FREE;
		slot->unreadable = (struct pm_unreadable_list){ 0 };
		slot->out_of_memory = false;
		made->slots[made->slot_count++] = slot;
	}

	if (pm_plan_open(source->regions, source->ranges, source->count, &options, &made->plan,
	                 error) < 0 ||
	    start_threads(made, threads, error) < 0)
		goto fail;

	*ring = made;
	return 0;
fail:
	pm_unit_ring_close(made);

	return -1;
}

void pm_unit_ring_close(struct pm_unit_ring *ring)
{
	if (!ring)
		return;

	pthread_mutex_lock(&ring->lock);
	ring->closing = true;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);

	for (size_t i = 0; i < ring->thread_count; i++)
		pthread_join(ring->threads[i], NULL);

	for (size_t i = 0; i < ring->slot_count; i++) {
		pm_unreadable_list_deinit(&ring->slots[i]->unreadable);
		free(ring->slots[i]);
	}

	pm_plan_close(ring->plan);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->lock);
	free(ring);
}

int pm_unit_ring_next(struct pm_unit_ring *ring, const struct pm_ring_slot **slot,
                      struct pm_error *error)
{
	pthread_mutex_lock(&ring->lock);
	if (ring->taken) {
		slot_at(ring, ring->taking - 1)->state = PM_SLOT_FREE;
		pthread_cond_broadcast(&ring->changed);
		ring->taken = false;
	}

	struct pm_ring_slot *next = slot_at(ring, ring->taking);
	while ((ring->taking == ring->filling && !ring->planned) ||
	       (ring->taking < ring->filling && next->state == PM_SLOT_READ))
		pthread_cond_wait(&ring->changed, &ring->lock);

	bool end = ring->taking == ring->filling;
	bool failed = !end && next->state == PM_SLOT_FAILED;
	if (!end && !failed) {
		ring->taking++;
		ring->taken = true;
	}

	pthread_mutex_unlock(&ring->lock);
	if (failed && error)
		*error = next->error;
	if (!end && !failed)
		*slot = next;
	if (failed)
		return -1;

	return !end;
}
