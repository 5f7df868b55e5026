/* SPDX-License-Identifier: MIT */
/*
 * Each pattern has a matcher, which finds the next match of this pattern. The match that starts
 * first becomes the next hit, and all matchers continue after its end. If a partial match starts
 * first, the window has to grow.
 */
#include "scan/pattern_scan.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"
#include "scan/pattern_compile.h"

enum {
	STACK_START = 32 * 1024, /* initial stack of JIT code, in bytes */
	STACK_MAX = 1024 * 1024, /* maximum stack of JIT code, in bytes; only some patterns need
	                            so much */
	UTF8_LONGEST = 4,        /* maximum number of bytes of a character; PCRE2 counts
	                            look-behinds in characters */
};

/** Result of scan_bytes() in addition to the results of pm_scanner_ops.scan (0, 1 and -1). */
enum { SCAN_PARTIAL = 2 };

struct pattern_scanner {
	struct pm_scanner scanner;
	enum pm_simd simd;
	struct pm_compiled_patterns patterns;
};

struct pattern_thread {
	const struct pattern_scanner *search;
	pcre2_jit_stack *stack;
	struct pm_matcher *matchers; /* array with one matcher for each pattern */
};

/** Sets `start` of all matchers for a window that was not searched yet. */
static void set_starts(struct pattern_thread *thread, const struct pm_window *window)
{
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		struct pm_matcher *matcher = &thread->matchers[i];
		matcher->start = pm_max_size(window->from[0],
		                             window->from[matcher->pattern->stream]);
	}
}

static void begin_window(struct pattern_thread *thread, const struct pm_window *window, bool final,
                         struct pm_scan_counts *counts)
{
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		struct pm_matcher *matcher = &thread->matchers[i];
		pm_matcher_begin(matcher, window, matcher->start, final, counts);
		pm_matcher_next(matcher, window);
	}
}

/**
 * Returns the offset at which the match or partial match of a matcher starts. Returns 0 if the
 * matcher was stopped, and SIZE_MAX if there are no more matches.
 */
static size_t begin_of(const struct pm_matcher *matcher)
{
	switch (matcher->state) {
	case PM_MATCH_FOUND:
		return matcher->found.attempt;
	case PM_MATCH_PARTIAL:
		return matcher->partial;
	case PM_MATCH_STOPPED:
		return 0;
	default:
		return SIZE_MAX;
	}
}

/**
 * Returns the matcher whose match or partial match starts first, or a matcher that was stopped.
 * Returns NULL if no matcher has more matches.
 */
static struct pm_matcher *first_of(const struct pattern_thread *thread)
{
	struct pm_matcher *first = NULL;
	size_t begin = SIZE_MAX;
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		size_t own = begin_of(&thread->matchers[i]);
		if (own < begin) {
			begin = own;
			first = &thread->matchers[i];
		}
	}

	return first;
}

/**
 * Tests whether a match in UTF-16 at an odd address is really text in the other byte order that
 * starts one byte later. This happens if a zero byte precedes the text. Text in UTF-16 is nearly
 * always at even addresses.
 */
static bool is_misread(const struct pattern_thread *thread, const struct pm_window *window,
                       const struct pm_matcher *matcher)
{
	bool wide = pm_encoding_unit(matcher->pattern->encoding) == 2;
	if (!wide || matcher->state != PM_MATCH_FOUND ||
	    (window->address + matcher->found.start) % 2 == 0)
		return false;

	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		struct pm_matcher *other = &thread->matchers[i];
		if (other != matcher && other->pattern->number == matcher->pattern->number &&
		    pm_encoding_unit(other->pattern->encoding) == 2)
			return pm_matcher_fits(other, window, matcher->found.start + 1);
	}

	return false;
}

/** Returns the same as first_of(), after skipping matches for which is_misread() is true. */
static struct pm_matcher *choose(const struct pattern_thread *thread,
                                 const struct pm_window *window)
{
	struct pm_matcher *first;
	while ((first = first_of(thread)) && is_misread(thread, window, first)) {
		first->cursor = first->found.attempt + 1;
		pm_matcher_next(first, window);
	}
	return first;
}

