/* SPDX-License-Identifier: MIT */
#include "reader/core.h"

#include <procmem/core.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "base/search.h"
#include "base/wipe.h"
#include "reader/core_file.h"
#include "reader/core_headers.h"
#include "reader/core_notes.h"

bool pm_core_is_one(const char *path)
{
	unsigned char header[18];
	int fd = pm_open_regular(path);
	if (fd < 0)
		return false;

	/* e_type must be ET_CORE, which is 4, in either byte order: one of the two bytes is 4,
	 * and the other is 0. */
	bool is_one = pm_pread(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
	              memcmp(header, "\177ELF", 4) == 0 && header[16] + header[17] == 4 &&
	              header[16] % 4 == 0;

	close(fd);
	return is_one;
}

int pm_core_open_fd(int fd, struct pm_core **core, struct pm_error *error)
{
	struct stat status;
	struct pm_core *opened = calloc(1, sizeof *opened);
	if (!opened) {
		close(fd);
		return pm_error_out_of_memory(error);
	}

	opened->fd = fd;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		pm_error_set(error, PM_ERROR_FORMAT, 0, "not a regular file");
		goto fail;
	}

	opened->size = opened->info.size = (uint64_t)status.st_size;
	if (pm_core_read_headers(opened, error) < 0)
		goto fail;

	pm_core_sort_threads(opened);
	*core = opened;

	return 0;
fail:
	pm_core_close(opened);

	return -1;
}

int pm_core_open(const char *path, struct pm_core **core, struct pm_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		enum pm_error_kind kind = errno == EACCES || errno == EPERM ? PM_ERROR_ACCESS
		                                                            : PM_ERROR_NOT_FOUND;
		return pm_error_set(error, kind, errno, "cannot open the core file %s: %s", path,
		                    strerror(errno));
	}

	if (pm_core_open_fd(fd, core, error) < 0)
		return pm_error_prefix(error, "cannot use the core file %s: ", path);

	return 0;
}

void pm_core_close(struct pm_core *core)
{
	if (!core)
		return;

	close(core->fd);
	free(core->segments);
	free(core->names);
	free(core->texts);
	free(core->threads);
	pm_wipe_free(core->registers, core->register_capacity * sizeof *core->registers);
	free(core);
}

const struct pm_core_info *pm_core_info(const struct pm_core *core)
{
	return &core->info;
}

const struct pm_thread *pm_core_threads(const struct pm_core *core, size_t *count)
{
	*count = core->info.threads;
	return core->threads;
}

/**
 * Returns the index of the first segment that ends after an address, or segment_count if there is
 * none.
 */
static size_t segment_index(const struct pm_core *core, uint64_t address)
{
	return pm_first_above(core->segments, core->segment_count, sizeof *core->segments,
	                      offsetof(struct pm_core_segment, end), address);
}

/** Returns the segment that contains an address, or NULL if there is none. */
static const struct pm_core_segment *find_segment(const struct pm_core *core, uint64_t address)
{
	size_t index = segment_index(core, address);

	if (index == core->segment_count || core->segments[index].start > address)
		return NULL;

	return &core->segments[index];
}

/**
 * Reads a range, up to the first byte that the file does not contain or that cannot be read.
 * @return number of bytes read
 */
static size_t read_range(const struct pm_core *core, struct pm_range range, char *buffer)
{
	uint64_t size = pm_range_size(range);
	size_t done = 0;

	while (done < size) {
		uint64_t address = range.start + done;
		const struct pm_core_segment *segment = find_segment(core, address);
		uint64_t skip = segment ? address - segment->start : 0;

		if (!segment || skip >= segment->held)
			break;

		uint64_t part = pm_min(size - done, segment->held - skip);
		ssize_t got = pm_pread(core->fd, buffer + done, (size_t)part,
		                       segment->offset + skip);
		if (got <= 0)
			break;

		done += (size_t)got;
	}

	return done;
}

