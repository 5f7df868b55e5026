/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory of a living process with process_vm_readv(2) where possible, otherwise from
 * /proc/PID/mem ("mem" below). process_vm_readv() is faster: it copies the bytes once and takes the
 * lock of the address space once per 1,024 pages. A read of mem copies the bytes twice and takes
 * the lock for each page.
 *
 * mem is opened first, and stays bound to the address space that the process has at that time.
 * process_vm_readv() takes a PID: after an exec it reads the new address space, and if the PID was
 * reused, even another process. So after each use of process_vm_readv(), one byte is read from mem,
 * which takes a microsecond. If the original address space is gone, this byte cannot be read, and
 * the whole read fails.
 *
 * process_vm_readv() pins pages, and the kernel gives the target a copy of each anonymous page that
 * a fork shares before it pins it (gup_must_unshare() in mm/internal.h). Reading would double the
 * memory of a family. mem pins nothing. So pagemap is read first: only pages that no other process
 * maps are read with process_vm_readv().
 */
#include <procmem/target_reader.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "proc/process.h"
#include "proc/process_handle.h"
#include "reader/region_rules.h"

enum { VECTORS_MAX = 512 };

/* Pages whose entries in pagemap are read by one call: the pages of 1 MiB, which is the usual size
 * of a read. */
enum { ENTRIES_MAX = 256 };

/* Bits of the entries (Documentation/admin-guide/mm/pagemap.rst). */
static const uint64_t entry_present = UINT64_C(1) << 63, entry_swapped = UINT64_C(1) << 62,
		      entry_file = UINT64_C(1) << 61, entry_exclusive = UINT64_C(1) << 56;

struct target_reader {
	struct pm_process *process;
	const struct pm_regions *regions;
	uint64_t page_mask;
	int mem;
	int pagemap; /* -1: not available; then only mem is used on private mappings */
	/* If true, only mem is used, because process_vm_readv() failed with EPERM or ENOSYS, or
	 * because the PID belongs to another PID namespace */
	atomic_bool readv_refused;
	/* TID for process_vm_readv(). It is not the PID if the thread group leader has exited,
	 * because a thread that has exited has no memory. */
	atomic_int thread;
};

/** A position in a list of ranges. The bytes from this position on remain to be read. */
struct cursor {
	const struct pm_range *ranges;
	size_t count;
	uint64_t offset; /* offset of the position from the start of the first range, in bytes */
	/* The region that was found last; it is tried first by the next search. NULL if there is
	 * none. */
	const struct pm_region *region;
};

/** A range that is read by one method: process_vm_readv() or mem. */
struct part {
	struct pm_range range;
	bool readv; /* whether process_vm_readv() may be used */
};

static void advance(struct cursor *cursor, uint64_t bytes)
{
	cursor->offset += bytes;
	while (cursor->count > 0 && cursor->offset >= pm_range_size(*cursor->ranges)) {
		cursor->offset -= pm_range_size(*cursor->ranges);
		cursor->ranges++;
		cursor->count--;
	}
}

/** Tests whether a page can be pinned without a copy: it is not anonymous, or not shared. */
static bool is_unshared(uint64_t entry)
{
	if (entry & entry_swapped)
		return false;
	return !(entry & entry_present) || (entry & (entry_file | entry_exclusive));
}

/**
 * Decides whether process_vm_readv() may be used on the start of a part of a private mapping. The
 * part is cut, so that one call reads its entries in pagemap.
 */
static void choose_for_private(const struct target_reader *reader, struct part *part)
{
	uint64_t entries[ENTRIES_MAX], page = reader->page_mask + 1;
	uint64_t first = part->range.start / page;
	uint64_t pages = pm_min((part->range.end - 1) / page - first + 1, ENTRIES_MAX);
	size_t size = (size_t)pages * sizeof *entries;

	part->readv = reader->pagemap >= 0 && pm_pread(reader->pagemap, entries, size,
	                                               first * sizeof *entries) == (ssize_t)size;
	if (!part->readv)
		return;

	part->range.end = pm_min(part->range.end, (first + pages) * page);
	for (uint64_t i = 0; i < pages && part->readv; i++)
		part->readv = is_unshared(entries[i]);
}