/**
 * Makes all matchers continue at the offset `cursor`. Matches that start before this offset are
 * replaced by the next ones.
 */
static void advance(struct pattern_thread *thread, const struct pm_window *window, size_t cursor)
{
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		struct pm_matcher *matcher = &thread->matchers[i];
		pm_matcher_advance(matcher, cursor);
		if (begin_of(matcher) < cursor)
			pm_matcher_next(matcher, window);
	}
}

/**
 * Adds the matches in the window, up to the first partial match.
 * @return 0: all matches were added; 1: stopped; SCAN_PARTIAL: `partial` received the offset of a
 *         partial match; -1: an error
 */
static int scan_bytes(struct pattern_thread *thread, const struct pm_window *window,
                      struct pm_hits *hits, size_t *partial, struct pm_error *error)
{
	struct pm_matcher *matcher;
	while ((matcher = choose(thread, window))) {
		if (matcher->state == PM_MATCH_STOPPED)
			return 1;
		if (matcher->state == PM_MATCH_PARTIAL) {
			*partial = matcher->partial;
			return SCAN_PARTIAL;
		}

		int result = pm_hits_add(hits, &matcher->found, error);
		if (result == 0 && hits->count >= PM_HITS_MAX)
			result = pm_hits_flush(hits, window, error);
		if (result)
			return result;
		advance(thread, window, matcher->next);
	}

	return 0;
}

/**
 * Sets `start` of all matchers after a search that ended at a partial match.
 *
 * @param partial  offset of the partial match
 * @param base     offset in the old window that is offset 0 of the new window, at most `partial`
 */
static void move_starts(struct pattern_thread *thread, size_t partial, size_t base)
{
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		struct pm_matcher *matcher = &thread->matchers[i];
		size_t start = partial;

		/* A search from `partial` would try offsets that (*SKIP) has passed over. */
		if (matcher->pattern->callout && matcher->state == PM_MATCH_NONE)
			start = matcher->resume;
		else if (matcher->pattern->callout)
			start = begin_of(matcher);
		matcher->start = start - base;
	}
}

/** Sets `resume` of a window that was searched to its end. */
static void set_resume(const struct pattern_thread *thread, struct pm_window *window)
{
	for (size_t i = 0; i < thread->search->patterns.count; i++) {
		const struct pm_matcher *matcher = &thread->matchers[i];
		if (matcher->pattern->callout)
			window->resume[matcher->pattern->stream] = matcher->resume;
	}
}

static int scan(void *context, struct pm_window *window, struct pm_hits *hits,
                struct pm_scan_counts *counts, struct pm_error *error)
{
	struct pattern_thread *thread = context;
	bool final = !window->more;
	size_t partial = 0;

	set_starts(thread, window);
	for (;;) {
		begin_window(thread, window, final, counts);
		int result = scan_bytes(thread, window, hits, &partial, error);
		if (result < 0)
			return -1;

		int flushed = pm_hits_flush(hits, window, error);
		if (flushed)
			return flushed;
		if (result == 0)
			set_resume(thread, window);
		if (result != SCAN_PARTIAL)
			return result;

		int grown = pm_window_grow(window, partial, error);
		if (grown < 0)
			return -1;

		final = !grown || !window->more;
		move_starts(thread, partial, grown ? partial : 0);
	}
}

static void close_thread(void *context)
{
	struct pattern_thread *thread = context;
	if (!thread)
		return;

	for (size_t i = 0; thread->matchers && i < thread->search->patterns.count; i++)
		pm_matcher_deinit(&thread->matchers[i]);

	free(thread->matchers);
	pcre2_jit_stack_free(thread->stack);
	free(thread);
}

