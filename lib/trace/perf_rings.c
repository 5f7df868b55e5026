/* SPDX-License-Identifier: MIT */
#include "trace/perf_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "trace/perf_record.h"

/* Minimum size of the records of a ring in bytes, unless there are many CPUs. */
enum { RING_MIN = 64 << 10 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/**
 * Opens the event that carries the ring of a CPU. With `watermark` and without a size, the reader
 * is woken when half of the ring is filled. Returns a descriptor, or -1 with errno set.
 */
static int open_carrier(int cpu)
{
	struct perf_event_attr attr = { .size = sizeof attr,
		                        .type = PERF_TYPE_SOFTWARE,
		                        .config = PERF_COUNT_SW_DUMMY,
		                        .sample_type = PM_PERF_SAMPLE_TYPE,
		                        .sample_regs_user = PM_PERF_REGISTERS,
		                        .sample_id_all = 1,
		                        .exclude_kernel = 1,
		                        .exclude_hv = 1,
		                        .disabled = 1,
		                        .use_clockid = 1,
		                        .clockid = CLOCK_MONOTONIC };

	return (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/** Fills an error after a ring could not be opened or mapped. */
static int open_failed(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause))
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "cannot map buffers for events: this process lacks memory or "
		                    "descriptors");
	if (cause == EPERM || cause == EACCES)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "the kernel refuses memory for events: increase "
		                    "kernel.perf_event_mlock_kb or 'ulimit -l'");

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, cause, "cannot map buffers for events: %s",
	                    strerror(cause));
}

/** Opens the carriers of all CPUs that are online. */
static int open_carriers(struct pm_perf_rings *rings, struct pm_error *error)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	size_t capacity = 0;

	for (int cpu = 0; cpu < configured; cpu++) {
		int fd = open_carrier(cpu);
		/* The CPU is offline. */
		if (fd < 0 && errno == ENODEV)
			continue;
		if (fd < 0)
			return open_failed(errno, error);

		if (pm_array_reserve(&rings->items, &capacity, rings->count, 1,
		                     sizeof *rings->items, error) < 0) {
			close(fd);
			return -1;
		}
		rings->items[rings->count++] = (struct pm_perf_ring){ .cpu = cpu, .fd = fd };
	}

	if (rings->count == 0)
		return open_failed(ENODEV, error);
	return 0;
}

/** Allocates the space for records that wrap around. Pages that are not used cost nothing. */
static int allocate_joined(struct pm_perf_rings *rings, struct pm_error *error)
{
	for (size_t i = 0; i < rings->count; i++) {
		rings->items[i].joined = malloc(PM_PERF_RECORD_MAX);
		if (!rings->items[i].joined)
			return pm_error_out_of_memory(error);
	}

	return 0;
}

/** Unmaps the rings; their carriers stay open. */
static void unmap(struct pm_perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		if (rings->items[i].mapping)
			munmap(rings->items[i].mapping, page_size() + rings->size);
		rings->items[i].mapping = NULL;
	}
}

/** Maps rings of rings->size bytes. Returns 0, or errno. */
static int map(struct pm_perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct pm_perf_ring *ring = &rings->items[i];
		void *mapping = mmap(NULL, page_size() + rings->size, PROT_READ | PROT_WRITE,
		                     MAP_SHARED, ring->fd, 0);
		if (mapping == MAP_FAILED) {
			int cause = errno;
			unmap(rings);
			return cause;
		}
		ring->mapping = mapping;
	}

	return 0;
}

size_t pm_perf_rings_plan(size_t count, size_t record)
{
	size_t size = PM_PERF_RING_MAX;

	while (size > 0 && size * count > PM_PERF_RINGS_MAX)
		size /= 2;
	return size < record ? 0 : size;
}

int pm_perf_rings_open(struct pm_perf_rings *rings, size_t record, struct pm_error *error)
{
	*rings = (struct pm_perf_rings){ 0 };
	if (open_carriers(rings, error) < 0 || allocate_joined(rings, error) < 0)
		return -1;

	size_t smallest = RING_MIN;
	while (smallest < 2 * record)
		smallest *= 2;
	rings->size = pm_perf_rings_plan(rings->count, record);
	if (rings->size == 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "the buffers for events of %zu CPUs would have more than %d "
		                    "MiB: copy less of each stack (--stack)",
		                    rings->count, PM_PERF_RINGS_MAX >> 20);

	/* Without privileges, the kernel limits the locked memory (perf_event_mlock_kb). */
	int cause;
	while ((cause = map(rings)) != 0 && rings->size > smallest)
		rings->size /= 2;

	return cause == 0 ? 0 : open_failed(cause, error);
}

