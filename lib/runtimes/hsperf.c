/* SPDX-License-Identifier: MIT */
#include "runtimes/hsperf.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

/* -XX:PerfDataMemorySize; 32 KiB by default. */
enum { DATA_MAX = 1 << 20 };

/* Bytes of the prologue, and of an entry without its name and value. */
enum { PROLOGUE_SIZE = 32, ENTRY_SIZE = 20 };

/* Offsets in the prologue. */
enum { BYTE_ORDER_AT = 4, MAJOR_AT = 5, USED_AT = 8, FIRST_AT = 24, COUNT_AT = 28 };

/* Offsets in an entry. */
enum { LENGTH_AT = 0, NAME_AT = 4, VECTOR_AT = 8, TYPE_AT = 12, DATA_AT = 16 };

/* Bytes that pm_runtime_read() reads at most. */
enum { READ_MAX = 4096 };

static size_t number_at(const unsigned char *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof number);
	return number;
}

/** Checks the prologue. Other byte orders are those of other processors. */
static bool is_valid(const unsigned char *prologue)
{
	static const unsigned char magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };

	return memcmp(prologue, magic, sizeof magic) == 0 && prologue[BYTE_ORDER_AT] == 1 &&
	       prologue[MAJOR_AT] == 2;
}

bool pm_hsperf_read(struct pm_runtimes_context *context, uint64_t address, uint64_t size,
                    struct pm_hsperf *hsperf)
{
	unsigned char prologue[PROLOGUE_SIZE];

	if (size < sizeof prologue || address == 0 ||
	    !pm_runtime_read(context, address, prologue, sizeof prologue) || !is_valid(prologue))
		return false;

	struct pm_hsperf read = { .size = number_at(prologue + USED_AT),
		                  .first = number_at(prologue + FIRST_AT),
		                  .count = number_at(prologue + COUNT_AT) };
	if (read.size < sizeof prologue || read.size > pm_min(size, DATA_MAX))
		return false;

	read.bytes = malloc(read.size);
	if (!read.bytes)
		return false;

	for (size_t at = 0; at < read.size; at += READ_MAX) {
		size_t part = pm_min_size(read.size - at, READ_MAX);

		if (!pm_runtime_read(context, address + at, read.bytes + at, part)) {
			pm_hsperf_deinit(&read);
			return false;
		}
	}

	*hsperf = read;
	return true;
}

void pm_hsperf_deinit(struct pm_hsperf *hsperf)
{
	free(hsperf->bytes);
	*hsperf = (struct pm_hsperf){ 0 };
}

/** Returns whether the entry of a number has a name. `left` is the length of the entry. */
static bool has_name(const unsigned char *entry, size_t left, const char *name)
{
	size_t at = number_at(entry + NAME_AT), length = strlen(name) + 1;

	return entry[TYPE_AT] == 'J' && number_at(entry + VECTOR_AT) == 0 && at <= left &&
	       length <= left - at && memcmp(entry + at, name, length) == 0;
}

bool pm_hsperf_number(const struct pm_hsperf *hsperf, const char *name, int64_t *value)
{
	size_t at = hsperf->first;

	for (size_t i = 0; i < hsperf->count; i++) {
		if (at > hsperf->size || hsperf->size - at < ENTRY_SIZE)
			return false;

		const unsigned char *entry = hsperf->bytes + at;
		size_t length = number_at(entry + LENGTH_AT), data = number_at(entry + DATA_AT);
		if (length < ENTRY_SIZE || length > hsperf->size - at)
			return false;
		if (has_name(entry, length, name) && data <= length &&
		    sizeof *value <= length - data) {
			memcpy(value, entry + data, sizeof *value);
			return true;
		}

		at += length;
	}

	return false;
}
