/* SPDX-License-Identifier: MIT */
#include "view/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <procmem/typo.h>

#include "base/alloc.h"
#include "base/minmax.h"

const struct list_column *list_find_column(const struct list_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->column_count; i++) {
		const struct list_column *column = &spec->columns[i];

		if (strcasecmp(column->name, name) == 0 ||
		    (column->alias && strcasecmp(column->alias, name) == 0))
			return column;
	}
	return NULL;
}

/** Finds a column. If there is none of that name, sets an error that suggests a similar name. */
static const struct list_column *require_column(const struct list_spec *spec, const char *name,
                                                struct pm_error *error)
{
	const char *names[TABLE_COLUMNS_MAX];
	const struct list_column *column = list_find_column(spec, name);

	if (column)
		return column;

	for (size_t i = 0; i < spec->column_count; i++)
		names[i] = spec->columns[i].name;

	const char *nearest = pm_typo_nearest(name, names, spec->column_count);
	if (nearest)
		pm_error_set(error, PM_ERROR_USAGE, 0, "unknown column '%s'; did you mean '%s'?",
		             name, nearest);
	else
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "unknown column '%s'; '--columns help' lists all columns", name);

	return NULL;
}

static bool contains(const struct list_column *const *columns, size_t count,
                     const struct list_column *column)
{
	for (size_t i = 0; i < count; i++) {
		if (columns[i] == column)
			return true;
	}
	return false;
}

int list_parse_columns(const struct list_spec *spec, const char *names,
                       const struct list_column **columns, size_t *count, struct pm_error *error)
{
	for (const char *at = names;; at++) {
		char name[32];
		size_t length = strcspn(at, ",");

		if (length >= sizeof name)
			return pm_error_set(error, PM_ERROR_USAGE, 0, "unknown column '%.*s'",
			                    (int)length, at);

		memcpy(name, at, length);
		name[length] = '\0';

		const struct list_column *column = require_column(spec, name, error);
		if (!column)
			return -1;

		/* Since each column is added only once, the array has room for all of them. */
		if (!contains(columns, *count, column))
			columns[(*count)++] = column;

		at += length;
		if (*at == '\0')
			return 0;
	}
}

/**
 * Adds columns after the existing ones. In a table, a last column of arbitrary text stays last: it
 * is cut at the edge of the terminal, and columns after it would not be visible.
 */
static void add_columns(struct list *list, const struct list_column *const *added, size_t count)
{
	size_t at = list->column_count;
	const struct list_column *last = NULL;

	if (at > 0)
		last = list->columns[at - 1];

	bool stays_last = last && !list->options->csv && last->type == LIST_TEXT && !last->safe;

	at -= stays_last;
	for (size_t i = 0; i < count; i++) {
		if (added[i] != last && !contains(list->columns, list->column_count, added[i]))
			list->columns[at++] = added[i];
	}

	if (stays_last)
		list->columns[at++] = last;
	list->column_count = at;
}

int list_init(struct list *list, const struct list_spec *spec, const struct list_options *options,
              bool bytes, struct pm_error *error)
{
	const struct list_column *named[TABLE_COLUMNS_MAX];
	size_t named_count = 0;
	const char *wanted = options->columns;
	const char *defaults = options->csv ? spec->csv_columns : spec->table_columns;
	bool adds = wanted && wanted[0] == '+';
	const char *sort = options->sort ? options->sort : spec->sort;

	*list = (struct list){ .spec = spec, .options = options, .bytes = bytes };
	if ((!wanted || adds) &&
	    list_parse_columns(spec, defaults, list->columns, &list->column_count, error) < 0)
		return -1;
	if (wanted && list_parse_columns(spec, wanted + adds, named, &named_count, error) < 0)
		return pm_error_prefix(error, "--columns: ");

	add_columns(list, named, named_count);
	for (size_t i = 0; i < list->column_count; i++)
		list->asked_for[i] = contains(named, named_count, list->columns[i]);

	if (sort[0] == '-')
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"--sort: unknown column '%s'; use '-s %s -r' to reverse the order", sort,
			sort + 1);

	list->sort = require_column(spec, sort, error);
	return list->sort ? 0 : pm_error_prefix(error, "--sort: ");
}

const char *list_title(const struct list *list, const struct list_column *column)
{
	if (list->rss_title && strcmp(column->name, "rss") == 0)
		return list->rss_title;
	return column->title;
}

void list_deinit(struct list *list)
{
	free(list->items);
	list->items = NULL;
	list->count = 0;
}

unsigned list_needs(const struct list *list)
{
	unsigned needs = list->sort->needs;
	for (size_t i = 0; i < list->column_count; i++)
		needs |= list->columns[i]->needs;
	return needs;
}

