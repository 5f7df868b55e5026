/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lists of items with columns: regions, groups of regions, processes. One description of the
 * columns serves `-o`, `-s`, `--columns help`, the table, CSV and JSON.
 */
#ifndef CMD_VIEW_LIST_H
#define CMD_VIEW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <procmem/error.h>

#include "base/out.h"
#include "base/text.h"
#include "cli/options.h"
#include "view/table.h"

/** The type of a column; decides how its values are written, sorted and summed. */
enum list_type {
	LIST_SIZE,    /**< bytes, human-readable or exact; sorted in descending order; summed */
	LIST_COUNT,   /**< a count; sorted in descending order; summed */
	LIST_PERCENT, /**< tenths of a percent; sorted in descending order */
	LIST_NUMBER,  /**< a number that identifies something; sorted in ascending order */
	LIST_ADDRESS, /**< an address, hexadecimal, in JSON a string; sorted in ascending order */
	LIST_OFFSET,  /**< an offset, hexadecimal, in JSON a number; sorted in ascending order */
	LIST_TEXT,    /**< arbitrary bytes; sorted in alphabetical order */
};

/** One column. */
struct list_column {
	const char *name;    /**< name for -o and -s, and in the first line of CSV */
	const char *alias;   /**< another accepted name, NULL if there is none */
	const char *json;    /**< key in JSON, NULL to use the name, "" to leave the column out */
	const char *title;   /**< title in the table, ASCII */
	const char *help;    /**< description for `--columns help` */
	enum list_type type; /**< type of its values */
	unsigned needs; /**< bit mask of what must be read for the column; each command defines the
	                   bits */
	bool safe;      /**< the text consists of constants of the program and needs no escaping */
	bool optional;  /**< true: a missing value means that the item has none. false: a missing
	                   value means that the value is unknown */
	bool alone;     /**< the values have no meaningful sum */
	int index; /**< a number by which the functions below distinguish the columns that share a
	              function; not used otherwise */
	enum out_style style; /**< style in the table */
	/**
	 * Gets the number of an item. Needed for all types except LIST_TEXT.
	 * @return false if the number is not known
	 */
	bool (*number)(const struct list_column *column, const void *item, uint64_t *value);
	/**
	 * Checks whether the number of an item, or the fact that it has none, only means "at least
	 * that much", so that a sum is at least that much, too. NULL if all numbers are exact.
	 */
	bool (*at_least)(const void *item);
	/**
	 * Adds the unescaped text of an item. Needed for LIST_TEXT; for other types NULL if the
	 * text is just the number.
	 */
	void (*text)(const struct list_column *column, const void *item, struct text *text);
	/**
	 * Returns the number of characters that `text` adds, so that a long list can be measured
	 * without building its texts. NULL if the number is not known in advance.
	 */
	size_t (*length)(const struct list_column *column, const void *item);
	/**
	 * Adds the text for the table. NULL if the table shows the same text as `text` adds.
	 * `brief` is true if there is little room.
	 */
	void (*show)(const struct list_column *column, const void *item, bool brief,
	             struct text *text);
	/**
	 * Makes the value for JSON, for columns whose text is a label or a placeholder. NULL if
	 * JSON has the number or the text of the column.
	 * @return the value, or NULL if the item has none
	 */
	json_t *(*value)(const struct list_column *column, const void *item);
};

/** The description of a kind of list. */
struct list_spec {
	const char *singular;              /**< noun for one item: "region" */
	const char *plural;                /**< noun for several items: "regions" */
	const struct list_column *columns; /**< all columns */
	size_t column_count;               /**< number of columns, at most TABLE_COLUMNS_MAX */
	const char *table_columns;         /**< default columns of the table, separated by commas */
	const char *csv_columns;           /**< default columns of CSV */
	const char *json_columns;          /**< default columns of JSON */
	const char *json_identity;   /**< columns that JSON has even if -o does not name them; they
	                                come before those of -o */
	const char *sort;            /**< default column to sort by */
	const char *left_out_column; /**< column whose sum is shown for the items left out */
	const char *droppable; /**< columns that a narrow table may leave out, in this order */
	/**
	 * Columns that a narrow table may leave out, too, if leaving out those of `droppable` is
	 * not enough. NULL if there are none.
	 */
	const char *droppable_last;
	size_t last_wanted; /**< columns of `droppable` are left out until the last column has this
	                       width; 0: 20 */
	bool count_column;  /**< one column of the row of totals shows the number of items */
	/**
	 * Gives an item a number in a session (results.h); the table shows this number. NULL if
	 * items get no numbers.
	 */
	size_t (*identify)(struct results *results, const void *item);
	const char *id_prefix; /**< prefix of that number: "#" for hits, "#r" for regions */
};

