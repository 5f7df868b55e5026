/* SPDX-License-Identifier: MIT */
/*
 * texts: text in all encodings, at all places where a search can miss it. `region texts` contains
 * it between bytes that are not text in any encoding. `region split` is one allocation with two
 * permissions, and a text across the boundary. `region long` contains a text of three mebibytes.
 * `region hostile` contains terminal control sequences. `region counted` contains text number I
 * exactly I times. The command `flicker` rewrites a text in `region flickering` forever.
 */
#include "support.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PAGE = 4096,
	MEGABYTE = 1024 * 1024,
	TEXTS = 4 * MEGABYTE,
	SPLIT = 2 * MEGABYTE,
	LONG = 3 * MEGABYTE,
	COUNTED = 200,
	NEUTRAL = 1, /* neither text nor zero */
};

/** Position of the next text. */
static char *at;

static void put(const char *bytes, size_t size)
{
	memcpy(at, bytes, size);
	at += size;
	*at++ = NEUTRAL;
}

/** A text of ASCII in units of 1, 2 or 4 bytes. */
static void put_wide(const char *text, size_t unit, int big)
{
	memset(at, 0, strlen(text) * unit);
	for (size_t i = 0; text[i]; i++)
		at[i * unit + (big ? unit - 1 : 0)] = text[i];
	at += strlen(text) * unit;
	*at++ = NEUTRAL;
}

static void put_wide_ones(void)
{
	static const char *const words[] = { "abc", "abcd", "abcdef", "at an odd or even place" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (int shift = 0; shift < 4; shift++) {
			for (int big = 0; big < 2; big++) {
				put_wide(words[i], 2, big);
				put_wide(words[i], 4, big);
			}
			*at++ = NEUTRAL;
		}
	}
}

static void put_bytes(void)
{
	static const char *const texts[] = {
		"abc",
		"abcd",
		"tab\tin it",
		"two\nlines\r\nin it",
		"form\ffeed\vand more",
		"back\\slash \"quoted\"",
		"Gr\303\274\303\237e aus K\303\266ln",
		"\303\244\303\266\303\274\303\237",
		"\342\202\254\342\202\254\342\202\254\342\202\254",
		"\360\237\230\200\360\237\230\201\360\237\230\202\360\237\230\203",
		"ab\303\244",
		"ab\303\244d",
		"Latin-1 Gr\374\337e",
		"cut \303",
		"overlong \300\257 text",
		"surrogate \355\240\200 text",
		"c1 \302\233 control",
		"follow \200\200\200\200 bytes",
		"beyond \364\220\200\200 Unicode",
		"no-break\302\240space",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put(texts[i], strlen(texts[i]));
}

static char *fresh(const char *name, size_t size)
{
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
	memset(memory, NEUTRAL, size);
	target_region(name, memory, size, "");
	return memory;
}

/**
 * Writes text across each mebibyte, at the first and the last bytes of the region, and the rest
 * between.
 */
static void make_texts(void)
{
	static const char across[] = "across a border of units";
	char *memory = fresh("texts", TEXTS);
	memcpy(memory, "first bytes", 11);
	memcpy(memory + TEXTS - 10, "last bytes", 10);

	for (size_t i = MEGABYTE; i < TEXTS; i += MEGABYTE)
		memcpy(memory + i - i / MEGABYTE * 7, across, sizeof across - 1);

	at = memory + PAGE;
	put_bytes();
	put_wide_ones();

	for (size_t i = 1; i < 100; i++) {
		memset(at, 'x', i);
		at += i;
		*at++ = NEUTRAL;
	}
}

static void make_split(void)
{
	static const char across[] = "across the border of regions";
	char *memory = fresh("split", SPLIT);
	memcpy(memory + SPLIT / 2 - 10, across, sizeof across - 1);
	target_check(mprotect(memory + SPLIT / 2, SPLIT / 2, PROT_READ), "mprotect");
}

static void make_long(void)
{
	char *memory = fresh("long", LONG + PAGE);
	for (size_t i = 0; i < LONG; i++)
		memory[7 + i] = (char)('A' + i / PAGE % 26);
}

static void make_hostile(void)
{
	at = fresh("hostile", PAGE);
	static const char *const texts[] = {
		"\033]0;a title\a",
		"\033[31mred and more",
		"text \302\23331m in eight bits",
		"turned \342\200\256 around",
		"line \342\200\250 separator",
		"a\rcarriage return",
		"\b\b\b\bback spaces",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put(texts[i], strlen(texts[i]));
}

static void make_counted(void)
{
	char text[64];
	at = fresh("counted", MEGABYTE);
	for (int round = 0; round < COUNTED; round++)
		for (int i = round; i < COUNTED; i++)
			put(text, (size_t)sprintf(text, "counted %d times%s", i + 1,
			                          i % 7 ? "" : " \303\274"));
}

static void *flicker(void *memory)
{
	volatile char *last = (char *)memory + 14;
	for (unsigned i = 0;; i++)
		*last = (char)('a' + i % 26);
	return NULL;
}

static int command(const char *line)
{
	pthread_t thread;
	if (strcmp(line, "flicker") != 0)
		return 1;

	char *memory = fresh("flickering", PAGE);
	memcpy(memory, "flickering as x", 15);
	target_check(-pthread_create(&thread, NULL, flicker, memory), "pthread_create");
	return 0;
}

int main(void)
{
	target_begin();
	make_texts();
	make_split();
	make_long();
	make_hostile();
	make_counted();
	target_ready();
	target_obey(command);
}
