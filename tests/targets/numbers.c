/* SPDX-License-Identifier: MIT */
/*
 * numbers: numbers at known addresses, in a mapping of their own. Each line `number TYPE ADDRESS
 * VALUE` is one of them; some are not aligned, or are in two pages. Commands change them:
 *
 * - set ADDRESS TYPE VALUE
 * - drop: returns the pages of the mapping to the kernel, so that they are zeros
 * - unmap: unmaps the second half of the mapping
 * - split: makes the second half read-only, and stores the byte 7 around its start, 128 times
 * - exec: executes the program again
 */
#include "support.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8, SIZE = PAGES * PAGE };

static char *memory;

/** Stores a number, written as text. */
static void store(char *at, const char *type, const char *value)
{
	int64_t integer = (int64_t)strtoull(value, NULL, 10);
	double wide = strtod(value, NULL);
	float narrow = strtof(value, NULL);

	if (strcmp(type, "float32") == 0)
		memcpy(at, &narrow, sizeof narrow);
	else if (strcmp(type, "float64") == 0)
		memcpy(at, &wide, sizeof wide);
	else
		memcpy(at, &integer, strtoul(type + strcspn(type, "0123456789"), NULL, 10) / 8);
}

static void put(size_t offset, const char *type, const char *value)
{
	store(memory + offset, type, value);
	printf("number %s %" PRIxPTR " %s\n", type, (uintptr_t)(memory + offset), value);
}

static void put_all(void)
{
	put(64, "int32", "1234567");
	put(129, "int32", "1234567");      /* not aligned */
	put(PAGE - 2, "int32", "1234567"); /* in two pages */
	put(2 * PAGE, "int64", "1234567890123");
	put(2 * PAGE + 16, "int32", "-77001");
	put(2 * PAGE + 33, "int16", "-31001");
	put(2 * PAGE + 48, "uint64", "18446744073709551000");
	put(3 * PAGE, "float32", "99.5");
	put(3 * PAGE + 16, "float64", "99.5");
	put(3 * PAGE + 33, "float64", "-1.25e100");
	/* In the second half */
	put(5 * PAGE, "int32", "1234567");
	/* Its last two bytes are in a page that was never touched. */
	put(7 * PAGE - 2, "uint16", "65000");
}

static int obey(const char *line)
{
	static char *const again[] = { (char *)"numbers", NULL };
	char type[20], value[100];
	uint64_t address;

	if (sscanf(line, "set %" SCNx64 " %19s %99s", &address, type, value) == 3) {
		/* The address is one that was printed. */
		store(memory + (address - (uintptr_t)memory), type, value);
		return 0;
	}
	if (strcmp(line, "drop") == 0)
		return (int)target_check(madvise(memory, SIZE, MADV_DONTNEED), "madvise");
	if (strcmp(line, "unmap") == 0)
		return (int)target_check(munmap(memory + SIZE / 2, SIZE / 2), "munmap");
	if (strcmp(line, "split") == 0) {
		memset(memory + SIZE / 2 - 64, 7, 128);
		return (int)target_check(mprotect(memory + SIZE / 2, SIZE / 2, PROT_READ),
		                         "mprotect");
	}
	if (strcmp(line, "exec") == 0)
		execv("/proc/self/exe", again);
	return 1;
}

int main(void)
{
	target_begin();
	memory = target_island(SIZE, PROT_READ | PROT_WRITE, 0, 0);
	put_all();
	target_region("numbers", memory, SIZE, "");
	target_ready();
	target_obey(obey);
	return 0;
}
