/* SPDX-License-Identifier: MIT */
#include "scan/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * A batch longer than this, in bytes, is released when it is cleared. Batches are reused. Without
 * this limit, the memory of a batch would never be released before the end of the scan.
 */
enum { KEPT_MAX = 320 * 1024 };

int pm_batch_add(struct pm_scan_batch *batch, const struct pm_record *record,
                 struct pm_error *error)
{
	if (pm_array_reserve(&batch->bytes, &batch->capacity, batch->length, sizeof *record, 1,
	                     error) < 0)
		return -1;

	memcpy(batch->bytes + batch->length, record, sizeof *record);
	batch->record = batch->length;
	batch->length += sizeof *record;
	return 0;
}

int pm_batch_append(struct pm_scan_batch *batch, const void *bytes, size_t size,
                    struct pm_error *error)
{
	struct pm_record record;

	if (size == 0)
		return 0;
	if (pm_array_reserve(&batch->bytes, &batch->capacity, batch->length, size, 1, error) < 0)
		return -1;

	memcpy(batch->bytes + batch->length, bytes, size);
	batch->length += size;

	/* Records are not aligned, so the header is copied, changed and written back. */
	memcpy(&record, batch->bytes + batch->record, sizeof record);
	record.length += size;
	memcpy(batch->bytes + batch->record, &record, sizeof record);

	return 0;
}

const char *pm_batch_next(const struct pm_scan_batch *batch, size_t *at, struct pm_record *record)
{
	if (*at == batch->length)
		return NULL;

	memcpy(record, batch->bytes + *at, sizeof *record);
	const char *bytes = batch->bytes + *at + sizeof *record;
	*at += sizeof *record + record->length;

	return bytes;
}

void pm_batch_clear(struct pm_scan_batch *batch)
{
	if (batch->length > KEPT_MAX)
		pm_batch_deinit(batch);
	batch->length = 0;
}

void pm_batch_deinit(struct pm_scan_batch *batch)
{
	free(batch->bytes);
	*batch = (struct pm_scan_batch){ 0 };
}