void list_add(struct list *list, const void *item)
{
	/* Double the array when its length is a power of two; no capacity needs to be stored. */
	if ((list->count & (list->count - 1)) == 0)
		list->items = alloc_array(list->items, pm_max_size(list->count * 2, 1),
		                          sizeof *list->items);
	list->items[list->count++] = item;
}

/** An item and its sort key. */
struct sort_key {
	const void *item;
	size_t position; /* position before sorting; orders equal items */
	uint64_t number;
	size_t text; /* start of the text in the pool of texts, in bytes */
	bool known;  /* the item has a key; items without a key come last in either order */
};

/** The context of compare(): how to order the keys. */
struct sort_order {
	const char *pool;
	bool text;
	bool descending;
};

static int compare(const void *a, const void *b, void *context)
{
	const struct sort_key *left = a, *right = b;
	const struct sort_order *order = context;
	int difference;

	if (left->known != right->known)
		return left->known ? -1 : 1;

	if (order->text)
		difference = strcmp(order->pool + left->text, order->pool + right->text);
	else
		difference = (left->number > right->number) - (left->number < right->number);

	if (difference == 0)
		return (left->position > right->position) - (left->position < right->position);

	return order->descending ? -difference : difference;
}

static struct sort_key make_key(const struct list *list, size_t position, bool by_text,
                                struct text *pool)
{
	const struct list_column *column = list->sort;
	struct sort_key key = { .item = list->items[position], .position = position };

	if (!by_text) {
		key.known = column->number(column, key.item, &key.number);
		return key;
	}

	key.text = pool->length;
	column->text(column, key.item, pool);
	key.known = pool->length > key.text;
	text_char(pool, '\0');

	return key;
}

void list_sort(struct list *list)
{
	/* If a column has a number and a text, sort by the number, because the text is made from
	 * the number. */
	bool by_text = list->sort->number == NULL;
	struct text pool = { 0 };
	struct sort_key *keys = alloc_array(NULL, list->count, sizeof *keys);

	for (size_t i = 0; i < list->count; i++)
		keys[i] = make_key(list, i, by_text, &pool);

	struct sort_order order = { .pool = pool.bytes,
		                    .text = by_text,
		                    .descending = list_is_quantity(list->sort) !=
		                                  list->options->reverse };
	qsort_r(keys, list->count, sizeof *keys, compare, &order);

	for (size_t i = 0; i < list->count; i++)
		list->items[i] = keys[i].item;

	free(keys);
	text_deinit(&pool);
}

void list_print_columns(const struct list_spec *spec, struct out *out)
{
	for (size_t i = 0; i < spec->column_count; i++)
		out_wrapped_format(out, 17, "%-16s %s\n", spec->columns[i].name,
		                   spec->columns[i].help);
}

/** Adds a number that is not a human-readable size. */
static void put_plain_number(const struct list_column *column, uint64_t value, struct text *text)
{
	if (column->type == LIST_ADDRESS || column->type == LIST_OFFSET)
		text_hex(text, value, 1);
	else if (column->type == LIST_PERCENT)
		text_format(text, "%" PRIu64 ".%" PRIu64, value / 10, value % 10);
	else
		text_decimal(text, value);
}

void list_put_exact(const struct list_column *column, const void *item, struct text *text)
{
	uint64_t value;

	if (column->text)
		column->text(column, item, text);
	else if (column->number(column, item, &value))
		put_plain_number(column, value, text);
}

void list_put_number(const struct list *list, const struct list_column *column, uint64_t value,
                     struct text *text)
{
	if (column->type == LIST_SIZE && !list->bytes)
		text_size(text, value);
	else
		put_plain_number(column, value, text);
}

size_t list_number_length(const struct list *list, const struct list_column *column, uint64_t value)
{
	if (column->type == LIST_SIZE && !list->bytes)
		return text_size_length(value);
	if (column->type == LIST_ADDRESS || column->type == LIST_OFFSET)
		return text_hex_length(value);

	/* The value is in tenths: there is a decimal point, with at least one digit before it. */
	if (column->type == LIST_PERCENT)
		return 1 + text_decimal_length(pm_max_size(value, 10));
	return text_decimal_length(value);
}

bool list_sum_is_bound(const struct list_column *column, const void *const *items, size_t count)
{
	for (size_t i = 0; i < count && column->at_least; i++) {
		if (column->at_least(items[i]))
			return true;
	}
	return false;
}

bool list_sum(const struct list_column *column, const void *const *items, size_t count,
              uint64_t *sum)
{
	bool known = false;

	*sum = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		if (column->number(column, items[i], &value)) {
			*sum += value;
			known = true;
		} else if (!column->optional && !(column->at_least && column->at_least(items[i]))) {
			return false;
		}
	}

	return known;
}
