/* SPDX-License-Identifier: MIT */
/* Text in buffers: compared with a search that looks at one byte after the other, and with
 * strings(1) of binutils. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scan/strings_scan.h"
#include "support/slow_strings.h"
#include "support/target.h"
#include "support/windows.h"

/* --- bytes to search --- */

/**
 * Adds one stretch of bytes of some sort; what makes mistakes likely: text of all encodings, broken
 * at any place, and noise.
 */
static size_t add_stretch(uint8_t *bytes, size_t room, uint64_t *random)
{
	static const char *const pieces[] = {
		"\xc3\xa9",         "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\xa0\x80",
		"\xc2\x9b",         "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xc0\xaf",
		"\xf0\x80\x80\x80", "\xc2\xa0",     "\xef\xbf\xbd",     "\xed\x9f\xbf",
		"\xf5\x80\x80\x80"
	};
	size_t count = random_next(random) % 24, sort = random_next(random) % 9, filled = 0;

	for (size_t i = 0; i < count && filled + 4 <= room; i++) {
		uint64_t number = random_next(random);
		uint8_t letter = (uint8_t)(0x20 + number % 0x5f), *at = bytes + filled;
		switch (sort) {
		case 0: /* text */
			*at = letter, filled += 1;
			break;
		case 1: /* text of UTF-8, and what only looks so */
			if (number % 4 == 0) {
				const char *piece =
					pieces[number / 4 % (sizeof pieces / sizeof *pieces)];
				memcpy(at, piece, strlen(piece));
				filled += strlen(piece);
			} else
				*at = letter, filled += 1;
			break;
		case 2: /* UTF-16LE and, with what is before, UTF-16BE */
			at[0] = letter, at[1] = 0, filled += 2;
			break;
		case 3:
			at[0] = 0, at[1] = letter, filled += 2;
			break;
		case 4:
			at[0] = letter, at[1] = at[2] = at[3] = 0, filled += 4;
			break;
		case 5:
			at[3] = letter, at[0] = at[1] = at[2] = 0, filled += 4;
			break;
		case 6: /* zeros */
			*at = 0, filled += 1;
			break;
		case 7: /* white space and other controls */
			*at = (uint8_t)(number % 0x20), filled += 1;
			break;
		default: /* noise */
			*at = (uint8_t)number, filled += 1;
		}
	}

	return filled;
}

static void make_bytes(uint8_t *bytes, size_t size, uint64_t *random)
{
	size_t filled = 0;
	while (filled + 4 <= size)
		filled += add_stretch(bytes + filled, size - filled, random);
	memset(bytes + filled, 'z', size - filled);
}

/* --- tests --- */

static const struct cut whole = { 0 };

static struct pm_scanner *make_scanner(const struct pm_strings_options *options, enum pm_simd simd)
{
	struct pm_scanner *scanner;
	struct pm_error error = { 0 };
	if (pm_strings_scanner_create_with(options, simd, &scanner, &error) < 0)
		fail_msg("%s", error.text);
	return scanner;
}

/**
 * Any options over any bytes, in one piece and in windows of any size: the same as the slow search,
 * with all vector instructions that there are.
 */
static void random_bytes(void **state)
{
	(void)state;
	enum { MOST = 12000 };

	uint8_t *bytes = malloc(MOST);
	for (uint64_t turn = 0; turn < 4000; turn++) {
		uint64_t random = turn;
		char what[100];
		size_t size = 1 + random_next(&random) % (turn % 10 == 0 ? MOST : 600),
		       least = 1 + random_next(&random) % (turn % 5 == 0 ? 80 : 8);
		uint64_t address = 0x7000 + random_next(&random) % 8;
		struct pm_strings_options options = {
			.encodings = 1 + (unsigned)(random_next(&random) % 127),
			.min_length = least,
			.white_space = random_next(&random) % 2,
			.aligned = random_next(&random) % 2
		};

		struct cut cut = { 1 + random_next(&random) % 300, random_next(&random) % 20, 0 };

		make_bytes(bytes, size, &random);
		struct hit_list wanted = { 0 };
		slow_strings(&options, bytes, size, address, &wanted);

		for (enum pm_simd simd = PM_SIMD_PORTABLE; simd <= pm_simd_best(); simd++) {
			struct pm_scanner *scanner = make_scanner(&options, simd);
			struct hit_list found = { 0 }, in_windows = { 0 };
			scan_buffer(scanner, bytes, size, address, &whole, &found, NULL);
			sort_hits(&found);
			snprintf(what, sizeof what, "turn %d, level %d", (int)turn, simd);
			assert_same_hits(&wanted, &found, bytes, what);
			scan_buffer(scanner, bytes, size, address, &cut, &in_windows, NULL);
			snprintf(what, sizeof what, "turn %d, level %d, windows of %zu", (int)turn,
			         simd, cut.unit);

			sort_hits(&in_windows);
			assert_same_hits(&wanted, &in_windows, bytes, what);
			scanner->ops->destroy(scanner);
			hit_list_deinit(&found);
			hit_list_deinit(&in_windows);
		}

		hit_list_deinit(&wanted);
	}

	free(bytes);
}

