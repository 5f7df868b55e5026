/* SPDX-License-Identifier: MIT */
#include "scan/pattern_matcher.h"

#include "base/array.h"

enum {
	MATCH_LIMIT = 1000000, /* steps of one attempt: about 2 ms */
	HEAP_LIMIT = 4096,     /* KiB, where there is no JIT */
	SKIP_PATIENCE = 4,     /* attempts that give up before more is skipped */
	SKIP_MAX = 4096,      /* bytes that are skipped at the most after an attempt that gave up */
	FOLLOW_BYTES_MAX = 3, /* of a character of UTF-8 */
};

/** What an attempt came to, besides the codes of PCRE2. */
enum { STOPPED = -10000 };

int pm_matcher_init(struct pm_matcher *matcher, const struct pm_compiled_pattern *pattern,
                    pcre2_jit_stack *stack, enum pm_simd simd, struct pm_error *error)
{
	*matcher = (struct pm_matcher){ .pattern = pattern, .skip = 1 };
	/* Only the whole match is asked for, not the groups. */
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
	pm_pattern_filter_init(&matcher->filter, &pattern->shape, simd);

	return 0;
}

void pm_matcher_deinit(struct pm_matcher *matcher)
{
	pcre2_match_data_free(matcher->match);
	pcre2_match_context_free(matcher->context);
	*matcher = (struct pm_matcher){ 0 };
}

