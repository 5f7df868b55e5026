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
#include "base/search.h"
#include "reader/core_file.h"
#include "reader/core_headers.h"
#include "reader/core_notes.h"

bool pm_core_is_one(const char *path)
{
	unsigned char header[18];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;

	/* ET_CORE in either byte order. */
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
		pm_error_set(error, PM_ERROR_FORMAT, 0, "it is not a regular file");
		goto fail;
	}

	opened->size = (uint64_t)status.st_size;
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

/** Index of the first segment that ends behind an address. */
static size_t segment_index(const struct pm_core *core, uint64_t address)
{
	return pm_first_above(core->segments, core->segment_count, sizeof *core->segments,
	                      offsetof(struct pm_core_segment, end), address);
}

/**
 * Reads a piece as far as the file has it.
 * @return how many bytes
 */
static size_t read_piece(const struct pm_core *core, struct pm_piece piece, char *buffer)
{
	size_t done = 0;
	while (done < piece.size) {
		uint64_t address = piece.address + done;
		size_t index = segment_index(core, address);
		if (index == core->segment_count || address < core->segments[index].start)
			break;

		const struct pm_core_segment *segment = &core->segments[index];
		uint64_t skip = address - segment->start;
		if (skip >= segment->held)
			break;

		uint64_t size = piece.size - done < segment->held - skip ? piece.size - done
		                                                         : segment->held - skip;
		ssize_t got = pm_pread(core->fd, buffer + done, (size_t)size,
		                       segment->offset + skip);

		if (got <= 0)
			break;

		done += (size_t)got;
	}

	return done;
}

/** Says why the file does not have a byte. */
static void tell_missing(const struct pm_core *core, uint64_t address, struct pm_error *error)
{
	size_t at = segment_index(core, address);
	const struct pm_core_segment *segment = at < core->segment_count &&
	                                                        core->segments[at].start <= address
	                                                ? &core->segments[at]
	                                                : NULL;

	at = pm_first_above(core->names, core->name_count, sizeof *core->names,
	                    offsetof(struct pm_core_name, end), address);

	const struct pm_core_name *name = at < core->name_count && core->names[at].start <= address
	                                          ? &core->names[at]
	                                          : NULL;
	if (segment && segment->cut)
		pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		             "not in the core file, which was cut short");
	else if (name)
		pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		             "not in the core file, which leaves these bytes to the file: %s at "
		             "offset 0x%" PRIx64,
		             name->path, name->offset + (address - name->start));
	else
		pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		             segment ? "not in the core file: never touched, or left out"
		                     : "not in the core file");

	if (error)
		error->address = address;
}

static int core_read(void *context, const struct pm_piece *pieces, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	size_t total = 0;
	for (size_t i = 0; i < count; i++) {
		size_t got = read_piece(context, pieces[i], (char *)buffer + total);
		total += got;
		if (got < pieces[i].size) {
			tell_missing(context, pieces[i].address + got, error);
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
 * Visits what the file holds of a segment between two offsets into it; holes of the file are zeros
 * that need no reading.
 */
static int walk_held(const struct pm_core *core, const struct pm_core_segment *segment,
                     uint64_t from, uint64_t to, pm_page_visitor *visit, void *visitor)
{
	while (from < to) {
		off_t data = lseek(core->fd, (off_t)(segment->offset + from), SEEK_DATA);
		uint64_t data_at = to; /* ENXIO: nothing but a hole up to the end of the file */
		if (data >= 0)
			data_at = (uint64_t)data - segment->offset;
		else if (errno != ENXIO)
			data_at = from; /* a file system without holes */

		struct pm_page_run run = { .start = segment->start + from,
			                   .state = PM_PAGE_PRESENT };
		if (data_at > from) {
			run.state |= PM_PAGE_ZERO;
			from = data_at < to ? data_at : to;
		} else {
			off_t hole = lseek(core->fd, (off_t)(segment->offset + from), SEEK_HOLE);
			uint64_t hole_at = hole < 0 ? to : (uint64_t)hole - segment->offset;
			/* A file that changes under us must not keep us here. */
			from = hole_at > from && hole_at < to ? hole_at : to;
		}

		run.end = segment->start + from;
		int answer = visit(visitor, &run);
		if (answer != 0)
			return answer;
	}

	return 0;
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
		uint64_t to = end - segment->start < segment->held ? end - segment->start
		                                                   : segment->held;
		int answer = walk_held(core, segment, from, to, visit, visitor);
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
