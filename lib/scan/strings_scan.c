/* SPDX-License-Identifier: MIT */
/*
 * Computes the classes of the bytes of a window (byte_classes.h), one chunk after the other. Each
 * encoding has a lane (text_lane.h), which finds runs of characters in the masks of the classes. If
 * a run reaches the end of the window, the window has to grow, and the run remains open until then.
 */
#include "scan/strings_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"
#include "scan/scanner.h"
#include "scan/text_lane.h"

enum {
	CHUNK = PM_BLOCKS * PM_BLOCK,
	LONGEST_CHARACTER = 4,
	LONG = 2 * PM_BLOCK,
	NEUTRAL = 1, /* a byte that is not part of a character in any encoding */
};

struct strings_scanner {
	struct pm_scanner scanner;
	pm_classify *classify;
	bool white_space, aligned;
	enum pm_utf8_wish utf8;
	size_t lane_count;
	struct pm_text_lane lanes[PM_ENCODING_COUNT]; /* state of the lanes before a window */
};

struct strings_thread {
	const struct strings_scanner *search;
	struct pm_text_lane lanes[PM_ENCODING_COUNT];
	struct pm_byte_classes classes;
	uint8_t tail[CHUNK + PM_BLOCK]; /* copy of the last bytes of a window, followed by
	                                   NEUTRAL bytes */
	/* The following fields are valid only while a window is scanned. */
	const struct pm_window *window;
	struct pm_hits *hits;
	struct pm_error *error;
};

/** Tests whether a text of valid UTF-8 has at least `min` characters. */
static bool has_characters(const uint8_t *bytes, size_t size, size_t min)
{
	if (size / LONGEST_CHARACTER >= min)
		return true;

	size_t count = 0;
	for (size_t i = 0; i < size; i++)
		count += (bytes[i] & 0xc0) != 0x80;

	return count >= min;
}

static int add_run(void *context, const struct pm_text_lane *lane, size_t start, size_t end)
{
	struct strings_thread *thread = context;
	const struct pm_window *window = thread->window;
	if (start >= window->size)
		return 0;
	if (lane->encoding == PM_ENCODING_UTF8 &&
	    !has_characters(window->bytes + start, end - start, lane->min_length))
		return 0;

	struct pm_found found = { .start = start, .size = end - start, .attempt = start };
	found.encoding = found.stream = (uint8_t)lane->encoding;
	found.truncated = window->more && end + LONGEST_CHARACTER > pm_window_end(window);

	return pm_hits_add(thread->hits, &found, thread->error);
}

/**
 * Computes the classes of the bytes of the chunk at offset `at`, and of the block after the chunk.
 * Bytes after the readable bytes of the window are replaced by NEUTRAL.
 * @return the number of blocks in the chunk
 */
static size_t classify(struct strings_thread *thread, size_t at)
{
	const struct strings_scanner *search = thread->search;
	size_t left = pm_window_end(thread->window) - at;
	size_t blocks = pm_min_size((left + PM_BLOCK - 1) / PM_BLOCK, PM_BLOCKS);
	const uint8_t *bytes = thread->window->bytes + at;
	enum pm_utf8_wish utf8 = search->utf8;

	if (left < CHUNK + PM_BLOCK) {
		memcpy(thread->tail, bytes, left);
		memset(thread->tail + left, NEUTRAL, sizeof thread->tail - left);
		bytes = thread->tail;
		/* A text at the end of the window may continue after it, and be long although it
		 * does not fill a block in this chunk. */
		if (utf8 == PM_UTF8_LONG)
			utf8 = PM_UTF8_ALL;
	}

	search->classify(bytes, blocks + 1, search->white_space, utf8, &thread->classes);

	return blocks;
}

/** Returns the lowest pm_text_lane.from of all lanes: the first offset that has to be searched. */
static size_t first_from(const struct strings_thread *thread)
{
	size_t first = SIZE_MAX;
	for (size_t i = 0; i < thread->search->lane_count; i++)
		first = pm_min_size(first, thread->lanes[i].from);
	return first;
}

/**
 * Returns the offset of the first open run that starts before the end of the window, or PM_NO_RUN
 * if there is none.
 */
static size_t first_open(const struct strings_thread *thread)
{
	size_t first = PM_NO_RUN;
	for (size_t i = 0; i < thread->search->lane_count; i++) {
		size_t open = thread->lanes[i].open;
		if (open < thread->window->size && open < first)
			first = open;
	}
	return first;
}

/**
 * Returns pm_text_lane.begins: the offsets in a block at which characters of an encoding may start,
 * as a bit mask.
 */
