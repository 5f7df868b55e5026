/* SPDX-License-Identifier: MIT */
/*
 * haystack MEGABYTES: memory like that of a server, to be searched. Blocks of log lines alternate
 * with blocks of numbers and pointers; NEEDLE_ALPHA_password=... is in the numbers 100 times. Every
 * 1000th line requests one of the items 42xxx, every 64th contains an e-mail address. The region
 * starts at 200000000000.
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 64 * 1024, MEGABYTE = 1024 * 1024, LINE_MOST = 200, NEEDLES = 100 };

static uint64_t next_number(void)
{
	static uint64_t state = 1;
	uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

static size_t write_line(char *to)
{
	static uint64_t count;
	uint64_t number = next_number();

	/* A random number could also be one of the requested items. */
	unsigned item = count % 1000 == 0 ? 42000 + (unsigned)(number % 1000)
	                                  : 50000 + (unsigned)(number % 40000);
	int length = sprintf(to,
	                     "2026-11-21T09:%02u:%02u.%06u INFO  session=%016" PRIx64
	                     " GET /api/v1/items/%u %u us",
	                     (unsigned)(count / 60 % 60), (unsigned)(count % 60),
	                     (unsigned)(number >> 20 & 0xfffff) % 1000000, number, item,
	                     (unsigned)(number >> 40 & 0xffff));

	if (count % 64 == 0)
		length += sprintf(to + length, " for user%u.name@mail.example.com",
		                  (unsigned)(number & 0xffff));
	count++;
	to[length] = '\n';

	return (size_t)length + 1;
}

static void fill_with_lines(char *block)
{
	char line[LINE_MOST];
	for (size_t at = 0; at < BLOCK;) {
		size_t length = write_line(line);
		length = length < BLOCK - at ? length : BLOCK - at;
		memcpy(block + at, line, length);
		at += length;
	}
}

/** Half of the words are random, a quarter are small numbers, a quarter are pointers. */
static void fill_with_words(char *block)
{
	for (size_t at = 0; at < BLOCK; at += sizeof(uint64_t)) {
		uint64_t number = next_number(), sort = number & 3;
		number = sort < 2    ? number
		         : sort == 2 ? number >> 50
		                     : UINT64_C(0x7f0000000000) | number >> 28 << 4;
		memcpy(block + at, &number, sizeof number);
	}
}

static void hide_needles(char *memory, size_t size)
{
	size_t apart = size / NEEDLES / (2 * BLOCK) * (2 * BLOCK);
	for (size_t i = 0; apart > 0 && i < NEEDLES; i++)
		sprintf(memory + i * apart + BLOCK + 100 + i * 601,
		        "NEEDLE_ALPHA_password=secret%zu", i);
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2) {
		fputs("usage: haystack MEGABYTES\n", stderr);
		return 2;
	}

	size_t size = target_number(argv[1]) * MEGABYTE;
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 1);
	for (size_t at = 0; at < size; at += 2 * BLOCK) {
		fill_with_lines(memory + at);
		fill_with_words(memory + at + BLOCK);
	}

	hide_needles(memory, size);
	target_region("hay", memory, size, "");
	target_ready();
	target_obey(NULL);
}
