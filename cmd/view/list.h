/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lists of things with columns: regions, groups of regions, processes. One description of the
 * columns serves `-o`, `-s`, `--columns help`, the table, CSV and JSON.
 */
#ifndef CMD_VIEW_LIST_H
#define CMD_VIEW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/out.h"
#include "base/text.h"
#include "cli/options.h"
#include "view/table.h"

/** What a column holds; decides how it is written, sorted and summed. */
enum list_type {
	LIST_SIZE,    /**< bytes: for people or exact, largest first, summed */
	LIST_COUNT,   /**< how many: largest first, summed */
	LIST_PERCENT, /**< tenths of a percent, largest first */
	LIST_NUMBER,  /**< a name that is a number: smallest first */
	LIST_ADDRESS, /**< an address: hexadecimal, in JSON a string, smallest first */
	LIST_OFFSET,  /**< an offset: hexadecimal, in JSON a number, smallest first */
	LIST_TEXT,    /**< text, any bytes, alphabetical */
};

/** One column. */
struct list_column {
	const char *name;    /**< in -o, -s and the first line of CSV */
	const char *alias;   /**< another name that is accepted, NULL for none */
	const char *json;    /**< key in JSON, NULL: like the name; "": none */
	const char *title;   /**< above it */
	const char *help;    /**< what it tells */
	enum list_type type; /**< what it holds */
	unsigned needs;      /**< bits of the command's own: what must be read for it */
	bool safe;           /**< its text is made of our own words: nothing to escape */
	bool optional; /**< not every item has one: what is missing is none rather than unknown */
	bool alone;    /**< a sum over items would mean nothing */
	int index;     /**< for the functions below, when several columns share one */
	enum out_style style; /**< in the table */
	/**
	 * Gives the number of an item, for all types but LIST_TEXT.
	 * @return false where it is not known
	 */
	bool (*number)(const struct list_column *column, const void *item, uint64_t *value);
	/**
	 * Adds the text of an item as it is, for LIST_TEXT; also for another type where the words
	 * differ from the number.
	 */
	void (*text)(const struct list_column *column, const void *item, struct text *text);
	/**
	 * How many characters `text` adds; NULL: not known beforehand. Making texts only to measure
	 * them is slow in long lists.
	 */
	size_t (*length)(const struct list_column *column, const void *item);
	/**
	 * Adds what the table shows instead, if that is more or less than the text; NULL for none.
	 * `brief`: there is little room.
	 */
	void (*show)(const struct list_column *column, const void *item, bool brief,
	             struct text *text);
};

/** What is the same in all lists of one sort. */
struct list_spec {
	const char *singular;              /**< what an item is called */
	const char *plural;                /**< what several are called */
	const struct list_column *columns; /**< all there are */
	size_t column_count;               /**< how many, at most TABLE_COLUMNS_MAX */
	const char *table_columns;         /**< names of those of the table, separated by commas */
	const char *csv_columns;           /**< of CSV */
	const char *json_columns;          /**< of JSON */
	const char *json_identity;         /**< of JSON in any case, before those that -o chooses */
	const char *sort;                  /**< name of the column to sort by */
	const char *left_out_column; /**< name of the column whose sum tells how much is left out */
	const char *droppable; /**< those that a narrow terminal may leave out, the first first */
	const char *droppable_last; /**< those that it may leave out where even this is not enough;
	                               NULL for none */
	bool count_column;          /**< the number of items stands in the totals anyway */
	/**
	 * Gives an item its number in a session (results.h), which the table then shows; NULL: the
	 * items get none.
	 */
	size_t (*identify)(struct results *results, const void *item);
	const char
		*id_prefix; /**< what stands before that number: "#" for hits, "#r" for regions */
};

/** A list to be printed. Initialise with list_init(), end with list_deinit(). */
struct list {
	const struct list_spec *spec;                         /**< its sort */
	const struct list_options *options;                   /**< what the user wants */
	const struct list_column *columns[TABLE_COLUMNS_MAX]; /**< the chosen ones */
	bool asked_for[TABLE_COLUMNS_MAX]; /**< which of them the user named: these are never
	                                       dropped */
	size_t column_count;               /**< how many */
	const struct list_column *sort;    /**< column to sort by */
	const void **items;                /**< borrowed things, in an array of the list */
	size_t count;                      /**< how many */
	size_t shown;                      /**< how many of them are printed, from the first */
	bool bytes;                        /**< sizes are exact integers */
	bool fills_screen;                 /**< as many are shown as the terminal has lines for */
	size_t lines_above;    /**< lines of the terminal that are printed before the list */
	const char *rss_title; /**< title of the column "rss" where that is something else; NULL:
	                          its own */
	/** Writes whole lines below an item in the table; NULL for nothing. */
	void (*below)(const void *item, struct out *out);
};

/**
 * Starts a list: finds the columns and the order that the options name.
 *
 * @param list     filled
 * @param spec     its sort; must outlive the list
 * @param options  of the user; must outlive the list
 * @param bytes    sizes are exact integers
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int list_init(struct list *list, const struct list_spec *spec, const struct list_options *options,
              bool bytes, struct pm_error *error);

/**
 * What stands above a column.
 * @param list the list
 * @param column one of its columns
 * @return the title
 */
const char *list_title(const struct list *list, const struct list_column *column);

/**
 * Releases what a list holds.
 * @param list the list
 */
void list_deinit(struct list *list);

/**
 * What must be read for the columns and the order: their `needs`, or-ed together.
 * @param list the list
 * @return bits
 */
unsigned list_needs(const struct list *list);

/**
 * Adds an item.
 * @param list the list
 * @param item borrowed
 */
void list_add(struct list *list, const void *item);

/**
 * Sorts the items; equal ones stay as they were added.
 * @param list the list
 */
void list_sort(struct list *list);

/**
 * Finds the columns that a list of names means; none comes twice.
 *
 * @param spec     the list's sort
 * @param names    separated by commas
 * @param columns  gets them, behind those that are there; room for TABLE_COLUMNS_MAX
 * @param count    how many there are; counted up
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int list_parse_columns(const struct list_spec *spec, const char *names,
                       const struct list_column **columns, size_t *count, struct pm_error *error);

/**
 * Finds a column.
 * @param spec the list's sort
 * @param name its name
 * @return the column, NULL where there is none
 */
const struct list_column *list_find_column(const struct list_spec *spec, const char *name);

/**
 * Prints what columns there are, for `--columns help`.
 * @param spec the list's sort
 * @param out where to
 */
void list_print_columns(const struct list_spec *spec, struct out *out);

#endif