static uint64_t allowed_begins(const struct strings_thread *thread, enum pm_encoding encoding)
{
	static const uint64_t multiples[] = { [1] = ~UINT64_C(0),
		                              [2] = UINT64_C(0x5555555555555555),
		                              [4] = UINT64_C(0x1111111111111111) };
	size_t unit = pm_encoding_unit(encoding);

	if (!thread->search->aligned)
		return multiples[1];
	return multiples[unit] << (-thread->window->address & (unit - 1));
}

static void start_lanes(struct strings_thread *thread)
{
	memcpy(thread->lanes, thread->search->lanes, sizeof thread->lanes);
	for (size_t i = 0; i < thread->search->lane_count; i++) {
		thread->lanes[i].from = thread->window->from[thread->lanes[i].encoding];
		thread->lanes[i].begins = allowed_begins(thread, thread->lanes[i].encoding);
	}
}

/**
 * Prepares the lanes to scan the open runs again, from their start, after a call of
 * pm_window_grow(). Each lane has an open run, because scan_bytes() assumes that the last bytes of
 * a window belong to characters.
 * @param base  offset in the old window at which the new window starts; 0 if the window did not
 *              grow
 */
static void resume_lanes(struct strings_thread *thread, size_t base)
{
	for (size_t i = 0; i < thread->search->lane_count; i++) {
		struct pm_text_lane *lane = &thread->lanes[i];
		lane->from = lane->open - base;
		lane->open = PM_NO_RUN;
		lane->spilled = 0;
		lane->begins = allowed_begins(thread, lane->encoding);
	}
}

/**
 * Scans the bytes of the window. Scans the bytes after the window only as long as a run that starts
 * in the window is open.
 * @param final  true: the window cannot grow; false: runs that reach its end remain open
 * @return       0: done; 1: stopped by pm_hits.consume; -1: an error
 */
static int scan_bytes(struct strings_thread *thread, const struct pm_window *window, bool final)
{
	size_t end = pm_window_end(window), lanes = thread->search->lane_count;
	/* Runs that reach this offset may continue after the readable bytes, so they remain open.
	 */
	size_t decided = SIZE_MAX;
	if (!final)
		decided = end - pm_min_size(end, LONGEST_CHARACTER - 1);

	for (size_t at = first_from(thread) & ~(size_t)(PM_BLOCK - 1);
	     at < end && (at < window->size || first_open(thread) != PM_NO_RUN); at += CHUNK) {
		const struct pm_text_chunk chunk = { &thread->classes, at, classify(thread, at),
			                             decided };
		for (size_t i = 0; i < lanes; i++) {
			if (pm_text_lane_runs(&thread->lanes[i], &chunk, add_run, thread) < 0)
				return -1;
		}

		if (thread->hits->count < PM_HITS_MAX)
			continue;
		int result = pm_hits_flush(thread->hits, window, thread->error);
		if (result)
			return result;
	}

	return 0;
}

/**
 * Adds the open runs as hits if they are long enough.
 * @param end  offset at which the open runs end
 */
static int close_lanes(struct strings_thread *thread, size_t end)
{
	for (size_t i = 0; i < thread->search->lane_count; i++) {
		struct pm_text_lane *lane = &thread->lanes[i];
		if (lane->open != PM_NO_RUN && end - lane->open >= lane->min_length &&
		    add_run(thread, lane, lane->open, end) < 0)
			return -1;
	}
	return 0;
}

static int scan(void *context, struct pm_window *window, struct pm_hits *hits,
                struct pm_scan_counts *counts, struct pm_error *error)
{
	struct strings_thread *thread = context;
	bool final = !window->more;

	(void)counts;
	thread->window = window;
	thread->hits = hits;
	thread->error = error;
	start_lanes(thread);

	for (;;) {
		int result = scan_bytes(thread, window, final);
		if (result)
			return result;

		size_t open = first_open(thread);
		if (open == PM_NO_RUN || final)
			break;

		result = pm_hits_flush(hits, window, error);
		if (result)
			return result;

		int grown = pm_window_grow(window, open, error);
		if (grown < 0)
			return -1;

		/* If the window cannot grow again, the open runs end at its end. */
		final = !grown || !window->more;
		resume_lanes(thread, grown ? open : 0);
	}

	if (close_lanes(thread, pm_window_end(window)) < 0)
		return -1;

	return pm_hits_flush(hits, window, error);
}

static void *open_thread(const struct pm_scanner *scanner, struct pm_error *error)
{
	struct strings_thread *thread = malloc(sizeof *thread);
	if (!thread) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	thread->search = (const struct strings_scanner *)scanner;
	return thread;
}

