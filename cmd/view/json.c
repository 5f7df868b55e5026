/* SPDX-License-Identifier: MIT */
#include "view/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"

/** Number of significant digits of numbers that are not integers. */
enum { REAL_DIGITS = 9 };

static void put_bytes(struct json *json, const char *bytes, size_t length)
{
	if (json->out)
		out_bytes(json->out, bytes, length);
	else
		text_bytes(json->text, bytes, length);
}

static void put_string(struct json *json, const char *string)
{
	put_bytes(json, string, strlen(string));
}

/** Writes a part of the encoded text; jansson calls this function. */
static int write_part(const char *bytes, size_t length, void *json)
{
	put_bytes(json, bytes, length);
	return 0;
}

static void put_key(struct json *json, const char *key)
{
	if (json->comma)
		put_string(json, json->one_line ? "," : ",\n");

	/* Keys are constants of the program and need no escaping. */
	if (key) {
		put_string(json, "\"");
		put_string(json, key);
		put_string(json, "\":");
	}
	json->comma = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
	put_key(json, key);
	put_bytes(json, &bracket, 1);
	json->comma = false;
}

void json_shut(struct json *json, char bracket)
{
	put_bytes(json, &bracket, 1);
	json->comma = true;
}

void json_put(struct json *json, const char *key, json_t *value)
{
	if (!value)
		return;

	put_key(json, key);
	json_dump_callback(value, write_part, json,
	                   JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(value);
}

void json_put_raw(struct json *json, const char *key, const struct text *value)
{
	put_key(json, key);
	put_bytes(json, value->bytes, value->length);
}

/**
 * Adds untrusted bytes as valid UTF-8. The result has no control characters except tabs and
 * newlines, for which JSON has an escape of its own.
 */
static void make_safe(struct text *text, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t before = 0;

		while (before < length && bytes[before] != '\t' && bytes[before] != '\n')
			before++;
		utf8_escape(text, bytes, before);
		if (before == length)
			return;

		text_char(text, bytes[before]);
		bytes += before + 1;
		length -= before + 1;
	}
}

json_t *json_bytes(const char *bytes, size_t length)
{
	struct text escaped = { 0 };

	make_safe(&escaped, bytes, length);

	json_t *value = json_stringn_nocheck(text_terminate(&escaped), escaped.length);

	text_deinit(&escaped);
	return value;
}

/** Checks whether a byte needs no escape in a JSON string. */
static bool is_plain(char byte)
{
	return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

/** Adds a character that make_safe() leaves, with the escape of JSON if it needs one. */
static void quote_char(struct text *text, char byte)
{
	switch (byte) {
	case '\t':
		text_string(text, "\\t");
		break;
	case '\n':
		text_string(text, "\\n");
		break;
	case '"':
	case '\\':
		text_char(text, '\\');
		text_char(text, byte);
		break;
	default:
		text_char(text, byte);
	}
}

void json_quote(struct text *text, const char *bytes, size_t length)
{
	struct text escaped = { 0 };
	size_t plain = 0;

	while (plain < length && is_plain(bytes[plain]))
		plain++;

	text_char(text, '"');
	text_bytes(text, bytes, plain);

	make_safe(&escaped, bytes + plain, length - plain);
	for (size_t i = 0; i < escaped.length; i++)
		quote_char(text, escaped.bytes[i]);

	text_char(text, '"');
	text_deinit(&escaped);
}

json_t *json_text(const char *string)
{
	return json_bytes(string, strlen(string));
}

json_t *json_address(uint64_t address)
{
	char text[sizeof "0x0123456789abcdef"];
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	return json_string_nocheck(text);
}

json_t *json_number(uint64_t value)
{
	/* The integers of jansson are signed. In practice, only addresses exceed INT64_MAX, and
	 * addresses are written as strings. */
	return json_integer((json_int_t)pm_min_size(value, INT64_MAX));
}

json_t *json_time(int64_t wall_ns)
{
	struct text text = { 0 };

	delta_put_time(&text, wall_ns);

	json_t *value = json_string_nocheck(text_terminate(&text));

	text_deinit(&text);
	return value;
}

json_t *json_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return json_time((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

/** Makes a JSON value from the value of a column. @return the value, NULL if it is not known */
static json_t *column_value(const struct list_column *column, const void *item)
{
	uint64_t number;

	if (column->value)
		return column->value(column, item);
	if (column->number && column->type != LIST_TEXT) {
		if (!column->number(column, item, &number))
			return NULL;
		if (column->type == LIST_PERCENT)
			return json_real((double)number / 10);
		if (column->type == LIST_ADDRESS)
			return json_address(number);
		return json_number(number);
	}

	struct text raw = { 0 };
	json_t *value = NULL;

	column->text(column, item, &raw);
	if (raw.length > 0)
		value = json_bytes(raw.bytes, raw.length);
	text_deinit(&raw);

	return value;
}

static const char *column_key(const struct list_column *column)
{
	return column->json ? column->json : column->name;
}

static void add_member(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new_nocheck(object, key, value);
}

json_t *json_item(const struct list_column *const *columns, size_t count, const void *item)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++) {
		const char *key = column_key(columns[i]);

		if (*key != '\0')
			add_member(object, key, column_value(columns[i], item));
	}

	return object;
}

/**
 * Finds the columns to write as JSON: without -o, the default columns; with -o +LIST, the default
 * columns and those of LIST; with -o LIST, the columns that identify an item and those of LIST.
 */
static int choose_columns(const struct list *list, const struct list_column **columns,
                          size_t *count, struct pm_error *error)
{
	const char *chosen = list->options->columns;
	bool adds = chosen && *chosen == '+';
	const char *first = list->spec->json_identity;

	if (!chosen || adds)
		first = list->spec->json_columns;

	*count = 0;
	if (list_parse_columns(list->spec, first, columns, count, error) < 0)
		return -1;
	if (!chosen)
		return 0;

	return list_parse_columns(list->spec, chosen + adds, columns, count, error);
}

unsigned json_list_needs(const struct list *list)
{
	const struct list_column *columns[TABLE_COLUMNS_MAX];
	size_t count;
	unsigned needs = list->sort->needs;

	if (choose_columns(list, columns, &count, NULL) < 0)
		return needs;

	for (size_t i = 0; i < count; i++)
		needs |= columns[i]->needs;
	return needs;
}

int json_put_list(struct json *json, const char *key, const struct list *list,
                  struct pm_error *error)
{
	const struct list_column *columns[TABLE_COLUMNS_MAX];
	size_t count, rows = list->count;

	if (choose_columns(list, columns, &count, error) < 0)
		return -1;

	if (list->options->top_given)
		rows = pm_min_size(rows, (size_t)list->options->top);

	json_open(json, key, '[');
	for (size_t row = 0; row < rows && !out_failed(json->out); row++)
		json_put(json, NULL, json_item(columns, count, list->items[row]));

	json_shut(json, ']');
	return 0;
}

void json_put_total(struct json *json, const struct list *list, const char *names)
{
	const struct list_column *columns[TABLE_COLUMNS_MAX];
	size_t count = 0;

	if (list_parse_columns(list->spec, names, columns, &count, NULL) < 0)
		return;

	json_t *total = json_object();

	json_object_set_new_nocheck(total, "count", json_number(list->count));
	for (size_t i = 0; i < count; i++) {
		uint64_t sum;

		if (list_sum(columns[i], list->items, list->count, &sum))
			json_object_set_new_nocheck(total, column_key(columns[i]),
			                            json_number(sum));
	}

	json_put(json, "total", total);
}
