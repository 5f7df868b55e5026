/* SPDX-License-Identifier: MIT */
/*
 * records: an array of records, as a cache that leaks has them. `region records` has 5,000 records
 * of 208 bytes. Each has a name with its number, and filler of 40 to 99 bytes.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { RECORDS = 5000, RECORD = 208, FILLER_AT = 24, FILLER_MIN = 40, FILLER_LENGTHS = 60 };

int main(void)
{
	target_begin();

	char *memory = target_island(RECORDS * RECORD, PROT_READ | PROT_WRITE, 0, 0);
	for (unsigned i = 0; i < RECORDS; i++) {
		char *record = memory + (size_t)i * RECORD;
		sprintf(record, "item/%08u", i * 7);
		memset(record + FILLER_AT, 'B', FILLER_MIN + i % FILLER_LENGTHS);
	}

	target_region("records", memory, RECORDS * RECORD, "");
	target_ready();
	target_obey(NULL);
}