/**
 * Text of many bytes a character, in stretches about so long, between single bytes that are none.
 */
static void make_long_text(uint8_t *bytes, size_t size, size_t length, uint64_t *random)
{
	static const char *const characters[] = { "a", "\xc3\xa9", "\xe2\x82\xac",
		                                  "\xf0\x9f\x98\x80" };
	size_t at = 0;
	while (at + 8 <= size) {
		size_t count = random_next(random) % 3 ? random_next(random) % 40
		                                       : length / 2 + random_next(random) % length;
		/* Mostly one letter: so that blocks of nothing but ASCII are there, too. */
		uint64_t often = random_next(random) % 4;
		for (; count > 0 && at + 5 <= size; count--) {
			const char *character =
				characters[random_next(random) % 4 ? often
			                                           : random_next(random) % 4];
			memcpy(bytes + at, character, strlen(character));
			at += strlen(character);
		}
		bytes[at++] = (uint8_t)"\0\x9f\xc3\xff\n"[random_next(random) % 5];
	}

	memset(bytes + at, 'z', size - at);
}

/** Long strings: bytes of UTF-8 are only looked at closely where these can be. */
static void long_text(void **state)
{
	enum { MOST = 20000 };
	uint8_t *bytes = malloc(MOST);
	size_t count = 0;
	(void)state;

	for (uint64_t turn = 0; turn < 600; turn++) {
		uint64_t random = turn * 17;
		char what[100];
		size_t size = 1000 + random_next(&random) % (MOST - 1000);
		unsigned second = turn % 3 ? 0 : PM_ENCODING_BIT(PM_ENCODING_8BIT);
		const struct pm_strings_options options = {
			.encodings = PM_ENCODING_BIT(PM_ENCODING_UTF8) | second,
			.min_length = 100 + random_next(&random) % 200
		};

		const struct cut cut = { 64 + random_next(&random) % 9000,
			                 random_next(&random) % 200, 0 };

		make_long_text(bytes, size, options.min_length, &random);
		struct hit_list wanted = { 0 };
		slow_strings(&options, bytes, size, 0x7000, &wanted);
		count += wanted.count;

		for (enum pm_simd simd = PM_SIMD_PORTABLE; simd <= pm_simd_best(); simd++) {
			struct pm_scanner *scanner = make_scanner(&options, simd);
			struct hit_list found = { 0 };
			scan_buffer(scanner, bytes, size, 0x7000, turn % 2 ? &cut : &whole, &found,
			            NULL);
			sort_hits(&found);
			snprintf(what, sizeof what, "turn %d, level %d", (int)turn, simd);
			assert_same_hits(&wanted, &found, bytes, what);
			scanner->ops->destroy(scanner);
			hit_list_deinit(&found);
		}

		hit_list_deinit(&wanted);
	}

	assert_true(count > 3000);
	free(bytes);
}

/** A string longer than a window may grow comes in pieces that follow each other. */
static void long_text_is_delivered_in_pieces(void **state)
{
	(void)state;
	enum { SIZE = 5000 };

	uint8_t bytes[SIZE];
	memset(bytes, 'x', sizeof bytes);
	bytes[10] = bytes[4990] = 0;

	const struct pm_strings_options options = { .min_length = 4 };
	const struct cut cut = { 512, 16, 600 };
	struct pm_scanner *scanner = make_scanner(&options, pm_simd_best());
	struct hit_list found = { 0 };

	scan_buffer(scanner, bytes, sizeof bytes, 0x1000, &cut, &found, NULL);
	assert_true(found.count > 3);
	assert_int_equal(found.items[0].start, 0);
	assert_int_equal(found.items[0].size, 10);

	size_t end = 11;
	for (size_t i = 1; i + 1 < found.count; i++) {
		assert_int_equal(found.items[i].start, end);
		end += found.items[i].size;
		assert_int_equal(found.items[i].truncated, end != 4990);
	}

	assert_int_equal(end, 4990);
	assert_int_equal(found.items[found.count - 1].size, 9);
	hit_list_deinit(&found);
	scanner->ops->destroy(scanner);
}

/** What strings(1) says about a file. */
static void gnu_strings(const char *path, char letter, size_t least, bool white_space,
                        enum pm_encoding encoding, struct hit_list *hits)
{
	char command[200], *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	/* With -w newlines stand in the strings: only an own separator tells where they end. */
	snprintf(command, sizeof command, "strings -a -e %c -n %zu -t d %s -s '|END|' %s", letter,
	         least, white_space ? "-w" : "", path);

	FILE *pipe = popen(command, "re");
	assert_non_null(pipe);

	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	while ((length = getline(&line, &capacity, pipe)) > 0)
		fwrite(line, 1, (size_t)length, memory);

	fclose(memory);
	assert_int_equal(pclose(pipe), 0);
	for (char *at = text; at < text + size;) {
		char *begin, *end = memmem(at, size - (size_t)(at - text), "|END|", 5);
		assert_non_null(end);
		size_t start = strtoul(at, &begin, 10);
		hit_list_add(hits,
		             (struct hit){ start,
		                           (size_t)(end - begin - 1) * pm_encoding_unit(encoding),
		                           0, encoding, false });
		at = end + 5;
	}

