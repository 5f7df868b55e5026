/* SPDX-License-Identifier: MIT */
/*
 * Each call of PCRE2 searches for a match that starts in a range of offsets. If the filter is used,
 * PCRE2 is called only for the offsets at which a match can start that contains a place of the
 * filter. If an attempt reaches a limit of PCRE2, its offset is skipped and counted.
 */
#include "scan/pattern_matcher.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"

enum {
	MATCH_LIMIT = 1000000, /* maximum number of steps of one attempt; they take about 2 ms */
	HEAP_LIMIT = 4096,     /* maximum memory of one attempt without JIT, in KiB */
	SKIP_PATIENCE = 4,     /* number of attempts that reach a limit before `skip` is doubled */
	SKIP_MAX = 4096,       /* maximum number of bytes to skip after an attempt that reached a
	                          limit */
	CHUNK_START = 4096, /* value of `chunk` for the first call in a window, unless it is less */
	CHUNK_MIN = 16,     /* minimum of `chunk` */
	CHUNK_MAX = 65536,  /* maximum of `chunk` */
	SLOW_NS = 20000000, /* `chunk` is reduced if a call takes longer than this */
	FAST_NS = 2000000,  /* `chunk` is increased if a call takes less than this */
	FOLLOW_BYTES_MAX = 3, /* maximum number of bytes of a UTF-8 character after the first one */
};

/** Result of try_each() and search() in addition to the codes of PCRE2: pm_window.stop was set. */
enum { STOPPED = -10000 };

/**
 * Called by PCRE2 before each attempt to match a pattern with (*SKIP). If the offset is after the
 * last one to try, ends the search, and stores the offset.
 */
static int note_start(pcre2_callout_block *block, void *context)
{
	struct pm_matcher *matcher = context;
	size_t start = block->start_match - matcher->before;

	/* Callouts of the user have other positions in the pattern. */
	if (block->pattern_position != matcher->pattern->callout ||
	    block->start_match <= matcher->before + matcher->last)
		return 0;

	matcher->resume = start;
	return PCRE2_ERROR_CALLOUT;
}

/**
 * Tests whether the offsets to try may be divided among several calls of PCRE2. An anchored pattern
 * is tried at the first offset of each call. Without JIT code, each call checks that all bytes are
 * UTF-8.
 */
static bool can_be_divided(const struct pm_compiled_pattern *pattern)
{
	uint32_t options = 0;
	size_t jit = 0;

	pcre2_pattern_info(pattern->code, PCRE2_INFO_ALLOPTIONS, &options);
	pcre2_pattern_info(pattern->code, PCRE2_INFO_JITSIZE, &jit);
	return !(options & PCRE2_ANCHORED) && (!pattern->utf || jit > 0);
}

