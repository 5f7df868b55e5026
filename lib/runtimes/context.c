/* SPDX-License-Identifier: MIT */
#include "runtimes/context.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <procmem/file_reader.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "reader/region_rules.h"
#include "symbols/symbol_values.h"

enum { PAGE = 4096 };

int pm_runtime_context_open(const struct pm_runtimes_source *source,
                            struct pm_runtimes_context *context, struct pm_error *error)
{
	const unsigned time_ms = source->time_ms ? source->time_ms : PM_RUNTIMES_TIME_MS;

	*context = (struct pm_runtimes_context){
		.source = source,
		.memory = { .regions = source->regions,
		            .reader = source->reader,
		            .pages = source->pages,
		            .process = source->process,
		            .cancel = source->cancel },
		.deadline_ns = pm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)time_ms * 1000000,
	};

	context->result = calloc(1, sizeof *context->result);
	if (!context->result)
		return pm_error_out_of_memory(error);
	if (pm_heap_window_open(&context->memory, &context->window, error) == 0 &&
	    (!source->process ||
	     pm_file_reader_open(source->process, source->regions, &context->files, error) == 0))
		return 0;

	pm_runtime_context_close(context);
	return -1;
}

void pm_runtime_context_close(struct pm_runtimes_context *context)
{
	pm_reader_close(&context->files);
	pm_heap_window_close(context->window);
	pm_runtimes_close(context->result);
	context->window = NULL;
	context->result = NULL;
}

/** Stores an error that ends reading. Errors of single reads, such as absent pages, do not. */
static bool note(struct pm_runtimes_context *context, int result, const struct pm_error *why)
{
	if (result < 0 && context->failure.kind == PM_ERROR_NONE)
		context->failure = *why;
	return result > 0;
}

bool pm_runtime_ends(const struct pm_runtimes_context *context)
{
	if (context->failure.kind != PM_ERROR_NONE)
		return true;
	if (context->source->cancel && *context->source->cancel)
		return true;
	return pm_clock_ns(CLOCK_MONOTONIC) >= context->deadline_ns;
}

/**
 * Returns whether an address is in a region. The kernel reports an error for the page states of
 * addresses that no process can have, such as those of [vsyscall] in the upper half.
 */
static bool is_mapped(const struct pm_runtimes_context *context, uint64_t address)
{
	return !(address >> 63) && pm_regions_find(context->source->regions, address);
}

/** Returns whether bytes that the target has not touched are those of a file. */
static bool is_constant(const struct pm_runtimes_context *context, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, address);

	return region && region->inode != 0 &&
	       !(region->perms & (PM_PERM_WRITE | PM_PERM_SHARED)) &&
	       !pm_region_forbidden(region) && pm_region_untouched(region).type == PM_SEGMENT_FILE;
}

/** Reads bytes of one page: from the memory of the target, or from the file that is mapped. */
static bool read_in_page(struct pm_runtimes_context *context, uint64_t address, char *bytes,
                         size_t size)
{
	struct pm_error why = { 0 };

	if (!is_mapped(context, address))
		return false;

	int result = pm_heap_window_peek(context->window, address, bytes, size, &why);
	if (result == 0 && context->files.ops && is_constant(context, address))
		return pm_reader_read(&context->files, address, bytes, size, NULL, NULL) == 0;
	return note(context, result, &why);
}

bool pm_runtime_read(struct pm_runtimes_context *context, uint64_t address, void *buffer,
                     size_t size)
{
	char bytes[PAGE];

	if (size > sizeof bytes || address > UINT64_MAX - size || pm_runtime_ends(context))
		return false;
	for (size_t done = 0; done < size;) {
		uint64_t at = address + done;
		size_t part = (size_t)pm_min(size - done, PAGE - at % PAGE);

		if (!read_in_page(context, at, bytes + done, part))
			return false;
		done += part;
	}

	context->result->reads += size;
	memcpy(buffer, bytes, size);
	return true;
}

bool pm_runtime_read_word(struct pm_runtimes_context *context, uint64_t address, uint64_t *word)
{
	return pm_runtime_read(context, address, word, sizeof *word);
}

bool pm_runtime_read_u32(struct pm_runtimes_context *context, uint64_t address, uint32_t *number)
{
	return pm_runtime_read(context, address, number, sizeof *number);
}

bool pm_runtime_read_text(struct pm_runtimes_context *context, uint64_t address, char *text,
                          size_t size)
{
	size_t length = 0;

	/* The text can end in the last page that can be read, so it is read page by page. */
	while (length + 1 < size) {
		uint64_t at = address + length;
		size_t part = (size_t)pm_min(size - 1 - length, PAGE - at % PAGE);

		if (!pm_runtime_read(context, at, text + length, part))
			break;

		size_t found = strnlen(text + length, part);
		length += found;
		if (found < part) {
			text[length] = '\0';
			return true;
		}
	}

	text[length] = '\0';
	return length > 0;
}