	free(text);
	free(line);
}

static void as_gnu_strings(void **state)
{
	static const struct {
		char letter;
		enum pm_encoding encoding;
	} encodings[] = { { 's', PM_ENCODING_ASCII },   { 'S', PM_ENCODING_8BIT },
		          { 'l', PM_ENCODING_UTF16LE }, { 'b', PM_ENCODING_UTF16BE },
		          { 'L', PM_ENCODING_UTF32LE }, { 'B', PM_ENCODING_UTF32BE } };
	(void)state;
	enum { SIZE = 200000 };
	uint8_t *bytes = malloc(SIZE);
	uint64_t random = 4711;
	make_bytes(bytes, SIZE, &random);

	char path[] = "/tmp/procmem-strings-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, SIZE), SIZE);
	close(fd);

	for (size_t i = 0; i < 2 * sizeof encodings / sizeof *encodings; i++) {
		enum pm_encoding encoding = encodings[i / 2].encoding;
		struct pm_strings_options options = { .encodings = PM_ENCODING_BIT(encoding),
			                              .min_length = 5,
			                              .white_space = i % 2 };
		struct hit_list wanted = { 0 }, found = { 0 };
		struct pm_scanner *scanner = make_scanner(&options, pm_simd_best());
		const struct cut cut = { 4096, 64, 0 };

		gnu_strings(path, encodings[i / 2].letter, options.min_length, options.white_space,
		            encoding, &wanted);
		scan_buffer(scanner, bytes, SIZE, 0, &cut, &found, NULL);
		assert_true(wanted.count > 100);
		assert_same_hits(&wanted, &found, bytes, pm_encoding_name(encoding));
		scanner->ops->destroy(scanner);
		hit_list_deinit(&wanted);
		hit_list_deinit(&found);
	}

	unlink(path);
	free(bytes);
}

/**
 * Text in UTF-16 of Java, Windows and most others is at even addresses. Read one byte off, it is
 * text of the other byte order.
 */
static void aligned_text_is_found_once(void **state)
{
	(void)state;
	static const uint8_t bytes[] = "\0\0h\0e\0l\0l\0o\0 \0y\0o\0u\0\0\0";
	const unsigned both = PM_ENCODING_BIT(PM_ENCODING_UTF16LE) |
	                      PM_ENCODING_BIT(PM_ENCODING_UTF16BE);

	for (int aligned = 0; aligned < 2; aligned++) {
		const struct pm_strings_options options = { .encodings = both, .aligned = aligned };
		struct pm_scanner *scanner = make_scanner(&options, pm_simd_best());
		struct hit_list found = { 0 };
		scan_buffer(scanner, bytes, sizeof bytes - 1, 0x4000, &whole, &found, NULL);
		assert_int_equal(found.count, aligned ? 1 : 2);
		assert_int_equal(found.items[found.count - 1].encoding, PM_ENCODING_UTF16LE);
		assert_int_equal(found.items[found.count - 1].start, 2);
		assert_int_equal(found.items[found.count - 1].size, 18);
		hit_list_deinit(&found);
		scanner->ops->destroy(scanner);
	}
}

static void characters_of_a_string(void **state)
{
	(void)state;
	char text[8];
	assert_int_equal(pm_string_text(PM_ENCODING_UTF16LE, (const uint8_t *)"a\0b\0", 4, text),
	                 2);
	assert_memory_equal(text, "ab", 2);
	assert_int_equal(pm_string_text(PM_ENCODING_UTF16BE, (const uint8_t *)"\0a\0b", 4, text),
	                 2);
	assert_memory_equal(text, "ab", 2);

	assert_int_equal(
		pm_string_text(PM_ENCODING_UTF32BE, (const uint8_t *)"\0\0\0a\0\0\0b", 8, text), 2);
	assert_memory_equal(text, "ab", 2);
	assert_int_equal(pm_string_text(PM_ENCODING_UTF8, (const uint8_t *)"\xc3\xa9t", 3, text),
	                 3);
	assert_memory_equal(text, "\xc3\xa9t", 3);
}

static void impossible_options(void **state)
{
	(void)state;
	struct pm_scanner *scanner = NULL;
	struct pm_error error = { 0 };
	const struct pm_strings_options too_long = {
		.encodings = PM_ENCODING_BIT(PM_ENCODING_UTF32LE), .min_length = SIZE_MAX / 2
	};

	assert_int_equal(pm_strings_scanner_create(&too_long, &scanner, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);

	const struct pm_strings_options unknown = { .encodings = 1u << PM_ENCODING_COUNT };
	assert_int_equal(pm_strings_scanner_create(&unknown, &scanner, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_null(scanner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(long_text),
		cmocka_unit_test(long_text_is_delivered_in_pieces),
		cmocka_unit_test(as_gnu_strings),
		cmocka_unit_test(aligned_text_is_found_once),
		cmocka_unit_test(characters_of_a_string),
		cmocka_unit_test(impossible_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
