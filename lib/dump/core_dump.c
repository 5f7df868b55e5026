/* SPDX-License-Identifier: MIT */
#include <procmem/core_dump.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/minmax.h"
#include "dump/core_filter.h"
#include "dump/core_notes.h"
#include "dump/dump.h"

/*
 * Maximum size of the core file, in bytes, up to which zeros are added as content (a hole in the
 * file). Zeros that would end after this offset become a segment without content, because a file on
 * ext4 cannot be larger than 16 TiB.
 */
static const uint64_t LARGEST_WITH_ZEROS = UINT64_C(4) << 40;

/** State while a core file is written. */
struct core_dump {
	const struct pm_dump_source *source;
	struct pm_core_writer *writer;
	size_t next; /* index of the first range of the source that ends after `at` */
	uint64_t at; /* all addresses of the ranges below this one were added as segments */
	/* Index of the region of the last part that was added; SIZE_MAX if the part is in no
	 * region */
	size_t region;
};

static struct pm_region_range range_at(const struct pm_dump_source *source, size_t index)
{
	if (source->ranges)
		return source->ranges[index];

	return (struct pm_region_range){ pm_region_bounds(&source->regions->items[index]), index };
}

static size_t range_count(const struct pm_dump_source *source)
{
	return source->ranges ? source->count : source->regions->count;
}

static int add(struct core_dump *dump, struct pm_range range, size_t region, bool content,
               const char *bytes, struct pm_error *error)
{
	bool joins = region == dump->region;
	dump->region = region;

	unsigned perms = 0;
	if (region < dump->source->regions->count)
		perms = dump->source->regions->items[region].perms;

	return pm_core_writer_add(dump->writer, range, perms, content, bytes, joins, error);
}

/**
 * Adds segments without content for the bytes from `dump->at` to an address that are in the ranges
 * of the source. The filter excluded these bytes, so they were not passed to add_part().
 * @param address  end of the bytes; `dump->at` is set to it
 * @return         0 or -1
 */
static int skip_to(struct core_dump *dump, uint64_t address, struct pm_error *error)
{
	for (; dump->next < range_count(dump->source); dump->next++) {
		struct pm_region_range at = range_at(dump->source, dump->next);
		struct pm_range rest = pm_range_clip(at.range,
		                                     (struct pm_range){ dump->at, address });

		if (pm_range_size(rest) > 0 && add(dump, rest, at.region, false, NULL, error) < 0)
			return -1;
		if (at.range.end > address)
			break;
	}

	dump->at = address;
	return 0;
}

/**
 * Tests whether a part of zeros is added as a segment without content. This is the case if the part
 * is a whole region, as in core files of the kernel, or if the file would become larger than
 * LARGEST_WITH_ZEROS.
 */
static bool leave_out_zeros(const struct core_dump *dump, const struct pm_part *part)
{
	const struct pm_region *region = &dump->source->regions->items[part->region];
	bool whole = part->range.start == region->start && part->range.end == region->end;
	return whole || pm_range_size(part->range) > LARGEST_WITH_ZEROS - dump->writer->at ||
	       dump->writer->at > LARGEST_WITH_ZEROS;
}

/**
 * Returns the [vdso] (vdso(7)) of this process. Its bytes are the same in every process with the
 * same address width, so they can replace pages of the [vdso] that the target has not touched.
 * Debuggers need all pages of the [vdso].
 *
 * @param size  receives the size of the [vdso] in bytes, a multiple of the page size
 * @return      the bytes; NULL if this process has no [vdso]
 */
static const char *self_vdso(size_t *size)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) header;

	if (!image)
		return NULL;

	memcpy(&header, image, sizeof header);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end = 0;
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) program;
		memcpy(&program, image + header.e_phoff + i * header.e_phentsize, sizeof program);
		if (program.p_type == PT_LOAD)
			end = pm_max_size(end, program.p_offset + program.p_filesz);
	}

	*size = (end + page - 1) & ~(page - 1);
	return image;
}

/**
 * Returns the bytes of a part: the bytes that were read, or, for an unread part of the [vdso], the
 * bytes of the [vdso] of this process. Returns NULL if neither is available.
 */
static const char *known_bytes(const struct core_dump *dump, const struct pm_part *part)
{
	if (part->type != PM_PART_ABSENT || part->region >= dump->source->regions->count)
		return part->bytes;

	const struct pm_region *region = &dump->source->regions->items[part->region];
	if (strcmp(region->mapping, "[vdso]") != 0)
		return NULL;

	size_t size = 0;
	const char *vdso = self_vdso(&size);
	if (!vdso || size != pm_region_size(region))
		return NULL;

	return vdso + (part->range.start - region->start);
}

