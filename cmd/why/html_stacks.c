/* SPDX-License-Identifier: MIT */
#include "why/html_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "target/frames.h"

_Static_assert((int)FRAME_SYSTEM == (int)HTML_CODE_SYSTEM &&
                       (int)FRAME_MARKER == (int)HTML_CODE_NONE,
               "both have the same order");

/* Most functions of a tree, and of a stack: the innermost ones of a deeper stack are left out. */
enum { FRAMES_MAX = 4000, DEPTH_MAX = 128 };

/** Returns the name of a function. */
static const char *name_of(const struct pm_frame *frame)
{
	if (frame->function && *frame->function)
		return frame->function;
	return frame->module && *frame->module ? frame->module : "(not known)";
}

/**
 * Finds the function that another one calls, or adds it.
 * @return its index; SIZE_MAX if the tree is full
 */
static size_t find_called(struct html_frame *frames, size_t *count, size_t parent,
                          const struct pm_frame *called)
{
	const char *name = name_of(called);

	for (size_t i = parent + 1; i < *count; i++)
		if (frames[i].parent == parent && strcmp(frames[i].name, name) == 0)
			return i;
	if (*count == FRAMES_MAX)
		return SIZE_MAX;
	frames[*count] = (struct html_frame){ .name = name,
		                              .parent = parent,
		                              .code = (enum html_code)frames_kind(called) };
	return (*count)++;
}

/** Adds the stack of a site. */
static void add_site(struct html_frame *frames, size_t *count, const struct pm_site *site)
{
	size_t at = 0, depth = 0;

	frames[0].bytes += site->resident;
	for (size_t i = site->stack.count; i > 0 && depth < DEPTH_MAX; i--, depth++) {
		at = find_called(frames, count, at, &site->stack.frames[i - 1]);
		if (at == SIZE_MAX)
			return;
		frames[at].bytes += site->resident;
	}
}

void why_html_stacks_make(const struct pm_site_list *sites, struct html_stacks *stacks)
{
	struct html_frame *frames = alloc_array(NULL, FRAMES_MAX, sizeof *frames);
	size_t count = 1;

	frames[0] = (struct html_frame){ .name = "all", .parent = SIZE_MAX };
	for (size_t i = 0; i < sites->count; i++)
		if (!sites->sites[i].before && sites->sites[i].resident > 0)
			add_site(frames, &count, &sites->sites[i]);

	*stacks = (struct html_stacks){ 0 };
	if (frames[0].bytes == 0) {
		free(frames);
		return;
	}
	stacks->frames = frames;
	stacks->count = count;
	stacks->what = "mapped during the trace and still resident";
}

/** Adds the innermost function of the program on a stack. */
static void put_function(const struct pm_site *site, struct text *text)
{
	struct text line = { 0 };

	frames_line(&site->stack, false, &line);
	const char *all = text_terminate(&line), *end = strstr(all, " < ");
	text_bytes(text, all, end ? (size_t)(end - all) : strlen(all));
	text_deinit(&line);
}

void why_html_stacks_put_first(const struct pm_site_list *sites, struct text *text)
{
	struct text first = { 0 };
	uint64_t total = 0, bytes = 0;

	for (size_t i = 0; i < sites->count; i++) {
		const struct pm_site *site = &sites->sites[i];
		struct text function = { 0 };

		if (site->before || site->resident == 0)
			continue;
		total += site->resident;
		put_function(site, &function);
		/* The sites are sorted: the first one has most. */
		if (first.length == 0)
			put_function(site, &first);
		if (strcmp(text_terminate(&function), text_terminate(&first)) == 0)
			bytes += site->resident;
		text_deinit(&function);
	}

	if (first.length > 0 && bytes >= total / 2) {
		text_size(text, bytes);
		text_string(text, " of ");
		text_size(text, total);
		text_string(text, " that were mapped during the trace are of ");
		text_string(text, text_terminate(&first));
	}
	text_deinit(&first);
}
