/* SPDX-License-Identifier: MIT */
#include "kinds/context.h"

#include <procmem/runtimes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"

static enum pm_region_class region_class_of(const struct pm_region *region)
{
	if (region->mapping[0] != '\0' || region->inode != 0) {
		if (region->mapping[0] != '[')
			return PM_REGION_CLASS_FILE;
		if (!pm_region_is_anonymous(region))
			return PM_REGION_CLASS_NAMED;
	}

	if (region->perms & PM_PERM_EXEC)
		return PM_REGION_CLASS_EXECUTABLE;
	if (region->perms & PM_PERM_WRITE)
		return PM_REGION_CLASS_WRITABLE;

	if (region->perms & PM_PERM_READ)
		return PM_REGION_CLASS_READABLE;

	return PM_REGION_CLASS_CLOSED;
}

/** Removes the results of an earlier classification. */
static void clear(struct pm_region *region)
{
	region->kind = PM_KIND_UNKNOWN;
	region->proof = PM_PROOF_NONE;
	region->thread = 0;
	region->arena = 0;
	region->detail = (struct pm_detail){ 0 };
	region->why = "";
}

/**
 * Clears the results of all regions, and fills a list of regions for each class. There may be
 * 60,000 regions, and with the lists a rule visits only the regions of its class.
 */
static void fill_lists(struct pm_kinds_context *context)
{
	struct pm_regions *regions = context->regions;
	size_t counts[PM_REGION_CLASS_COUNT] = { 0 };
	for (size_t i = 0; i < regions->count; i++) {
		clear(&regions->items[i]);
		context->classes[i] = (uint8_t)region_class_of(&regions->items[i]);
		counts[context->classes[i]]++;
	}

	struct pm_region **items = context->list_items;
	for (size_t class = 0; class < PM_REGION_CLASS_COUNT; class ++) {
		context->lists[class].items = items;
		items += counts[class];
	}

	for (size_t i = 0; i < regions->count; i++) {
		struct pm_region_list *list = &context->lists[context->classes[i]];
		list->items[list->count++] = &regions->items[i];
	}
}

static int read_info(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_error why = { 0 };
	if (!context->evidence->process ||
	    pm_process_read_info(context->evidence->process, &context->info, &why) == 0)
		return 0;
	memset(&context->info, 0, sizeof context->info);
	if (pm_kinds_fails(&why))
		return pm_kinds_pass_on(&why, error);

	return 0;
}

/** Sets `refusal` if there is no reader, so that the memory of the target cannot be read. */
static void note_refusal(struct pm_kinds_context *context)
{
	const struct pm_kinds_evidence *evidence = context->evidence;
	if (evidence->reader)
		return;

	const char *why = "the process is not running";
	if (evidence->refusal)
		why = evidence->refusal;
	else if (evidence->process)
		why = "no reader was given";
	snprintf(context->refusal, sizeof context->refusal, "%s", why);
}

uint64_t pm_kinds_resident(const struct pm_regions *regions)
{
	uint64_t resident = 0;
	for (size_t i = 0; i < regions->count; i++)
		if (pm_region_knows(&regions->items[i], PM_SIZE_RSS))
			resident += regions->items[i].bytes[PM_SIZE_RSS];
	return resident;
}

