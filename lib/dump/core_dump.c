/* SPDX-License-Identifier: MIT */
#include <procmem/core_dump.h>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/minmax.h"
#include "dump/copy.h"
#include "dump/core_filter.h"
#include "dump/core_notes.h"
#include "dump/self_vdso.h"

/* Files of ext4 end at 16 TiB. Zeros beyond this are left without content. */
static const uint64_t LARGEST_WITH_ZEROS = UINT64_C(4) << 40;

/** A core file being made from a process. */
struct core_dump {
	const struct pm_dump_source *source;
	struct pm_core_writer *writer;
	size_t next;   /* first of the chosen ranges that does not lie before `at` */
	uint64_t at;   /* all chosen bytes below this address are in the file */
	size_t region; /* region of the last part, SIZE_MAX for none */
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

/** Adds segments without content for the chosen bytes below an address that the filter left out. */
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
 * Whether zeros need no content: a region that was never touched at all, as in cores of the kernel,
 * and what makes the file too long.
 */
static bool leave_out_zeros(const struct core_dump *dump, const struct pm_part *part)
{
	const struct pm_region *region = &dump->source->regions->items[part->region];
	bool whole = part->range.start == region->start && part->range.end == region->end;
	return whole || pm_range_size(part->range) > LARGEST_WITH_ZEROS - dump->writer->at ||
	       dump->writer->at > LARGEST_WITH_ZEROS;
}

/** The bytes of a part that was not read but is known all the same; NULL where it is not. */
static const char *known_bytes(const struct core_dump *dump, const struct pm_part *part)
{
	if (part->type != PM_PART_ABSENT || part->region >= dump->source->regions->count)
		return part->bytes;
	const struct pm_region *region = &dump->source->regions->items[part->region];
	size_t size;
	const char *vdso = strcmp(region->mapping, "[vdso]") == 0 ? pm_self_vdso(&size) : NULL;
	return vdso && size == pm_region_size(region) ? vdso + (part->range.start - region->start)
	                                              : NULL;
}

static int take_part(void *context, const struct pm_part *part, struct pm_error *error)
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
 * The ranges as far as the filter keeps them.
 * @param kept the caller frees it
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

/** Copies the memory. */
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

	int done = pm_dump_copy(&chosen, take_part, dump, result, error);
	free(kept);

	return done < 0 ? -1 : skip_to(dump, UINT64_MAX, error);
}

/** Machine of the target, from the header of its program. */
static int read_machine(struct pm_process *process, uint16_t *machine, struct pm_error *error)
{
	Elf64_Ehdr header;
	int fd;
	if (pm_process_open_file(process, "exe", O_RDONLY, &fd, error) < 0)
		return -1;

	ssize_t got = pm_pread(fd, &header, sizeof header, 0);
	close(fd);
	if (got != (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "its program is no ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || sizeof(void *) != 8)
		return pm_error_set(
			error, PM_ERROR_UNSUPPORTED, 0,
			"core files are written of 64-bit processes only, by a 64-bit procmem");

	*machine = header.e_machine;
	return 0;
}

/** Writes the notes, in a short stop of our own where the options say so. */
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
