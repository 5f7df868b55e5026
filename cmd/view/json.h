/* SPDX-License-Identifier: MIT */
/**
 * @file
 * JSON output. An object is written in parts, so that a list of any length needs memory for only
 * one item.
 *
 * Addresses are strings (`"0x7f…"`), because many parsers store numbers as doubles. Sizes are
 * integers in bytes. Missing values are absent. Text is always valid UTF-8: other bytes and control
 * characters appear as `\xHH`.
 */
#ifndef CMD_VIEW_JSON_H
#define CMD_VIEW_JSON_H

#include <jansson.h>

#include "base/out.h"
#include "view/list.h"

/**
 * A JSON text that is being written. Before use, zero the structure except `out` and `one_line`.
 */
struct json {
	struct out *out; /**< receives the text */
	bool one_line;   /**< write everything in one line, for output of many objects */
	bool comma;      /**< the innermost object or array is not empty */
};

/**
 * Opens an object or array.
 *
 * @param json     the text
 * @param key      key within an object, NULL otherwise
 * @param bracket  '{' or '['
 */
void json_open(struct json *json, const char *key, char bracket);

/**
 * Closes the innermost object or array.
 *
 * @param json     the text
 * @param bracket  '}' or ']'
 */
void json_shut(struct json *json, char bracket);

/**
 * Writes a value.
 *
 * @param json   the text
 * @param key    key within an object, NULL otherwise
 * @param value  the value; released; nothing is written if NULL
 */
void json_put(struct json *json, const char *key, json_t *value);

/**
 * Adds a value to an object in memory.
 *
 * @param object  the object
 * @param key     the key, ASCII
 * @param value   the value; now owned by the object; nothing is added if NULL
 */
static inline void json_add(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new_nocheck(object, key, value);
}

/**
 * Makes a string from untrusted text.
 *
 * @param string  NUL-terminated string
 * @return        the value
 */
json_t *json_text(const char *string);

/**
 * Adds untrusted text as a JSON string, including the quotes. Fast enough for millions of lines.
 *
 * @param text    receives the string
 * @param bytes   arbitrary bytes
 * @param length  number of bytes
 */
void json_quote(struct text *text, const char *bytes, size_t length);

/**
 * Makes a string from an address.
 *
 * @param address  the address
 * @return         the value
 */
json_t *json_address(uint64_t address);

/**
 * Makes an integer from a size or count.
 *
 * @param value  the number
 * @return       the value
 */
json_t *json_number(uint64_t value);

/**
 * Makes a string from the current time, in UTC, as in ISO 8601.
 * @return  the value
 */
json_t *json_now(void);

/**
 * Makes an object from the columns of an item.
 *
 * @param columns  the columns
 * @param count    number of columns
 * @param item     the item
 * @return         the object
 */
json_t *json_item(const struct list_column *const *columns, size_t count, const void *item);

/**
 * Returns what must be read from the target for the columns that json_put_list() writes.
 *
 * @param list  the list
 * @return      the `needs` of the columns, combined
 */
unsigned json_list_needs(const struct list *list);

/**
 * Writes the items of a list as an array: all items, or the first ones if --top limits their
 * number.
 *
 * @param json   the text
 * @param key    key of the array
 * @param list   the sorted list
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int json_put_list(struct json *json, const char *key, const struct list *list,
                  struct pm_error *error);

/**
 * Writes the totals of a list: the number of items, and the sums that are known.
 *
 * @param json   the text
 * @param list   the list
 * @param names  names of the columns to sum, separated by commas
 */
void json_put_total(struct json *json, const struct list *list, const char *names);

#endif