/** Returns the entry of NT_FILE that contains an address, or NULL if there is none. */
static const struct pm_core_name *find_name(const struct pm_core *core, uint64_t address)
{
	size_t index = pm_first_above(core->names, core->name_count, sizeof *core->names,
	                              offsetof(struct pm_core_name, end), address);

	if (index == core->name_count || core->names[index].start > address)
		return NULL;

	return &core->names[index];
}

/** Fills `error` with the reason why the file does not contain the byte at an address. */
static void explain_missing(const struct pm_core *core, uint64_t address, struct pm_error *error)
{
	const struct pm_core_segment *segment = find_segment(core, address);
	const struct pm_core_name *name = find_name(core, address);

	if (segment && address - segment->start < segment->stated)
		pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		             "beyond the end of the truncated core file");
	else if (name)
		pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		             "not in the core file; the mapped file may have these bytes: %s at "
		             "offset 0x%" PRIx64,
		             name->path, name->offset + (address - name->start));
	else if (segment)
		pm_error_set(
			error, PM_ERROR_UNREADABLE, 0,
			"not in the core file: this memory was never touched, or was left out");
	else
		pm_error_set(error, PM_ERROR_UNREADABLE, 0, "not in the core file");

	if (error)
		error->address = address;
}

static int core_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	size_t total = 0;
	for (size_t i = 0; i < count; i++) {
		size_t got = read_range(context, ranges[i], (char *)buffer + total);
		total += got;
		if (got < pm_range_size(ranges[i])) {
			explain_missing(context, ranges[i].start + got, error);
			break;
		}
	}

	*done = total;
	return 0;
}

static void core_close(void *context)
{
	(void)context;
}

struct pm_reader pm_core_reader(struct pm_core *core)
{
	static const struct pm_reader_ops ops = { .read = core_read, .close = core_close };
	return (struct pm_reader){ .ops = &ops, .context = core };
}

/**
 * Visits those pages of a part of a segment that the core file contains. A hole of the file is
 * visited with PM_PAGE_ZERO, since its bytes are zeros and need not be read.
 * @param from  start of the part, as an offset from the start of the segment, in bytes
 * @param to    end of the part, as an offset from the start of the segment; must be in the core
 *              file
 * @return      0, or the first result of the visitor that is not 0
 */
static int walk_held(const struct pm_core *core, const struct pm_core_segment *segment,
                     uint64_t from, uint64_t to, pm_page_visitor *visit, void *visitor)
{
	while (from < to) {
		off_t data = lseek(core->fd, (off_t)(segment->offset + from), SEEK_DATA);
		uint64_t data_at = to; /* the value if the rest of the file is a hole (ENXIO) */
		if (data >= 0)
			data_at = (uint64_t)data - segment->offset;
		else if (errno != ENXIO)
			data_at = from; /* SEEK_DATA is not supported: assume data */

		struct pm_page_run run = { .start = segment->start + from,
			                   .state = PM_PAGE_PRESENT };
		if (data_at > from) {
			run.state |= PM_PAGE_ZERO;
			from = pm_min(data_at, to);
		} else {
			off_t hole = lseek(core->fd, (off_t)(segment->offset + from), SEEK_HOLE);
			uint64_t hole_at = hole < 0 ? to : (uint64_t)hole - segment->offset;

			/* If the file changes concurrently, the hole can be at or before `from`.
			 * In this case, advance to `to`, so that the loop ends. */
			from = hole_at > from ? pm_min(hole_at, to) : to;
		}

		run.end = segment->start + from;
		int answer = visit(visitor, &run);
		if (answer != 0)
			return answer;
	}

	return 0;
}

/**
 * Visits the pages of a part of a segment that are missing because the file is truncated.
 * @param from  start of the part, as an offset from the start of the segment, in bytes
 * @param to    end of the part, as an offset from the start of the segment
 * @return      0, or the result of the visitor
 */
static int walk_cut(const struct pm_core_segment *segment, uint64_t from, uint64_t to,
                    pm_page_visitor *visit, void *visitor)
{
	from = pm_max(from, segment->held);
	to = pm_min(to, segment->stated);
	if (from >= to)
		return 0;

	const struct pm_page_run run = { .start = segment->start + from,
		                         .end = segment->start + to,
		                         .state = PM_PAGE_CUT };
	return visit(visitor, &run);
}