static void destroy(struct pm_scanner *scanner)
{
	free(scanner);
}

static const struct pm_scanner_ops strings_ops = {
	.open = open_thread, .close = free, .scan = scan, .destroy = destroy
};

/**
 * Computes the minimum size in bytes of a string in an encoding.
 * @return 0 or -1
 */
static int min_bytes(const struct pm_strings_options *options, enum pm_encoding encoding,
                     size_t *bytes, struct pm_error *error)
{
	size_t unit = pm_encoding_unit(encoding), characters = options->min_length;

	if (characters == 0)
		characters = unit == 2 ? 6 : 4;
	if (__builtin_mul_overflow(characters, unit, bytes))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the minimum length of %zu characters is too large",
		                    characters);
	return 0;
}

/** Adds a lane for each encoding of a set of PM_ENCODING_BIT(). */
static int add_lanes(struct strings_scanner *scanner, const struct pm_strings_options *options,
                     unsigned encodings, struct pm_error *error)
{
	for (unsigned i = 0; i < PM_ENCODING_COUNT; i++) {
		if (!(encodings & PM_ENCODING_BIT(i)))
			continue;

		struct pm_text_lane *lane = &scanner->lanes[scanner->lane_count++];
		*lane = (struct pm_text_lane){ .encoding = i,
			                       .begins = ~UINT64_C(0),
			                       .open = PM_NO_RUN };
		if (min_bytes(options, lane->encoding, &lane->min_length, error) < 0)
			return -1;
		if (lane->encoding == PM_ENCODING_UTF8)
			scanner->utf8 = lane->min_length >= LONG ? PM_UTF8_LONG : PM_UTF8_ALL;
	}

	return 0;
}

int pm_strings_scanner_create_with(const struct pm_strings_options *options, enum pm_simd simd,
                                   struct pm_scanner **scanner, struct pm_error *error)
{
	static const struct pm_strings_options defaults = { 0 };
	if (!options)
		options = &defaults;

	unsigned encodings = options->encodings;
	if (encodings == 0)
		encodings = PM_ENCODING_BIT(PM_ENCODING_UTF8);
	if (encodings >= PM_ENCODING_BIT(PM_ENCODING_COUNT))
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"pm_strings_options.encodings (%#x) has a bit that no encoding uses",
			encodings);

	struct strings_scanner *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	*made = (struct strings_scanner){ .scanner.ops = &strings_ops,
		                          .classify = pm_classify_for(simd),
		                          .white_space = options->white_space,
		                          .aligned = options->aligned };

	unsigned big = PM_ENCODING_BIT(PM_ENCODING_UTF16BE) | PM_ENCODING_BIT(PM_ENCODING_UTF32BE);
	made->scanner.starts_in_zeros = encodings & big;
	if (add_lanes(made, options, encodings, error) < 0) {
		free(made);
		return -1;
	}

	*scanner = &made->scanner;
	return 0;
}

int pm_strings_scanner_create(const struct pm_strings_options *options, struct pm_scanner **scanner,
                              struct pm_error *error)
{
	return pm_strings_scanner_create_with(options, pm_simd_best(), scanner, error);
}

const char *pm_encoding_name(enum pm_encoding encoding)
{
	static const char *const names[PM_ENCODING_COUNT] = {
		[PM_ENCODING_ASCII] = "ascii",      [PM_ENCODING_UTF8] = "utf-8",
		[PM_ENCODING_8BIT] = "8-bit",       [PM_ENCODING_UTF16LE] = "utf-16le",
		[PM_ENCODING_UTF16BE] = "utf-16be", [PM_ENCODING_UTF32LE] = "utf-32le",
		[PM_ENCODING_UTF32BE] = "utf-32be",
	};

	return names[encoding];
}

size_t pm_encoding_unit(enum pm_encoding encoding)
{
	switch (encoding) {
	case PM_ENCODING_UTF16LE:
	case PM_ENCODING_UTF16BE:
		return 2;
	case PM_ENCODING_UTF32LE:
	case PM_ENCODING_UTF32BE:
		return 4;
	default:
		return 1;
	}
}

size_t pm_string_text(enum pm_encoding encoding, const uint8_t *bytes, size_t size, char *text)
{
	size_t unit = pm_encoding_unit(encoding), count = size / unit, place = 0;

	if (encoding == PM_ENCODING_UTF16BE || encoding == PM_ENCODING_UTF32BE)
		place = unit - 1;

	if (unit == 1) {
		memcpy(text, bytes, size);
		return size;
	}

	for (size_t i = 0; i < count; i++)
		text[i] = (char)bytes[i * unit + place];

	return count;
}