/** The end of the bytes without a character of UTF-8 that is cut in two. */
static size_t whole_characters(const struct pm_window *window, size_t end)
{
	for (size_t back = 1; back <= FOLLOW_BYTES_MAX && back <= end; back++) {
		uint8_t byte = window->bytes[end - back];
		if (byte >= 0xc0)
			return back < (byte >= 0xf0   ? 4u
			               : byte >= 0xe0 ? 3u
			                              : 2u)
			               ? end - back
			               : end;
		if (byte < 0x80)
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
	matcher->counts = counts;
	matcher->cut = window->more && final;
	matcher->options = PCRE2_NOTEMPTY | (window->begins ? 0 : PCRE2_NOTBOL);

	if (reach <= window->after)
		/* No match that begins in the window can see the end of these bytes. */
		end = window->size + reach;
	else if (more) {
		matcher->options |= PCRE2_PARTIAL_HARD;
		end = pattern->utf ? whole_characters(window, end) : end;
	} else if (!window->ends)
		/* Not together with partial matches: `$` would fail at the end instead of asking
		 * for more. */
		matcher->options |= PCRE2_NOTEOL;

	matcher->end = end;
	matcher->filtered = pattern->shape.required_count > 0 &&
	                    pm_pattern_filter_begin(&matcher->filter, window->bytes, window->size);
	matcher->state = PM_MATCH_FOUND;
}

/**
 * Lets PCRE2 look for a match that begins in `[from, to]`.
 * @return its result
 */
static int try_range(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                     size_t to)
{
	/* Not to begin within a character. What only looks like the rest of one is passed over by
	 * PCRE2 itself. */
	for (unsigned i = 0; matcher->pattern->utf && i < FOLLOW_BYTES_MAX &&
	                     from > matcher->cursor && (window->bytes[from] & 0xc0) == 0x80;
	     i++)
		from--;

	pcre2_set_offset_limit(matcher->context, window->before + to);
	return pcre2_match(matcher->pattern->code, window->bytes - window->before,
	                   window->before + matcher->end, window->before + from, matcher->options,
	                   matcher->match, matcher->context);
}

/** Whether an attempt reached its limits, or met what it cannot go on from: it is passed over. */
static bool gave_up(int result)
{
	return result < 0 && result != PCRE2_ERROR_NOMATCH && result != PCRE2_ERROR_PARTIAL;
}

/**
 * The same as try_range(), one begin at a time: a limit was reached at one of them, and PCRE2 does
 * not say at which. Bytes are skipped behind each of those, ever more while they follow each other:
 * else hostile bytes could make the scan last for hours.
 */
static int try_each(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                    size_t to)
{
	size_t good = 0;
	for (size_t at = from; at <= to; at++) {
		if (window->stop && atomic_load_explicit(window->stop, memory_order_relaxed))
			return STOPPED;

		int result = try_range(matcher, window, at, at);
		if (!gave_up(result)) {
			if (result != PCRE2_ERROR_NOMATCH)
				return result;
			if (++good > 2 * matcher->skip)
				matcher->skip = 1;
			continue;
		}

		size_t skip = matcher->skip < to - at ? matcher->skip : to - at;
		matcher->counts->skipped += skip;
		if (++matcher->counts->gave_up % SKIP_PATIENCE == 0 && matcher->skip < SKIP_MAX)
			matcher->skip *= 2;
		at += skip;
		good = 0;
	}

	return PCRE2_ERROR_NOMATCH;
}

/**
 * Looks for a match that begins in `[from, to]`, and notes it down.
 * @return whether `state` is decided
 */
static bool attempt(struct pm_matcher *matcher, const struct pm_window *window, size_t from,
                    size_t to)
{
	int result = try_range(matcher, window, from, to);
	if (gave_up(result))
		result = try_each(matcher, window, from, to);
	if (result == PCRE2_ERROR_NOMATCH)
		return false;

	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(matcher->match);
	size_t begin = result == STOPPED ? 0 : pcre2_get_startchar(matcher->match);
	if (result == STOPPED || begin < window->before || begin - window->before >= window->size) {
		matcher->state = result == STOPPED ? PM_MATCH_STOPPED : PM_MATCH_NONE;
		return true;
	}

	begin -= window->before;
	if (result == PCRE2_ERROR_PARTIAL) {
		matcher->partial = begin;
		matcher->state = PM_MATCH_PARTIAL;
		return true;
	}

	size_t start = ends[0] - window->before, end = ends[1] - window->before;
	matcher->next = end > begin ? end : begin + 1;

	/* \K in a look-ahead can put the begin behind the end, \K at the end makes a match empty.
	 */
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

	matcher->state = PM_MATCH_NONE;
}

/** First begin of a match that has the required sequence at a place. */
static size_t first_begin(const struct pm_matcher *matcher, const struct pm_window *window,
                          size_t place)
{
	const struct pm_required *required = matcher->filter.required;
	size_t bound = required->max_length < place ? place - required->max_length : 0;
	bound = bound > matcher->cursor ? bound : matcher->cursor;

	size_t at = place > bound ? place : bound;
	while (at > bound && pm_byte_set_has(&required->before, window->bytes[at - 1]))
		at--;
	return at;
}

/**
 * Tries all begins of matches that have the required sequence at a place.
 * @return whether `state` is decided
 */
static bool try_place(struct pm_matcher *matcher, const struct pm_window *window, size_t place,
                      size_t last)
{
	while (matcher->cursor <= last) {
		size_t from = first_begin(matcher, window, place), cursor = matcher->cursor;
		last = last < window->size ? last : window->size - 1;
		if (from > last)
			return false;
		if (attempt(matcher, window, from, last))
			return true;
		/* Not moved by an empty match: all of them were tried. */
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
		size_t least = matcher->cursor + required->min_length;
		matcher->probe = matcher->probe > least ? matcher->probe : least;

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
	/* The sequence may stand behind these bytes: begins from which it could are tried, and lead
	 * to a partial match. */
	size_t unseen = matcher->end < length ? 0 : matcher->end - length + 1;

	if ((matcher->options & PCRE2_PARTIAL_HARD) && matcher->cursor < window->size)
		try_place(matcher, window, unseen, window->size - 1);
}

void pm_matcher_next(struct pm_matcher *matcher, const struct pm_window *window)
{
	if (matcher->filtered)
		next_filtered(matcher, window);
	else
		next_plain(matcher, window);

	/* The last character of the window may be cut in two: PCRE2 has not seen it. */
	size_t unseen = matcher->end > matcher->cursor ? matcher->end : matcher->cursor;
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
	matcher->cursor = cursor > matcher->cursor ? cursor : matcher->cursor;
}
