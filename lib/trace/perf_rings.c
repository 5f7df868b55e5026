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

/* Minimum size of the records of a ring in bytes. */
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

int pm_perf_rings_open(struct pm_perf_rings *rings, size_t record, struct pm_error *error)
{
	*rings = (struct pm_perf_rings){ 0 };
	rings->joined = malloc(PM_PERF_RECORD_MAX);
	if (!rings->joined)
		return pm_error_out_of_memory(error);
	if (open_carriers(rings, error) < 0)
		return -1;
	if (rings->count == 0)
		return open_failed(ENODEV, error);

	size_t smallest = RING_MIN;
	while (smallest < 2 * record)
		smallest *= 2;
	rings->size = PM_PERF_RING_MAX;
	while (rings->size > smallest && rings->size * rings->count > PM_PERF_RINGS_MAX)
		rings->size /= 2;

	/* Without privileges, the kernel limits the locked memory (perf_event_mlock_kb). */
	int cause;
	while ((cause = map(rings)) != 0 && rings->size > smallest)
		rings->size /= 2;

	return cause == 0 ? 0 : open_failed(cause, error);
}

void pm_perf_rings_close(struct pm_perf_rings *rings)
{
	unmap(rings);
	for (size_t i = 0; i < rings->count; i++)
		close(rings->items[i].fd);
	free(rings->items);
	free(rings->joined);
	*rings = (struct pm_perf_rings){ 0 };
}

/**
 * Returns the record at a position of a ring, in one piece.
 * @param filled  bytes of the ring from the position on
 * @param size    receives the size of the record
 * @return        the record; NULL if its size is not valid
 */
static const void *record_at(const struct pm_perf_rings *rings, const char *records,
                             uint64_t position, uint64_t filled, size_t *size)
{
	size_t offset = (size_t)(position & (rings->size - 1));
	struct perf_event_header header;

	/* Records are multiples of 8 bytes, so that a header does not wrap around. */
	memcpy(&header, records + offset, sizeof header);
	*size = header.size;
	if (*size < sizeof header || *size % 8 != 0 || *size > filled)
		return NULL;

	size_t straight = rings->size - offset;
	if (*size <= straight)
		return records + offset;

	memcpy(rings->joined, records + offset, straight);
	memcpy(rings->joined + straight, records, *size - straight);
	return rings->joined;
}

int pm_perf_rings_drain(struct pm_perf_rings *rings, size_t index, pm_perf_rings_consume *consume,
                        void *context, bool *full, struct pm_error *error)
{
	struct perf_event_mmap_page *page = rings->items[index].mapping;
	const char *records = (const char *)page + page_size();
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	int result = 0;

	*full = head - tail > rings->size - PM_PERF_RECORD_MAX / 2;
	while (tail < head && result == 0) {
		size_t size;
		const void *record = record_at(rings, records, tail, head - tail, &size);

		if (!record) {
			result = pm_error_set(error, PM_ERROR_IO, 0,
			                      "the kernel wrote a damaged record of an event");
			break;
		}
		result = consume(context, record, size, error);
		tail += size;
	}

	rings->items[index].consumed = head;
	return result;
}

void pm_perf_rings_release(struct pm_perf_rings *rings, size_t index)
{
	struct perf_event_mmap_page *page = rings->items[index].mapping;

	__atomic_store_n(&page->data_tail, rings->items[index].consumed, __ATOMIC_RELEASE);
}