int pm_kinds_context_init(struct pm_kinds_context *context, struct pm_regions *regions,
                          const struct pm_kinds_evidence *evidence, struct pm_error *error)
{
	static const struct pm_kinds_evidence none = { 0 };
	*context = (struct pm_kinds_context){ .regions = regions,
		                              .evidence = evidence ? evidence : &none };
	context->page = (uint64_t)sysconf(_SC_PAGESIZE);
	context->resident = pm_kinds_resident(regions);

	size_t count = regions->count + 1;
	/* A list of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
	context->list_items = calloc(count, sizeof *context->list_items);
	context->classes = calloc(count, 1);
	context->headers = calloc(count, 1);
	if (!context->list_items || !context->classes || !context->headers)
		return pm_error_out_of_memory(error);

	note_refusal(context);
	fill_lists(context);

	return read_info(context, error);
}

void pm_kinds_context_deinit(struct pm_kinds_context *context)
{
	free(context->list_items);
	free(context->classes);
	free(context->headers);
	free(context->header_bytes);
	free(context->header_at);
	free(context->threads);
}

struct pm_region *pm_kinds_next(const struct pm_kinds_context *context, enum pm_region_class class,
                                size_t *at)
{
	const struct pm_region_list *list = &context->lists[class];
	while (*at < list->count) {
		struct pm_region *region = list->items[(*at)++];
		if (region->kind == PM_KIND_UNKNOWN)
			return region;
	}
	return NULL;
}

struct pm_region *pm_kinds_above(const struct pm_kinds_context *context,
                                 const struct pm_region *region)
{
	size_t index = pm_kinds_index(context, region) + 1;
	if (index >= context->regions->count || context->regions->items[index].start != region->end)
		return NULL;
	return &context->regions->items[index];
}

struct pm_region *pm_kinds_below(const struct pm_kinds_context *context,
                                 const struct pm_region *region)
{
	size_t index = pm_kinds_index(context, region);
	if (index == 0 || context->regions->items[index - 1].end != region->start)
		return NULL;
	return &context->regions->items[index - 1];
}

/** Computes a hash (FNV-1a) of a text, to find an equal text among the recent texts. */
static size_t hash(const char *text)
{
	uint32_t value = 2166136261u;
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619u;
	return value;
}

static const char *keep(struct pm_kinds_context *context, const char *text)
{
	const char **recent =
		&context->recent[hash(text) % (sizeof context->recent / sizeof context->recent[0])];
	if (*recent && strcmp(*recent, text) == 0)
		return *recent;

	const char *copy = pm_regions_text(context->regions, text, strlen(text));
	if (!copy) {
		context->out_of_memory = true;
		return "";
	}

	*recent = copy;
	return copy;
}

const char *pm_kinds_text(struct pm_kinds_context *context, const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);

	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		context->out_of_memory = true;
		return "";
	}

	const char *kept = keep(context, text);
	free(text);

	return kept;
}

/** Copies the threads that the caller passed in the evidence. */
static int copy_threads(struct pm_kinds_context *context, struct pm_error *error)
{
	size_t size = context->evidence->thread_count * sizeof *context->threads;
	if (size == 0)
		return 0;

	context->threads = malloc(size);
	if (!context->threads)
		return pm_error_out_of_memory(error);

	memcpy(context->threads, context->evidence->threads, size);
	context->thread_count = context->evidence->thread_count;
	return 0;
}

static int read_threads(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_error why = { 0 };
	if (pm_process_read_threads(context->evidence->process,
	                            PM_THREAD_NAMES | PM_THREAD_STACK_POINTERS, &context->threads,
	                            &context->thread_count, &why) < 0) {
		context->threads = NULL;
		context->thread_count = 0;
		if (pm_kinds_fails(&why))
			return pm_kinds_pass_on(&why, error);
	}

	return 0;
}

int pm_kinds_read_threads(struct pm_kinds_context *context, struct pm_error *error)
{
	if (context->threads_read)
		return 0;

	context->threads_read = true;
	if (context->evidence->process) {
		if (read_threads(context, error) < 0)
			return -1;
	} else if (copy_threads(context, error) < 0) {
		return -1;
	}

	/*
	 * The kernel shows the stack pointer of a waiting thread only to processes that may trace
	 * the thread. If the stack pointers of all threads are missing, this process probably may
	 * not trace the target.
	 */
	context->threads_refused = true;

	for (size_t i = 0; i < context->thread_count; i++)
		context->threads_refused &= context->threads[i].stack_pointer == 0;

	return 0;
}

void pm_kinds_set_threads(struct pm_kinds_context *context, struct pm_region *region,
                          enum pm_detail_type type, const struct pm_detail_thread *threads,
                          size_t count, uint32_t stacks)
{
	size_t listed = pm_min_size(count, PM_DETAIL_THREADS_MAX);
	const struct pm_detail detail = {
		.type = (uint8_t)type,
		.listed = (uint32_t)listed,
		.count = stacks > count ? stacks : (uint32_t)count,
		.found = (uint32_t)count,
		.threads = threads,
	};

	if (pm_regions_copy_detail(context->regions, &detail, &region->detail, NULL) < 0)
		context->out_of_memory = true;
}

const struct pm_thread *pm_kinds_thread(const struct pm_kinds_context *context, pid_t tid)
{
	size_t low = 0, high = context->thread_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (context->threads[middle].tid == tid)
			return &context->threads[middle];
		if (context->threads[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}

	return NULL;
}

const char *pm_kinds_thread_name(const struct pm_kinds_context *context,
                                 const struct pm_thread *thread)
{
	const struct pm_runtimes *runtimes = context->runtimes;
	size_t low = 0, high = runtimes ? runtimes->thread_count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pm_runtime_thread *found = &runtimes->threads[middle];

		if (found->tid == thread->tid)
			return strncmp(found->name, thread->name, strlen(thread->name)) == 0
			               ? found->name
			               : thread->name;
		if (found->tid < thread->tid)
			low = middle + 1;
		else
			high = middle;
	}

	return thread->name;
}