/**
 * Returns the part that starts at a cursor. It ends at the end of the range, or earlier at the end
 * of its region, since the next region may need another method.
 */
static struct part part_at(struct target_reader *reader, struct cursor *cursor)
{
	struct part part = { .range = *cursor->ranges };

	part.range.start += cursor->offset;
	if (!reader->regions || part.range.start > UINTPTR_MAX - pm_range_size(part.range) ||
	    atomic_load_explicit(&reader->readv_refused, memory_order_relaxed))
		return part;

	const struct pm_region *region = cursor->region;
	if (!region || !pm_range_contains(pm_region_bounds(region), part.range.start))
		region = cursor->region = pm_regions_find(reader->regions, part.range.start);
	if (!region)
		return part;

	part.range.end = pm_min(part.range.end, region->end);
	part.readv = pm_region_allows_readv(region);
	if (part.readv && !(region->perms & PM_PERM_SHARED))
		choose_for_private(reader, &part);

	return part;
}

/**
 * Reads from mem.
 * @return number of bytes read, 0 if the address space is gone, or -1 with errno set
 */
static ssize_t read_mem(struct target_reader *reader, uint64_t address, void *buffer, uint64_t size)
{
	return pm_pread(reader->mem, buffer, (size_t)pm_min(size, SSIZE_MAX), address);
}

/**
 * Calls process_vm_readv(2). If the thread used so far has exited, repeats the call with another
 * thread.
 * @return the result of process_vm_readv(2)
 */
static ssize_t read_vectors(struct target_reader *reader, const struct iovec *remote, size_t count,
                            void *buffer, size_t size)
{
	const struct iovec local = { .iov_base = buffer, .iov_len = size };
	pid_t thread = atomic_load_explicit(&reader->thread, memory_order_relaxed);
	ssize_t got = process_vm_readv(thread, &local, 1, remote, count, 0);
	if (got >= 0 || errno != ESRCH)
		return got;

	pid_t other = pm_process_memory_thread(reader->process);
	if (other != thread) {
		atomic_store_explicit(&reader->thread, other, memory_order_relaxed);
		return process_vm_readv(other, &local, 1, remote, count, 0);
	}

	errno = ESRCH;
	return -1;
}

/**
 * Reads the parts from the cursor on with one call of process_vm_readv(2): up to VECTORS_MAX parts,
 * ending before the first part for which process_vm_readv() must not be used.
 * @return number of bytes read, or -1 with errno set
 */
static ssize_t read_packed(struct target_reader *reader, struct cursor cursor, void *buffer)
{
	struct iovec vectors[VECTORS_MAX];
	size_t count = 0, size = 0;
	while (count < VECTORS_MAX && cursor.count > 0) {
		struct part part = part_at(reader, &cursor);
		uint64_t part_size = pm_range_size(part.range);
		if (!part.readv || part_size > SSIZE_MAX - size)
			break;

		vectors[count++] = (struct iovec){ .iov_base = (void *)(uintptr_t)part.range.start,
			                           .iov_len = (size_t)part_size };
		size += (size_t)part_size;
		advance(&cursor, part_size);
	}

	ssize_t got = read_vectors(reader, vectors, count, buffer, size);
	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		atomic_store_explicit(&reader->readv_refused, true, memory_order_relaxed);

	return got;
}

/**
 * Returns the reason why a byte cannot be read, derived from the address and its region. If the
 * region does not show the reason, the text names the possible ones.
 */
static const char *explain(const struct target_reader *reader, uint64_t address)
{
	if (address >> 63)
		return "above the readable addresses";
	if (!reader->regions)
		return "nothing can be read there";

	const struct pm_region *region = pm_regions_find(reader->regions, address);
	if (!region)
		return "nothing is mapped there";

	const char *forbidden = pm_region_forbidden(region);
	if (forbidden)
		return forbidden;
	if (region->vm_flags & (PM_VM_UFFD_MISSING | PM_VM_UFFD_MINOR))
		return "not provided by the userfaultfd handler yet";
	if (pm_region_is_secret(region))
		return pm_region_secret;
	if (region->inode != 0)
		return "beyond the end of the mapped file, or reading the file from its storage "
		       "failed";
	if (!(region->perms & PM_PERM_READ))
		return "no read permission, and this kernel does not let /proc/PID/mem override it "
		       "(proc_mem.force_override)";

	return "a guard page, or unmapped since the regions were read";
}