size_t pm_runtime_read_ahead(struct pm_runtimes_context *context, uint64_t address, uint64_t end,
                             const void **bytes)
{
	struct pm_error why = { 0 };
	size_t size = 0;

	if (pm_runtime_ends(context))
		return 0;

	int result = pm_heap_window_ahead(context->window, address, end, bytes, &size, &why);
	if (!note(context, result, &why))
		return 0;

	context->result->reads += size;
	return size;
}

uint64_t pm_runtime_next_present(struct pm_runtimes_context *context, uint64_t address,
                                 uint64_t end)
{
	struct pm_error why = { 0 };
	uint64_t next = end;

	if (pm_runtime_ends(context))
		return end;
	if (pm_heap_window_next(context->window, address, end, &next, &why) < 0) {
		note(context, -1, &why);
		return end;
	}

	return next;
}

size_t pm_runtime_find_symbols(struct pm_runtimes_context *context, const struct pm_region *region,
                               struct pm_runtime_symbol *symbols, size_t count)
{
	const struct pm_regions *regions = context->source->regions;
	struct pm_symbol_value values[PM_SYMBOL_VALUES_MAX];
	size_t found = 0;

	if (!context->source->process || !region || count > PM_SYMBOL_VALUES_MAX)
		return 0;
	for (size_t i = 0; i < count; i++)
		values[i] = (struct pm_symbol_value){ .name = symbols[i].name };

	pm_symbol_values_find(context->source->process, regions, region, values, count,
	                      context->deadline_ns);
	for (size_t i = 0; i < count; i++) {
		symbols[i].address = values[i].address;
		symbols[i].size = values[i].size;
		found += values[i].address != 0;
	}

	return found;
}

const char *pm_runtime_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const struct pm_region *pm_runtime_find_file(const struct pm_runtimes_context *context,
                                             const char *prefix)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (region->mapping[0] == '/' && region->inode != 0 &&
		    strncmp(pm_runtime_last_part(region->mapping), prefix, strlen(prefix)) == 0)
			return region;
	}

	return NULL;
}

const struct pm_region *pm_runtime_find_program(const struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;
	struct stat status;
	int fd;

	if (!context->source->process ||
	    pm_process_open_file(context->source->process, "exe", O_PATH, &fd, NULL) < 0)
		return NULL;

	int result = fstat(fd, &status);
	close(fd);
	for (size_t i = 0; result == 0 && i < regions->count; i++)
		if (regions->items[i].inode == status.st_ino && regions->items[i].mapping[0] == '/')
			return &regions->items[i];

	return NULL;
}

void pm_runtime_add_range(struct pm_runtimes_context *context, uint64_t start, uint64_t end,
                          enum pm_owner owner, enum pm_proof proof)
{
	struct pm_runtimes *result = context->result;

	if (end <= start || result->range_count >= PM_RUNTIME_RANGES_MAX ||
	    context->failure.kind != PM_ERROR_NONE)
		return;
	if (pm_array_reserve(&result->ranges, &context->range_capacity, result->range_count, 1,
	                     sizeof *result->ranges, &context->failure) < 0)
		return;

	result->ranges[result->range_count++] = (struct pm_owner_range){
		.range = { start, end },
		.owner = (uint8_t)owner,
		.proof = (uint8_t)(owner == PM_OWNER_UNKNOWN ? PM_PROOF_NONE : proof),
	};
}

struct pm_runtime_info *pm_runtime_add(struct pm_runtimes_context *context, enum pm_owner owner,
                                       struct pm_error *error)
{
	struct pm_runtimes *result = context->result;

	if (pm_array_reserve(&result->items, &context->capacity, result->count, 1,
	                     sizeof *result->items, error) < 0)
		return NULL;

	struct pm_runtime_info *info = &result->items[result->count++];
	*info = (struct pm_runtime_info){ .family = pm_owner_family(owner) };
	return info;
}

void pm_runtime_add_limit(struct pm_runtimes_context *context, struct pm_runtime_limit limit)
{
	struct pm_runtimes *result = context->result;

	if (result->limit_count < PM_RUNTIME_LIMITS_MAX)
		result->limits[result->limit_count++] = limit;
}

void pm_runtime_add_counter(struct pm_runtimes_context *context, struct pm_runtime_counter counter)
{
	struct pm_runtimes *result = context->result;

	if (result->counter_count < PM_RUNTIME_COUNTERS_MAX)
		result->counters[result->counter_count++] = counter;
}