static int add_part(void *context, const struct pm_part *part, struct pm_error *error)
{
	struct core_dump *dump = context;
	if (skip_to(dump, part->range.start, error) < 0)
		return -1;

	dump->at = part->range.end;
	const char *bytes = known_bytes(dump, part);
	bool content = bytes || (part->type == PM_PART_ZEROS && !leave_out_zeros(dump, part));
	return add(dump, part->range, part->region, content, bytes, error);
}

/**
 * Applies coredump_filter of the process to the ranges of the source.
 * @param kept  receives the ranges that the filter does not exclude; the caller frees the array
 */
static int apply_filter(const struct pm_dump_source *source, struct pm_region_range **kept,
                        size_t *count, struct pm_error *error)
{
	unsigned filter;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (pm_core_filter_read(source->process, &filter, error) < 0)
		return -1;

	struct pm_region_range *ranges = calloc(range_count(source) + 1, sizeof *ranges);
	if (!ranges)
		return pm_error_out_of_memory(error);

	*count = 0;
	for (size_t i = 0; i < range_count(source); i++) {
		struct pm_region_range range = range_at(source, i);
		if (range.region < source->regions->count) {
			const struct pm_region *region = &source->regions->items[range.region];
			uint64_t end = region->start + pm_core_filter_size(filter, region, page);
			range.range.end = pm_min(range.range.end, end);
		}
		if (range.range.start < range.range.end)
			ranges[(*count)++] = range;
	}

	*kept = ranges;
	return 0;
}

/** Adds the segments and writes their contents. */
static int copy_memory(struct core_dump *dump, bool respect_filter, struct pm_dump_result *result,
                       struct pm_error *error)
{
	struct pm_dump_source chosen = *dump->source;
	struct pm_region_range *kept = NULL;
	if (respect_filter) {
		if (apply_filter(dump->source, &kept, &chosen.count, error) < 0)
			return -1;
		chosen.ranges = kept;
	}

	int done = pm_dump_copy(&chosen, add_part, dump, result, error);
	free(kept);

	if (done < 0)
		return -1;

	return skip_to(dump, UINT64_MAX, error);
}

/** Reads the machine type of the target from the ELF header of its program. */
static int read_machine(struct pm_process *process, uint16_t *machine, struct pm_error *error)
{
	Elf64_Ehdr header;
	int fd;
	if (pm_process_open_file(process, "exe", O_RDONLY, &fd, error) < 0)
		return -1;

	ssize_t got = pm_pread(fd, &header, sizeof header, 0);
	close(fd);
	if (got != (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "the program of the process is not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || sizeof(void *) != 8)
		return pm_error_set(
			error, PM_ERROR_UNSUPPORTED, 0,
			"core files can be written only for 64-bit processes, by a 64-bit procmem");

	*machine = header.e_machine;
	return 0;
}

/**
 * Writes the notes. If `stop_for_registers` is set and the caller has not stopped the process, the
 * process is stopped while the notes are written.
 */
static int write_notes(const struct pm_dump_source *source, const struct pm_core_options *options,
                       struct pm_core_writer *writer, struct pm_dump_result *result,
                       struct pm_error *error)
{
	struct pm_stop *stop = options->stop, *own = NULL;
	if (!stop && options->stop_for_registers) {
		if (pm_stop_begin(source->process, source->cancel, &own, error) < 0)
			return -1;
		stop = own;
	}

	int done = pm_core_notes_write(writer, source->process, source->regions, stop, error);
	result->stopped = pm_stop_end(own);
	return done;
}

int pm_dump_core(const struct pm_dump_source *source, const struct pm_core_options *options, int fd,
                 struct pm_dump_result *result, struct pm_error *error)
{
	static const struct pm_core_options defaults = { 0 };
	struct core_dump dump = { .source = source, .region = SIZE_MAX };
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	uint16_t machine = 0;

	*result = (struct pm_dump_result){ 0 };
	if (!options)
		options = &defaults;
	if (pm_process_check(source->process, error) < 0 ||
	    read_machine(source->process, &machine, error) < 0 ||
	    pm_core_writer_open(fd, source->cancel, &dump.writer, error) < 0)
		return -1;

	int done = write_notes(source, options, dump.writer, result, error);
	if (done == 0)
		done = copy_memory(&dump, options->respect_filter, result, error);
	if (done == 0)
		done = pm_core_writer_finish(dump.writer, machine, error);
	result->size = dump.writer->output.at;
	result->nanoseconds = pm_clock_ns(CLOCK_MONOTONIC) - begin;
	pm_core_writer_close(dump.writer);

	return done;
}