static void fill_unreadable(const struct target_reader *reader, uint64_t address, int cause,
                            struct pm_error *error)
{
	pm_error_set(error, PM_ERROR_UNREADABLE, cause, "%s", explain(reader, address));
	if (error) {
		error->pid = pm_process_pid(reader->process);
		error->address = address;
	}
}

static int gone(struct target_reader *reader, struct pm_error *error)
{
	if (pm_process_check(reader->process, error) == 0) {
		pid_t pid = pm_process_pid(reader->process);
		pm_error_set(error, PM_ERROR_GONE, 0,
		             "the memory of process %d is gone: /proc/%d/mem returned end of file",
		             (int)pid, (int)pid);
		if (error)
			error->pid = pid;
	}
	return -1;
}

/**
 * Reads bytes from the cursor on. If the chosen method fails, reads from mem instead, at most up to
 * the end of the page.
 * @param by_pid  receives true if the bytes were read by process_vm_readv(), otherwise false
 * @return        as read_mem()
 */
static ssize_t read_some(struct target_reader *reader, struct cursor *cursor, void *buffer,
                         bool *by_pid)
{
	struct part part = part_at(reader, cursor);
	uint64_t start = part.range.start, size = pm_range_size(part.range);
	ssize_t got;

	if (part.readv)
		got = read_packed(reader, *cursor, buffer);
	else
		got = read_mem(reader, start, buffer, size);

	*by_pid = part.readv && got > 0;
	if (got > 0 || (got == 0 && !part.readv))
		return got;

	uint64_t rest_of_page = (start | reader->page_mask) - start + 1;
	return read_mem(reader, start, buffer, pm_min(rest_of_page, size));
}

static int target_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                       size_t *done, struct pm_error *error)
{
	struct target_reader *reader = context;
	struct cursor cursor = { .ranges = ranges, .count = count };
	/* The last address at which process_vm_readv() has read bytes; 0 if there is none */
	uint64_t followed_pid = 0;
	char *to = buffer;

	advance(&cursor, 0);
	while (cursor.count > 0) {
		uint64_t address = cursor.ranges->start + cursor.offset;
		bool by_pid = false;
		ssize_t got = read_some(reader, &cursor, to, &by_pid);
		if (got == 0 || (got < 0 && errno == ESRCH))
			return gone(reader, error);
		if (got < 0) {
			fill_unreadable(reader, address, errno, error);
			break;
		}

		if (by_pid)
			followed_pid = address;
		to += got;
		advance(&cursor, (uint64_t)got);
	}

	char byte;
	if (followed_pid && read_mem(reader, followed_pid, &byte, 1) == 0)
		return gone(reader, error);

	*done = (size_t)(to - (char *)buffer);
	return 0;
}

static void target_close(void *context)
{
	struct target_reader *reader = context;
	if (reader->pagemap >= 0)
		close(reader->pagemap);
	if (reader->mem >= 0)
		close(reader->mem);
	free(reader);
}

int pm_target_reader_open(struct pm_process *process, const struct pm_regions *regions,
                          struct pm_reader *reader, struct pm_error *error)
{
	static const struct pm_reader_ops ops = { .read = target_read, .close = target_close };
	struct target_reader *opened = malloc(sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	opened->regions = regions;
	opened->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	atomic_init(&opened->readv_refused, !pm_process_pid_is_ours(process));
	atomic_init(&opened->thread, pm_process_memory_thread(process));

	/* Check the process after mem was opened: the PID could have been reused before. If the
	 * process still exists now, mem belongs to it. */
	if (pm_process_open_file(process, "mem", O_RDONLY, &opened->mem, error) < 0) {
		free(opened);
		return -1;
	}
	if (pm_process_open_file(process, "pagemap", O_RDONLY, &opened->pagemap, NULL) < 0)
		opened->pagemap = -1;
	if (pm_process_check(process, error) < 0) {
		target_close(opened);
		return -1;
	}

	*reader = (struct pm_reader){ .ops = &ops, .context = opened };
	return 0;
}
