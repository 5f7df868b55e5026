/* SPDX-License-Identifier: MIT */
#include "view/list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <procmem/typo.h>

#include "base/alloc.h"

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
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "there is no column '%s'; did you mean '%s'?", name, nearest);
	else
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "there is no column '%s'; --columns help lists them", name);

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
			return pm_error_set(error, PM_ERROR_USAGE, 0, "there is no column '%.*s'",
			                    (int)length, at);

		memcpy(name, at, length);
		name[length] = '\0';

		const struct list_column *column = require_column(spec, name, error);
		if (!column)
			return -1;

		/* There are fewer columns than room, and none comes twice. */
		if (!contains(columns, *count, column))
			columns[(*count)++] = column;
		at += length;
		if (*at == '\0')
			return 0;
	}
}

/**
 * Puts added columns behind those that are there. In a table they go before a last column of free
 * words: that is the one that is cut where the terminal ends, and may be of any length without
 * pushing others away.
 */
static void add_columns(struct list *list, const struct list_column *const *added, size_t count)
{
	size_t at = list->column_count;
	const struct list_column *last = at > 0 ? list->columns[at - 1] : NULL;
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
	*list = (struct list){ .spec = spec, .options = options, .bytes = bytes };
	const struct list_column *named[TABLE_COLUMNS_MAX];
	size_t named_count = 0;
	const char *wanted = options->columns;
	const char *usual = options->csv ? spec->csv_columns : spec->table_columns;
	bool more = wanted && wanted[0] == '+';

	if ((!wanted || more) &&
	    list_parse_columns(spec, usual, list->columns, &list->column_count, error) < 0)
		return -1;
	if (wanted && list_parse_columns(spec, wanted + more, named, &named_count, error) < 0)
		return pm_error_prefix(error, "--columns: ");

	add_columns(list, named, named_count);
	for (size_t i = 0; i < list->column_count; i++)
		list->asked_for[i] = contains(named, named_count, list->columns[i]);

	if (options->sort && options->sort[0] == '-')
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"--sort: there is no column '%s'; -r turns the order round: -s %s -r",
			options->sort, options->sort + 1);

	list->sort = require_column(spec, options->sort ? options->sort : spec->sort, error);
	return list->sort ? 0 : pm_error_prefix(error, "--sort: ");
}

const char *list_title(const struct list *list, const struct list_column *column)
{
	return list->rss_title && strcmp(column->name, "rss") == 0 ? list->rss_title
	                                                           : column->title;
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
	/* The array doubles whenever its length reaches a power of two. */
	if ((list->count & (list->count - 1)) == 0)
		list->items = alloc_array(list->items, list->count ? list->count * 2 : 1,
		                          sizeof *list->items);
	list->items[list->count++] = item;
}

/** An item with what it is sorted by. */
struct sort_key {
	const void *item;
	size_t position; /* before sorting, decides between equals */
	uint64_t number;
	size_t text; /* where its text begins in the pool */
	bool known;  /* unknown ones come last in both directions */
};

/** What comparing needs besides the keys. */
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
	/* A number says more than words made from it ("7f00-7fff" of an address). */
	bool by_text = list->sort->number == NULL;
	bool largest_first = list->sort->type == LIST_SIZE || list->sort->type == LIST_COUNT ||
	                     list->sort->type == LIST_PERCENT;
	struct text pool = { 0 };
	struct sort_key *keys = alloc_array(NULL, list->count, sizeof *keys);

	for (size_t i = 0; i < list->count; i++)
		keys[i] = make_key(list, i, by_text, &pool);

	struct sort_order order = { .pool = pool.bytes,
		                    .text = by_text,
		                    .descending = largest_first != list->options->reverse };
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