static int core_walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                     void *visitor, struct pm_error *error)
{
	const struct pm_core *core = context;

	(void)error;
	for (size_t i = segment_index(core, start);
	     i < core->segment_count && core->segments[i].start < end; i++) {
		const struct pm_core_segment *segment = &core->segments[i];
		uint64_t from = start > segment->start ? start - segment->start : 0;
		uint64_t to = end - segment->start;
		int answer = walk_held(core, segment, from, pm_min(to, segment->held), visit,
		                       visitor);
		if (answer == 0)
			answer = walk_cut(segment, from, to, visit, visitor);
		if (answer != 0)
			return answer;
	}

	return 0;
}

struct pm_page_source pm_core_source(struct pm_core *core)
{
	return (struct pm_page_source){ .walk = core_walk,
		                        .context = core,
		                        .untouched = PM_SEGMENT_MISSING };
}

/*
 * The regions of a core file are derived from two lists: the load segments contain bytes and
 * permissions, and NT_FILE contains the names of mapped files. The kernel writes a segment for
 * every mapping (fs/binfmt_elf.c). gdb writes no segment if it assumes that the mapped file still
 * contains the same bytes.
 */

/**
 * State of listing the regions. All memory below the address `at`, and all segments with an index
 * below `next`, were already appended to `regions`.
 */
struct listing {
	const struct pm_core *core;
	struct pm_regions *regions;
	struct pm_error *error;
	uint64_t at;
	size_t next;
};

/**
 * A region before it is appended to the list: contiguous parts of one mapping, all with the same
 * permissions.
 */
struct piece {
	uint64_t start;
	uint64_t end;
	uint64_t held; /* number of bytes of the region that the core file contains */
	unsigned perms;
};

/**
 * Returns the number of bytes of a part of a segment that the core file contains. The part is given
 * by its addresses.
 */
static uint64_t held_of(const struct pm_core_segment *segment, uint64_t start, uint64_t end)
{
	return pm_max(start, pm_min(segment->start + segment->held, end)) - start;
}

/**
 * Returns the name of a region that is not in NT_FILE: [vdso], [vsyscall] or [stack], derived from
 * the auxiliary vector or from the address. Returns NULL for other regions.
 */
static const char *special_name(const struct pm_core *core, const struct piece *piece)
{
	if (core->vdso && piece->start == core->vdso)
		return "[vdso]";
	if (piece->start == UINT64_C(0xffffffffff600000))
		return "[vsyscall]";
	if (core->stack && piece->start <= core->stack && core->stack < piece->end)
		return "[stack]";

	return NULL;
}

/**
 * Appends a region to the list.
 * @param name  the entry of NT_FILE that contains the region; NULL if there is none
 */
static int append(const struct listing *listing, const struct piece *piece,
                  const struct pm_core_name *name)
{
	struct pm_region region = { .start = piece->start,
		                    .end = piece->end,
		                    .perms = (uint8_t)piece->perms };
	region.known = PM_SIZE_BIT(PM_SIZE_RSS);
	region.bytes[PM_SIZE_RSS] = piece->held;

	if (name) {
		region.mapping = name->path;
		region.deleted = name->deleted;
		region.offset = name->offset + (piece->start - name->start);
		/* A core file does not show whether the mapping of a file is shared. Memory that
		 * is not in NT_FILE is private: shared memory is a file of the kernel, which
		 * NT_FILE contains. */
		region.perms |= PM_PERM_MAYBE(PM_PERM_SHARED);
	} else {
		region.mapping = special_name(listing->core, piece);
		/* gdb marks every segment as readable, even one of inaccessible address space
		 * (make_output_phdrs() in gdb/gcore.c). So it is not known whether a segment
		 * without other permissions is readable. */
		if (listing->core->has_sections && piece->perms == PM_PERM_READ)
			region.perms = PM_PERM_MAYBE(PM_PERM_READ);
	}

	return pm_regions_append(listing->regions, &region, listing->error);
}

