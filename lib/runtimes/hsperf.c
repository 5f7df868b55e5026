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

bool pm_hsperf_check(struct pm_hsperf *hsperf)
{
	static const unsigned char magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	const unsigned char *prologue = hsperf->bytes;

	/* Other byte orders are those of other processors. */
	if (hsperf->size < PROLOGUE_SIZE || memcmp(prologue, magic, sizeof magic) != 0 ||
	    prologue[BYTE_ORDER_AT] != 1 || prologue[MAJOR_AT] != 2)
		return false;

	hsperf->first = number_at(prologue + FIRST_AT);
	hsperf->count = number_at(prologue + COUNT_AT);
	return hsperf->first >= PROLOGUE_SIZE && hsperf->first <= hsperf->size;
}

/** Reads the used part of the data into `bytes`. Returns false if a part cannot be read. */
static bool copy_data(struct pm_runtimes_context *context, uint64_t address,
                      const struct pm_hsperf *hsperf)
{
	for (size_t at = 0; at < hsperf->size; at += READ_MAX) {
		size_t part = pm_min_size(hsperf->size - at, READ_MAX);

		if (!pm_runtime_read(context, address + at, hsperf->bytes + at, part))
			return false;
	}

	return true;
}

bool pm_hsperf_read(struct pm_runtimes_context *context, uint64_t address, uint64_t size,
                    struct pm_hsperf *hsperf)
{
	uint32_t used;

	if (address == 0 || !pm_runtime_read_u32(context, address + USED_AT, &used) ||
	    used < PROLOGUE_SIZE || used > pm_min(size, DATA_MAX))
		return false;

	struct pm_hsperf read = { .bytes = malloc(used), .size = used };
	if (!read.bytes || !copy_data(context, address, &read) || !pm_hsperf_check(&read)) {
		pm_hsperf_deinit(&read);
		return false;
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
