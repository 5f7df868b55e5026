/* SPDX-License-Identifier: MIT */
/* Records of perf_event_open(2) with any content: pointers stay within the record. The first byte
 * selects the fields of samples; the record follows after 8 bytes. */
#include "trace/perf_record.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/unwinder.h>

#include "input.h"

/** Reads all bytes of a part, which must be in the record. */
static void check_part(const char *record, size_t size, const void *part, size_t part_size)
{
	volatile char sum = 0;

	if (!part)
		return;
	fuzz_check((const char *)part >= record);
	fuzz_check(part_size <= size - (size_t)((const char *)part - record));
	for (size_t i = 0; i < part_size; i++)
		sum = (char)(sum ^ ((const char *)part)[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t optional[] = { PERF_SAMPLE_ADDR, PERF_SAMPLE_CALLCHAIN,
		                             PERF_SAMPLE_RAW, PERF_SAMPLE_STACK_USER };
	uint64_t type = PM_PERF_SAMPLE_TYPE, id;
	struct pm_perf_record record;

	if (size < 8)
		return 0;
	for (size_t i = 0; i < 4; i++)
		if (data[0] >> i & 1)
			type |= optional[i];

	/* A copy of its own: the sanitizer sees each access after its end. */
	char *bytes = malloc(size - 8 + 1);
	fuzz_check(bytes != NULL);
	memcpy(bytes, data + 8, size - 8);
	size -= 8;

	bool has_id = pm_perf_record_id(bytes, size, &id);
	if (pm_perf_record_parse(bytes, size, type, &record)) {
		fuzz_check(has_id && record.id == id);
		fuzz_check(record.stack_size <= PM_UNWIND_STACK_MAX);
		check_part(bytes, size, record.stack, record.stack_size);
		check_part(bytes, size, record.raw, record.raw_size);
		check_part(bytes, size, record.chain, record.chain_count * sizeof *record.chain);
		check_part(bytes, size, record.registers,
		           record.registers ? PM_UNWIND_REGISTERS * sizeof *record.registers : 0);
	}

	free(bytes);
	return 0;
}