int pm_matcher_init(struct pm_matcher *matcher, const struct pm_compiled_pattern *pattern,
                    pcre2_jit_stack *stack, enum pm_simd simd, struct pm_error *error)
{
	*matcher = (struct pm_matcher){ .pattern = pattern, .skip = 1, .chunk = SIZE_MAX };
	/* One pair of offsets is enough: the offsets of groups are not needed. */
	matcher->match = pcre2_match_data_create(1, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	if (!matcher->match || !matcher->context) {
		pm_matcher_deinit(matcher);
		return pm_error_out_of_memory(error);
	}

	pcre2_set_match_limit(matcher->context, MATCH_LIMIT);
	pcre2_set_heap_limit(matcher->context, HEAP_LIMIT);
	if (stack)
		pcre2_jit_stack_assign(matcher->context, NULL, stack);
	if (pattern->callout)
		pcre2_set_callout(matcher->context, note_start, matcher);
	if (can_be_divided(pattern))
		matcher->chunk = CHUNK_START;
	pm_pattern_filter_init(&matcher->filter, &pattern->shape, simd);

	return 0;
}

void pm_matcher_deinit(struct pm_matcher *matcher)
{
	pcre2_match_data_free(matcher->match);
	pcre2_match_context_free(matcher->context);
	*matcher = (struct pm_matcher){ 0 };
}

/**
 * Returns the size in bytes of the UTF-8 character that starts with `byte`, which is 0xc0 or more.
 */
static size_t character_size(uint8_t byte)
{
	if (byte >= 0xf0)
		return 4;
	if (byte >= 0xe0)
		return 3;
	return 2;
}

/**
 * Returns the offset at which the whole UTF-8 characters before `end` end: the start of the last
 * character if `end` cuts it, otherwise `end`.
 */
static size_t whole_characters(const struct pm_window *window, size_t end)
{
	for (size_t back = 1; back <= FOLLOW_BYTES_MAX && back <= end; back++) {
		uint8_t byte = window->bytes[end - back];

		if (byte >= 0xc0 && back < character_size(byte))
			return end - back;
		if (byte >= 0xc0 || byte < 0x80)
			return end;
	}

	return end;
}

void pm_matcher_begin(struct pm_matcher *matcher, const struct pm_window *window, size_t cursor,
                      bool final, struct pm_scan_counts *counts)
{
	const struct pm_compiled_pattern *pattern = matcher->pattern;
	size_t reach = pattern->shape.reach, end = pm_window_end(window);
	bool more = window->more && !final;

	matcher->cursor = cursor;
	matcher->probe = 0;
	matcher->resume = 0;
	matcher->before = window->before;
	if (matcher->chunk != SIZE_MAX)
		matcher->chunk = pm_min_size(matcher->chunk, CHUNK_START);
	matcher->counts = counts;
	matcher->cut = window->more && final;
	matcher->options = PCRE2_NOTEMPTY;
	if (!window->begins)
		matcher->options |= PCRE2_NOTBOL;

	if (reach <= window->after)
		/* No match that starts in the window depends on bytes after this offset. */
		end = window->size + reach;
	else if (more) {
		matcher->options |= PCRE2_PARTIAL_HARD;
		if (pattern->utf)
			end = whole_characters(window, end);
	} else if (!window->ends)
		/* PCRE2_NOTEOL must not be set together with PCRE2_PARTIAL_HARD: `$` would then
		 * fail at the end of the bytes, and no partial match would be reported. */
		matcher->options |= PCRE2_NOTEOL;

	matcher->end = end;
	matcher->filtered = pattern->shape.required_count > 0 &&
	                    pm_pattern_filter_begin(&matcher->filter, window->bytes, window->size);
	matcher->state = PM_MATCH_FOUND;
}

/**
 * Calls PCRE2 to search for a match that starts in `[from, to]`. If there is none, sets `resume`.
 * @return the result of pcre2_match()
 */
static int try_range(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                     size_t to)
{
	/* PCRE2 must not start within a character, so go back to its first byte. If no
	 * first byte is found, the UTF-8 is invalid, and PCRE2 skips the bytes. */
	for (unsigned i = 0; matcher->pattern->utf && i < FOLLOW_BYTES_MAX &&
	                     from > matcher->cursor && (window->bytes[from] & 0xc0) == 0x80;
	     i++)
		from--;

	/* With (*SKIP), the callout ends the search. The offset limit would end it without a report
	 * of the next offset. */
	bool skips = matcher->pattern->callout > 0;
	matcher->last = to;
	pcre2_set_offset_limit(matcher->context, skips ? PCRE2_UNSET : window->before + to);

	int result = pcre2_match(matcher->pattern->code, window->bytes - window->before,
	                         window->before + matcher->end, window->before + from,
	                         matcher->options, matcher->match, matcher->context);
	if (skips && result == PCRE2_ERROR_CALLOUT)
		return PCRE2_ERROR_NOMATCH;

	/* If there was no callout after `to`, no match can start before `end`. */
	if (result == PCRE2_ERROR_NOMATCH)
		matcher->resume = skips ? pm_max_size(matcher->end, to + 1) : to + 1;
	return result;
}

static bool is_stopped(const struct pm_window *window)
{
	return window->stop && atomic_load_explicit(window->stop, memory_order_relaxed);
}

/**
 * Tests whether a result of try_range() means that an attempt reached a limit of PCRE2 or failed.
 */
static bool gave_up(int result)
{
	return result < 0 && result != PCRE2_ERROR_NOMATCH && result != PCRE2_ERROR_PARTIAL;
}

/** Counts offsets that were tried without reaching a limit. After enough of them, `skip` is 1. */
static void count_good(struct pm_matcher *matcher, size_t count)
{
	matcher->good += count;
	if (matcher->good > 2 * matcher->skip)
		matcher->skip = 1;
}

/**
 * Counts an attempt at the offset `at` that reached a limit. Skips `skip` more bytes, and doubles
 * `skip` after every SKIP_PATIENCE such attempts: otherwise hostile bytes could make the scan take
 * hours.
 * @param to  last offset to skip
 */
static void give_up(struct pm_matcher *matcher, size_t at, size_t to)
{
	size_t skip = pm_min_size(matcher->skip, to - at);

	matcher->counts->skipped += skip;
	if (++matcher->counts->gave_up % SKIP_PATIENCE == 0 && matcher->skip < SKIP_MAX)
		matcher->skip *= 2;
	matcher->resume = at + skip + 1;
	matcher->good = 0;
}

/**
 * Does the same as try_range() for the offsets `[from, last]`, but calls PCRE2 for one offset at a
 * time. Used after try_range() reached a limit, because PCRE2 does not report the offset.
 * @param to  last offset that may be skipped after an attempt that reaches a limit, at least `last`
 * @return    the result of pcre2_match(); PCRE2_ERROR_NOMATCH if there is no match; STOPPED
 */
static int try_each(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                    size_t last, size_t to)
{
	for (size_t at = from; at <= last; at = matcher->resume) {
		if (is_stopped(window))
			return STOPPED;

		int result = try_range(matcher, window, at, at);
		if (gave_up(result))
			give_up(matcher, at, to);
		else if (result != PCRE2_ERROR_NOMATCH)
			return result;
		else
			count_good(matcher, 1);
	}

	return PCRE2_ERROR_NOMATCH;
}

/**
 * Changes `chunk` after a call of PCRE2 that tried `chunk` offsets.
 * @param start  time of the start of the call in nanoseconds
 */
static void adapt_chunk(struct pm_matcher *matcher, uint64_t start)
{
	uint64_t duration = pm_clock_ns(CLOCK_MONOTONIC) - start;

	if (duration > SLOW_NS)
		matcher->chunk = pm_max_size(matcher->chunk / 8, CHUNK_MIN);
	else if (duration < FAST_NS)
		matcher->chunk = pm_min_size(matcher->chunk * 2, CHUNK_MAX);
}

/**
 * Does the same as try_range(), in several calls of PCRE2 if there are many offsets, and continues
 * after attempts that reach a limit.
 * @return the result of pcre2_match(), or STOPPED
 */
static int search(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                  size_t to)
{
	int result = PCRE2_ERROR_NOMATCH;

	for (size_t at = from; at <= to && result == PCRE2_ERROR_NOMATCH; at = matcher->resume) {
		bool divided = to - at >= matcher->chunk;
		size_t last = divided ? at + matcher->chunk - 1 : to;
		uint64_t start = divided ? pm_clock_ns(CLOCK_MONOTONIC) : 0;

		if (divided && is_stopped(window))
			return STOPPED;
		result = try_range(matcher, window, at, last);
		if (gave_up(result))
			result = try_each(matcher, window, at, last, to);
		else
			count_good(matcher, last - at + 1);
		if (divided)
			adapt_chunk(matcher, start);
	}

	return result;
}

/**
 * Stores a match in `found`, and moves `next` past it.
 * @param begin  offset in the window at which the attempt started
 * @param ends   offsets of the start and the end of the match in the searched bytes
 * @return       false if the match is empty: the cursor was moved
 */
static bool store_match(struct pm_matcher *matcher, const struct pm_window *window, size_t begin,
                        const PCRE2_SIZE *ends)
{
	size_t start = ends[0] - window->before, end = ends[1] - window->before;
	matcher->next = pm_max_size(end, begin + 1);

	/* \K in a look-ahead can put the start of a match after its end, and \K at the end of a
	 * pattern makes the match empty. Skip such a match. */
	if (ends[0] < window->before || ends[1] <= ends[0]) {
		matcher->cursor = matcher->next;
		return false;
	}

	matcher->found = (struct pm_found){ .start = start,
		                            .size = end - start,
		                            .attempt = begin,
		                            .source = matcher->pattern->number,
		                            .encoding = (uint8_t)matcher->pattern->encoding };
	matcher->found.truncated = matcher->cut && end == matcher->end;
	matcher->state = PM_MATCH_FOUND;

	return true;
}

/**
 * Searches for a match that starts in `[from, to]`, and stores the match in `found` or `partial`.
 * @return true: `state` was set; false: there is no match, or an empty one, after which the cursor
 *         was moved
 */
static bool attempt(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                    size_t to)
{
	int result = search(matcher, window, from, to);
	if (result == PCRE2_ERROR_NOMATCH)
		return false;

	if (result == STOPPED) {
		matcher->state = PM_MATCH_STOPPED;
		return true;
	}

	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(matcher->match);
	size_t begin = pcre2_get_startchar(matcher->match);
	if (begin < window->before || begin - window->before >= window->size) {
		matcher->state = PM_MATCH_NONE;
		return true;
	}

	begin -= window->before;
	if (result == PCRE2_ERROR_PARTIAL) {
		matcher->partial = begin;
		matcher->state = PM_MATCH_PARTIAL;
		return true;
	}

	return store_match(matcher, window, begin, ends);
}

static void next_plain(struct pm_matcher *matcher, const struct pm_window *window)
{
	size_t last = window->size - 1;
	while (matcher->cursor <= last) {
		size_t cursor = matcher->cursor;
		if (attempt(matcher, window, cursor, last))
			return;
		if (matcher->cursor == cursor)
			break;
	}

	matcher->resume = pm_max_size(matcher->resume, matcher->cursor);
	matcher->state = PM_MATCH_NONE;
}

/**
 * Returns the first offset at which a match can start that contains the required sequence at
 * `place`.
 */
static size_t first_begin(const struct pm_matcher *matcher, const struct pm_window *window,
                          size_t place)
{
	const struct pm_required *required = matcher->filter.required;
	size_t bound = place - pm_min_size(place, required->max_length);
	bound = pm_max_size(bound, matcher->cursor);

	size_t at = pm_max_size(place, bound);
	while (at > bound && pm_byte_set_has(&required->before, window->bytes[at - 1]))
		at--;
	return at;
}

/**
 * Tries all offsets at which a match can start that contains the required sequence at `place`.
 * @param last  last offset to try
 * @return      true: `state` was set; false: there is no match
 */
static bool try_place(struct pm_matcher *matcher, const struct pm_window *window, size_t place,
                      size_t last)
{
	while (matcher->cursor <= last) {
		size_t from = first_begin(matcher, window, place), cursor = matcher->cursor;
		last = pm_min_size(last, window->size - 1);
		if (from > last)
			return false;
		if (attempt(matcher, window, from, last))
			return true;
		/* attempt() moves the cursor only after an empty match. If the cursor did not move,
		 * all offsets up to `last` were tried. */
		if (matcher->cursor == cursor)
			matcher->cursor = last + 1;
	}

	return false;
}

static void next_filtered(struct pm_matcher *matcher, const struct pm_window *window)
{
	const struct pm_required *required = matcher->filter.required;
	const size_t length = pm_pattern_filter_length(&matcher->filter);

	while (matcher->cursor < window->size) {
		matcher->probe = pm_max_size(matcher->probe,
		                             matcher->cursor + required->min_length);

		size_t place = pm_pattern_filter_next(&matcher->filter, window->bytes,
		                                      matcher->probe, matcher->end);
		if (place == SIZE_MAX)
			break;

		matcher->probe = place;
		if (place - required->min_length >= window->size &&
		    first_begin(matcher, window, place) >= window->size)
			break;
		if (try_place(matcher, window, place, place - required->min_length))
			return;

		matcher->probe = place + 1;
		if (pm_pattern_filter_failed(&matcher->filter, place)) {
			matcher->filtered = false;
			next_plain(matcher, window);
			return;
		}
	}

	matcher->state = PM_MATCH_NONE;
	/* The required sequence of a match may be in bytes that have not been read. Try the offsets
	 * at which such a match can start, so that PCRE2 reports a partial match. */
	size_t unseen = 0;
	if (matcher->end >= length)
		unseen = matcher->end - length + 1;

	if ((matcher->options & PCRE2_PARTIAL_HARD) && matcher->cursor < window->size)
		try_place(matcher, window, unseen, window->size - 1);
}

void pm_matcher_next(struct pm_matcher *matcher, const struct pm_window *window)
{
	if (matcher->filtered)
		next_filtered(matcher, window);
	else
		next_plain(matcher, window);

	/* If the last character in the window is incomplete, its bytes were not passed to PCRE2.
	 * Treat this character as the start of a partial match. */
	size_t unseen = pm_max_size(matcher->end, matcher->cursor);
	if (matcher->state == PM_MATCH_NONE && (matcher->options & PCRE2_PARTIAL_HARD) &&
	    unseen < window->size) {
		matcher->partial = unseen;
		matcher->state = PM_MATCH_PARTIAL;
	}
}

bool pm_matcher_fits(struct pm_matcher *matcher, const struct pm_window *window, size_t at)
{
	if (at >= matcher->end)
		return false;
	int result = try_range(matcher, window, at, at);
	return result >= 0 || result == PCRE2_ERROR_PARTIAL;
}

void pm_matcher_advance(struct pm_matcher *matcher, size_t cursor)
{
	matcher->cursor = pm_max_size(matcher->cursor, cursor);
}