/** A list. Initialise it with list_init(), and release it with list_deinit(). */
struct list {
	const struct list_spec *spec;                         /**< its description */
	const struct list_options *options;                   /**< options of the user */
	const struct list_column *columns[TABLE_COLUMNS_MAX]; /**< selected columns */
	bool asked_for[TABLE_COLUMNS_MAX]; /**< selected columns that the user named; they are never
	                                      left out */
	size_t column_count;               /**< number of selected columns */
	const struct list_column *sort;    /**< column to sort by */
	const void **items;                /**< the items, borrowed; the array is owned */
	size_t count;                      /**< number of items */
	size_t shown;                      /**< number of items to print, from the first on */
	bool bytes;                        /**< print exact sizes */
	size_t wanted;     /**< maximum number of items to print without --all; 0 for all of them */
	bool fills_screen; /**< `shown` is limited by the height of the terminal, or by `wanted` */
	size_t room;       /**< number of items that fit on the terminal; SIZE_MAX: no limit */
	size_t lines_above;    /**< lines printed above the list */
	const char *rss_title; /**< title to use for the column "rss"; NULL for the usual title */
	/** Prints whole lines below an item in the table. NULL to print none. */
	void (*below)(const void *item, struct out *out);
};

/**
 * Initializes a list: finds the columns to show and the column to sort by, as the options say.
 *
 * @param list     filled
 * @param spec     the description; must outlive the list
 * @param options  options of the user; must outlive the list
 * @param bytes    whether to print exact sizes
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int list_init(struct list *list, const struct list_spec *spec, const struct list_options *options,
              bool bytes, struct pm_error *error);

/**
 * Releases a list.
 * @param list  the list; the items are not released
 */
void list_deinit(struct list *list);

/**
 * Returns the title of a column.
 *
 * @param list    the list
 * @param column  one of its columns
 * @return        the title
 */
const char *list_title(const struct list *list, const struct list_column *column);

/**
 * Returns what must be read from the target for the selected columns and the column to sort by.
 *
 * @param list  the list
 * @return      the `needs` of the columns, combined
 */
unsigned list_needs(const struct list *list);

/**
 * Adds an item.
 *
 * @param list  the list
 * @param item  the item; borrowed
 */
void list_add(struct list *list, const void *item);

/**
 * Sorts the items. Equal items keep their order.
 * @param list  the list
 */
void list_sort(struct list *list);

/**
 * Finds the columns with the given names. Each column is added once.
 *
 * @param spec     the description of the list
 * @param names    names separated by commas
 * @param columns  the columns are added to this array; room for TABLE_COLUMNS_MAX
 * @param count    number of columns in the array; increased by the number of added columns
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int list_parse_columns(const struct list_spec *spec, const char *names,
                       const struct list_column **columns, size_t *count, struct pm_error *error);

/**
 * Finds a column.
 *
 * @param spec  the description of the list
 * @param name  name of the column
 * @return      the column, or NULL if there is none
 */
const struct list_column *list_find_column(const struct list_spec *spec, const char *name);

/**
 * Prints the available columns, for `--columns help`.
 *
 * @param spec  the description of the list
 * @param out   receives the columns
 */
void list_print_columns(const struct list_spec *spec, struct out *out);

/**
 * Checks whether a column contains amounts (sizes, counts, percentages). The table marks a missing
 * amount, but leaves a missing text or identifier empty.
 *
 * @param column  the column
 * @return        true if the column contains amounts
 */
static inline bool list_is_quantity(const struct list_column *column)
{
	return column->type == LIST_SIZE || column->type == LIST_COUNT ||
	       column->type == LIST_PERCENT;
}

/**
 * Adds the exact value of an item, unescaped. Adds nothing if the value is not known.
 *
 * @param column  the column
 * @param item    the item
 * @param text    receives the value
 */
void list_put_exact(const struct list_column *column, const void *item, struct text *text);

/**
 * Adds a number as the table shows it. Sizes are human-readable unless the list has exact ones.
 *
 * @param list    the list
 * @param column  the column
 * @param value   the number
 * @param text    receives the number
 */
void list_put_number(const struct list *list, const struct list_column *column, uint64_t value,
                     struct text *text);

/**
 * Returns the length of the text that list_put_number() adds.
 *
 * @param list    the list
 * @param column  the column
 * @param value   the number
 * @return        number of characters
 */
size_t list_number_length(const struct list *list, const struct list_column *column,
                          uint64_t value);

/**
 * Checks whether the sum of a column is only a lower bound.
 *
 * @param column  the column
 * @param items   the items
 * @param count   number of items
 * @return        true if the value of an item is a lower bound
 */
bool list_sum_is_bound(const struct list_column *column, const void *const *items, size_t count);

/**
 * Sums the values of a column. If list_sum_is_bound(), the sum is a lower bound.
 *
 * @param column  the column
 * @param items   the items
 * @param count   number of items
 * @param sum     receives the sum
 * @return        false if no value is known, or if a value is missing and the column is not
 *                `optional`
 */
bool list_sum(const struct list_column *column, const void *const *items, size_t count,
              uint64_t *sum);

#endif
