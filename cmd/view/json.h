/* SPDX-License-Identifier: MIT */
/**
 * @file
 * JSON output. One object is written piece by piece, so that a listing of any length needs the
 * memory of one item.
 *
 * Addresses are strings (`"0x7f…"`: many readers keep numbers as doubles), sizes integers in bytes,
 * missing things are absent. Text is always valid UTF-8: other bytes and control characters appear
 * as `\xHH`.
 */
#ifndef CMD_VIEW_JSON_H
#define CMD_VIEW_JSON_H

#include <jansson.h>

#include "base/out.h"
#include "view/list.h"

/** A JSON text being written; start with all zero but `out`. */
struct json {
	struct out *out; /**< where it goes */
	bool one_line;   /**< everything stands in one line, for output of many objects */
	bool comma;      /**< something stands before in the innermost bracket */
};

/**
 * Opens an object or array.
 * @param json the text
 * @param key within an object, else NULL @param bracket '{' or '['
 */
void json_open(struct json *json, const char *key, char bracket);

/**
 * Closes the innermost object or array.
 * @param json the text
 * @param bracket '}' or ']'
 */
void json_shut(struct json *json, char bracket);

/**
 * Writes a value.
 * @param json the text
 * @param key within an object, else NULL
 * @param value given away; NULL writes nothing
 */
void json_put(struct json *json, const char *key, json_t *value);

/**
 * Adds a value to an object that is made as a whole.
 * @param object it
 * @param key ASCII @param value given away; NULL adds nothing
 */
static inline void json_add(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new_nocheck(object, key, value);
}

/**
 * A string of a stranger's text.
 * @param string ends in NUL
 * @return a value
 */
json_t *json_text(const char *string);

/**
 * Adds a stranger's text to a text as a JSON string, its quotes included; for the lines of which
 * there are millions.
 *
 * @param text    gets it
 * @param bytes   any bytes
 * @param length  how many
 */
void json_quote(struct text *text, const char *bytes, size_t length);

/**
 * An address.
 * @param address it
 * @return a string value
 */
json_t *json_address(uint64_t address);

/**
 * A size or count.
 * @param value the number
 * @return an integer value
 */
json_t *json_number(uint64_t value);

/**
 * The time, in UTC by ISO 8601.
 * @return a string value
 */
json_t *json_now(void);

/**
 * An object with an item's columns.
 * @param columns which
 * @param count how many
 * @param item the item
 * @return an object
 */
json_t *json_item(const struct list_column *const *columns, size_t count, const void *item);

/**
 * What must be read for the columns that json_put_list() writes: their `needs`, or-ed together.
 * @param list the list
 * @return bits
 */
unsigned json_list_needs(const struct list *list);

/**
 * Writes the first items of a list, all or as many as --top says, as an array.
 *
 * @param json   the text
 * @param key    of the array
 * @param list   the sorted list
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int json_put_list(struct json *json, const char *key, const struct list *list,
                  struct pm_error *error);

/**
 * Writes the totals of a list: its number of items, and the sums that are known.
 *
 * @param json   the text
 * @param list   the list
 * @param names  columns to sum up, separated by commas
 */
void json_put_total(struct json *json, const struct list *list, const char *names);

#endif
