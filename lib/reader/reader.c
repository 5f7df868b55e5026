/* SPDX-License-Identifier: MIT */
#include <procmem/reader.h>

void pm_reader_close(struct pm_reader *reader)
{
	if (!reader->ops)
		return;
	reader->ops->close(reader->context);
	reader->ops = NULL;
	reader->context = NULL;
}

int pm_reader_read(struct pm_reader *reader, uint64_t address, void *buffer, size_t size,
                   size_t *done, struct pm_error *error)
{
	const struct pm_range range = { .start = address, .end = address + size };
	struct pm_error why = { 0 };
	size_t got = 0;
	if (reader->ops->read(reader->context, &range, 1, buffer, &got, &why) < 0 ||
	    (got < size && !done)) {
		if (error)
			*error = why;
		return -1;
	}

	if (got < size && error)
		*error = why;
	if (done)
		*done = got;
	return 0;
}
