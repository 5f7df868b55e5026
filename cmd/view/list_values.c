/* SPDX-License-Identifier: MIT */
#include "view/list_values.h"

#include <inttypes.h>

/** Writes a number that is no text of its own. */
static void put_number(const struct list_column *column, uint64_t value, struct text *text)
{
	if (column->type == LIST_ADDRESS || column->type == LIST_OFFSET)
		text_hex(text, value, 1);
	else if (column->type == LIST_PERCENT)
		text_format(text, "%" PRIu64 ".%" PRIu64, value / 10, value % 10);
	else
		text_decimal(text, value);
}

void list_values_exact(const struct list_column *column, const void *item, struct text *text)
{
	uint64_t value;
	if (column->text)
		column->text(column, item, text);
	else if (column->number(column, item, &value))
		put_number(column, value, text);
}

void list_values_put_number(const struct list *list, const struct list_column *column,
                            uint64_t value, struct text *text)
{
	if (column->type == LIST_SIZE && !list->bytes)
		text_size(text, value);
	else
		put_number(column, value, text);
}

size_t list_values_number_length(const struct list *list, const struct list_column *column,
                                 uint64_t value)
{
	if (column->type == LIST_SIZE && !list->bytes)
		return text_size_length(value);
	if (column->type == LIST_ADDRESS || column->type == LIST_OFFSET)
		return text_hex_length(value);

	/* Tenths: a point more, and a zero before it where there is one digit only. */
	if (column->type == LIST_PERCENT)
		return 1 + text_decimal_length(value < 10 ? 10 : value);
	return text_decimal_length(value);
}

bool list_values_sum(const struct list_column *column, const void *const *items, size_t count,
                     uint64_t *sum)
{
	bool known = false;

	*sum = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		if (column->number(column, items[i], &value)) {
			*sum += value;
			known = true;
		} else if (!column->optional) {
			return false;
		}
	}

	return known;
}
