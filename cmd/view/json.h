/* SPDX-License-Identifier: MIT */
/**
 * @file
 * JSON output. An object is written in parts, so that a list of any length needs memory for only
 * one item.
 *
 * The rules for values, in all commands:
 * - Addresses are strings (`"0x7f…"`), because many parsers store numbers as doubles.
 * - Sizes are integers in bytes. Rates are numbers, in bytes per second.
 * - Times are strings in UTC, as in ISO 8601, with milliseconds.
 * - Missing values are absent.
 * - Text is always valid UTF-8. Tabs and newlines are escaped as JSON does it (`\t`, `\n`). Other
 *   control characters, and bytes that are not UTF-8, appear as `\xHH`: in JSON, as `\\xHH`.
 *
 * The members that several commands have are written by the functions of target/json_parts.h.
 */
#ifndef CMD_VIEW_JSON_H
#define CMD_VIEW_JSON_H

#include <jansson.h>

#include "base/out.h"
#include "view/list.h"

/**
 * A JSON text that is being written. Before use, zero the structure except `out`, `text` and
 * `one_line`.
 */
struct json {
	struct out *out;   /**< receives the text; NULL if `text` does */
	struct text *text; /**< receives the text; NULL if `out` does */
	bool one_line;     /**< write everything in one line, for output of many objects */
	bool comma;        /**< the innermost object or array is not empty */
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
 * Writes a value that is already JSON.
 *
 * @param json   the text
 * @param key    key within an object, NULL otherwise
 * @param value  the value as JSON text, such as an object
 */
void json_put_raw(struct json *json, const char *key, const struct text *value);

/**
 * Makes a string from untrusted text.
 *
 * @param string  NUL-terminated string
 * @return        the value
 */
json_t *json_text(const char *string);

/**
 * Makes a string from untrusted text.
 *
 * @param bytes   arbitrary bytes
 * @param length  number of bytes
 * @return        the value
 */
json_t *json_bytes(const char *bytes, size_t length);

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
 * Makes a string from a time, in UTC, as in ISO 8601, with milliseconds.
 *
 * @param wall_ns  nanoseconds since 1970
 * @return         the value
 */
json_t *json_time(int64_t wall_ns);

/**
 * Makes a string from the current time, as json_time() does.
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