static void *open_thread(const struct pm_scanner *scanner, struct pm_error *error)
{
	const struct pattern_scanner *search = (const struct pattern_scanner *)scanner;
	struct pattern_thread *thread = calloc(1, sizeof *thread);
	if (!thread) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	thread->search = search;
	thread->stack = pcre2_jit_stack_create(STACK_START, STACK_MAX, NULL);
	thread->matchers = calloc(search->patterns.count, sizeof *thread->matchers);

	bool ready = thread->matchers != NULL;
	for (size_t i = 0; ready && i < search->patterns.count; i++)
		ready = pm_matcher_init(&thread->matchers[i], &search->patterns.items[i],
		                        thread->stack, search->simd, error) == 0;

	if (ready)
		return thread;

	close_thread(thread);
	pm_error_out_of_memory(error);

	return NULL;
}

static void destroy(struct pm_scanner *scanner)
{
	struct pattern_scanner *search = (struct pattern_scanner *)scanner;
	pm_compiled_patterns_deinit(&search->patterns);
	free(search);
}

static const struct pm_scanner_ops pattern_ops = {
	.open = open_thread, .close = close_thread, .scan = scan, .destroy = destroy
};

/** Sets `lookbehind` and `starts_in_zeros` of the scanner so that they suffice for all patterns. */
static void sum_up(struct pattern_scanner *made)
{
	/* At least one byte before the window is needed: without it, \A and similar assertions
	 * would match at the start of each window. */
	made->scanner.lookbehind = 1;

	for (size_t i = 0; i < made->patterns.count; i++) {
		const struct pm_compiled_pattern *pattern = &made->patterns.items[i];
		uint32_t characters = 0;
		pcre2_pattern_info(pattern->code, PCRE2_INFO_MAXLOOKBEHIND, &characters);

		size_t bytes = characters;
		if (pattern->utf)
			bytes *= UTF8_LONGEST;
		made->scanner.lookbehind = pm_max_size(made->scanner.lookbehind, bytes);
		made->scanner.starts_in_zeros |= pattern->shape.starts_in_zeros;
	}
}

/**
 * Assigns streams to the patterns with (*SKIP).
 * @return 0; -1 if there are too many
 */
static int assign_streams(struct pattern_scanner *made, struct pm_error *error)
{
	uint8_t last = 0;

	for (size_t i = 0; i < made->patterns.count; i++) {
		struct pm_compiled_pattern *pattern = &made->patterns.items[i];
		if (!pattern->callout)
			continue;
		if (last == PM_STREAMS - 1)
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "at most %d patterns may contain (*SKIP)",
			                    PM_STREAMS - 1);
		pattern->stream = ++last;
	}

	if (last > 0)
		made->scanner.carries = (uint8_t)(last + 1);
	return 0;
}

int pm_pattern_scanner_create_with(const struct pm_pattern *patterns, size_t count,
                                   enum pm_simd simd, struct pm_scanner **scanner,
                                   struct pm_error *error)
{
	struct pattern_scanner *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	*made = (struct pattern_scanner){ .scanner.ops = &pattern_ops, .simd = simd };
	int result = 0;
	if (count == 0)
		result = pm_error_set(error, PM_ERROR_USAGE, 0, "no pattern was given");

	for (size_t i = 0; i < count && result == 0; i++) {
		result = pm_pattern_compile(&made->patterns, &patterns[i], (uint32_t)i, error);
		if (result < 0 && count > 1)
			pm_error_prefix(error, "pattern %zu: ", i + 1);
	}

	if (result == 0)
		result = assign_streams(made, error);
	if (result == 0) {
		sum_up(made);
		if (made->scanner.lookbehind > PM_LOOKBEHIND_MAX)
			result = pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"the pattern looks back by %zu bytes; the maximum is %d",
				made->scanner.lookbehind, PM_LOOKBEHIND_MAX);
	}

	if (result < 0) {
		destroy(&made->scanner);
		return -1;
	}

	*scanner = &made->scanner;
	return 0;
}

int pm_pattern_scanner_create(const struct pm_pattern *patterns, size_t count,
                              struct pm_scanner **scanner, struct pm_error *error)
{
	return pm_pattern_scanner_create_with(patterns, count, pm_simd_best(), scanner, error);
}