void pm_perf_rings_close(struct pm_perf_rings *rings)
{
	unmap(rings);
	for (size_t i = 0; i < rings->count; i++) {
		close(rings->items[i].fd);
		free(rings->items[i].joined);
	}
	free(rings->items);
	*rings = (struct pm_perf_rings){ 0 };
}

/** Returns the bytes of a ring at a position. */
static const char *bytes_at(const struct pm_perf_rings *rings, const struct pm_perf_ring *ring,
                            uint64_t position)
{
	return (const char *)ring->mapping + page_size() + (position & (rings->size - 1));
}

/**
 * Returns the next record of a ring, in one piece.
 * @param size  receives the size of the record
 * @return      the record; NULL if its size is not valid
 */
static const void *next_record(const struct pm_perf_rings *rings, const struct pm_perf_ring *ring,
                               size_t *size)
{
	const char *bytes = bytes_at(rings, ring, ring->consumed);
	size_t straight = rings->size - (size_t)(ring->consumed & (rings->size - 1));
	struct perf_event_header header;

	/* Records are multiples of 8 bytes, so that a header does not wrap around. */
	memcpy(&header, bytes, sizeof header);
	*size = header.size;
	if (*size < sizeof header || *size % 8 != 0 || *size > ring->end - ring->consumed)
		return NULL;
	if (*size <= straight)
		return bytes;

	/* Of the records that are consumed now, at most one wraps around: it stays here until they
	 * are released. */
	memcpy(ring->joined, bytes, straight);
	memcpy(ring->joined + straight, bytes_at(rings, ring, 0), *size - straight);
	return ring->joined;
}

static int report_damage(struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_IO, 0, "the kernel wrote a damaged record of an event");
}

/** Sets the time of the next record of a ring. */
static int look_ahead(const struct pm_perf_rings *rings, struct pm_perf_ring *ring,
                      struct pm_error *error)
{
	size_t size;

	ring->time = UINT64_MAX;
	if (ring->consumed == ring->end)
		return 0;

	const void *record = next_record(rings, ring, &size);
	if (!record || !pm_perf_record_time(record, size, &ring->time))
		return report_damage(error);
	return 0;
}

/** Finds the records that are consumed now. */
static int look_at_all(struct pm_perf_rings *rings, bool *full, struct pm_error *error)
{
	size_t room = pm_min_size(rings->size / 2, PM_PERF_RECORD_MAX / 2);

	*full = false;
	for (size_t i = 0; i < rings->count; i++) {
		struct pm_perf_ring *ring = &rings->items[i];
		struct perf_event_mmap_page *page = ring->mapping;

		ring->end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
		ring->consumed = page->data_tail;
		*full = *full || ring->end - ring->consumed > rings->size - room;
		if (look_ahead(rings, ring, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Finds the ring with the oldest record.
 * @param until  receives the time of the oldest record of the other rings
 * @return       NULL if all records are consumed
 */
static struct pm_perf_ring *find_oldest(const struct pm_perf_rings *rings, uint64_t *until)
{
	struct pm_perf_ring *oldest = NULL;

	*until = UINT64_MAX;
	for (size_t i = 0; i < rings->count; i++) {
		struct pm_perf_ring *ring = &rings->items[i];

		if (ring->consumed == ring->end)
			continue;
		if (oldest)
			*until = pm_min(*until, pm_max(ring->time, oldest->time));
		if (!oldest || ring->time < oldest->time)
			oldest = ring;
	}

	return oldest;
}

/** Consumes the records of a ring up to a time, at least one. */
static int drain_ring(struct pm_perf_rings *rings, struct pm_perf_ring *ring, uint64_t until,
                      pm_perf_rings_consume *consume, void *context, struct pm_error *error)
{
	do {
		size_t size;
		const void *record = next_record(rings, ring, &size);

		if (!record)
			return report_damage(error);
		if (consume(context, record, size, error) < 0)
			return -1;
		ring->consumed += size;
		if (look_ahead(rings, ring, error) < 0)
			return -1;
	} while (ring->consumed < ring->end && ring->time <= until);

	return 0;
}

int pm_perf_rings_drain(struct pm_perf_rings *rings, pm_perf_rings_consume *consume, void *context,
                        bool *full, struct pm_error *error)
{
	struct pm_perf_ring *ring;
	uint64_t until;

	if (look_at_all(rings, full, error) < 0)
		return -1;
	while ((ring = find_oldest(rings, &until)))
		if (drain_ring(rings, ring, until, consume, context, error) < 0)
			return -1;

	return 0;
}

void pm_perf_rings_release(struct pm_perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct perf_event_mmap_page *page = rings->items[i].mapping;

		__atomic_store_n(&page->data_tail, rings->items[i].consumed, __ATOMIC_RELEASE);
	}
}