/**
 * Lists the segments that were not listed yet, up to an address, as regions without a file.
 * @param limit  the address; a segment that contains the address is listed only up to it
 * @return       0 or -1
 */
static int list_unnamed(struct listing *listing, uint64_t limit)
{
	const struct pm_core *core = listing->core;
	for (; listing->next < core->segment_count && core->segments[listing->next].start < limit;
	     listing->next++) {
		const struct pm_core_segment *segment = &core->segments[listing->next];
		struct piece piece = { .start = segment->start,
			               .end = pm_min(segment->end, limit),
			               .perms = segment->perms };

		piece.start = pm_max(piece.start, listing->at);
		piece.held = held_of(segment, piece.start, piece.end);
		if (piece.start < piece.end && append(listing, &piece, NULL) < 0)
			return -1;
		if (segment->end > limit)
			break;
	}

	return 0;
}

/**
 * Returns the permissions of the parts of a mapping that are not in a segment. An entry of NT_FILE
 * is one mapping, so all parts have the permissions of its segments. The result is PM_PERM_UNKNOWN
 * if the mapping has no segment, or if the permissions of its segments differ because the program
 * that wrote the file joined several mappings.
 */
static unsigned perms_of_rest(const struct listing *listing, const struct pm_core_name *name)
{
	const struct pm_core *core = listing->core;
	unsigned perms = PM_PERM_UNKNOWN;
	for (size_t i = listing->next;
	     i < core->segment_count && core->segments[i].start < name->end; i++) {
		if (perms != PM_PERM_UNKNOWN && perms != core->segments[i].perms)
			return PM_PERM_UNKNOWN;
		perms = core->segments[i].perms;
	}

	return perms;
}

/**
 * Extends a piece up to the address `end`. If the permissions of the added part differ from those
 * of the piece, first appends the piece to the list as a region, and starts a new piece.
 * @param held  number of bytes of the added part that the core file contains
 */
static int extend(const struct listing *listing, struct piece *piece, uint64_t end, unsigned perms,
                  uint64_t held, const struct pm_core_name *name)
{
	if (end <= piece->end)
		return 0;
	if (piece->start < piece->end && piece->perms != perms) {
		if (append(listing, piece, name) < 0)
			return -1;
		*piece = (struct piece){ .start = piece->end };
	}

	piece->end = end;
	piece->perms = perms;
	piece->held += held;

	return 0;
}

/**
 * Lists the regions of an entry of NT_FILE: the segments in its range, and the parts of the range
 * that are not in a segment.
 */
static int list_named(struct listing *listing, const struct pm_core_name *name)
{
	const struct pm_core *core = listing->core;
	struct piece piece = { .start = name->start, .end = name->start };
	unsigned rest = perms_of_rest(listing, name);
	for (size_t i = listing->next;
	     i < core->segment_count && core->segments[i].start < name->end; i++) {
		const struct pm_core_segment *segment = &core->segments[i];
		uint64_t end = pm_min(segment->end, name->end);
		if (extend(listing, &piece, segment->start, rest, 0, name) < 0 ||
		    extend(listing, &piece, end, segment->perms, held_of(segment, piece.end, end),
		           name) < 0)
			return -1;
	}

	if (extend(listing, &piece, name->end, rest, 0, name) < 0 ||
	    append(listing, &piece, name) < 0)
		return -1;

	while (listing->next < core->segment_count &&
	       core->segments[listing->next].end <= name->end)
		listing->next++;

	listing->at = name->end;
	return 0;
}

int pm_core_regions(const struct pm_core *core, struct pm_regions *regions, struct pm_error *error)
{
	struct listing listing = { .core = core, .regions = regions, .error = error };
	for (size_t i = 0; i < core->name_count; i++)
		if (list_unnamed(&listing, core->names[i].start) < 0 ||
		    list_named(&listing, &core->names[i]) < 0)
			return -1;
	return list_unnamed(&listing, UINT64_MAX);
}
