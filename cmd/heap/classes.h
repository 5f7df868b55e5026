/* SPDX-License-Identifier: MIT */
/** @file The classes of chunks as a list: the table of `heap`, its CSV, and its JSON. */
#ifndef CMD_HEAP_CLASSES_H
#define CMD_HEAP_CLASSES_H

#include "heap/report.h"
#include "view/json.h"
#include "view/list.h"
#include "view/results.h"

/** The columns of the list. */
extern const struct list_spec heap_classes_spec;

/** The classes as a list. Before use, zero the structure. */
struct heap_classes {
	struct list_spec spec;   /**< the description of the list */
	struct text columns;     /**< the default columns of the table; owned */
	struct list list;        /**< the list */
	struct heap_class *rows; /**< its items; owned */
};

/**
 * Makes the list of the classes.
 *
 * @param classes  filled; release with heap_classes_deinit(), even on failure
 * @param report   what is known, with a census unless only the columns are wanted; must outlive the
 *                 list
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int heap_classes_init(struct heap_classes *classes, const struct heap_report *report,
                      struct pm_error *error);

/**
 * Releases the list.
 * @param classes  as filled by heap_classes_init()
 */
void heap_classes_deinit(struct heap_classes *classes);

/**
 * Reports that --by helps, if chunks were counted by size and type, and many rows have the same
 * type.
 *
 * @param classes  as filled by heap_classes_init()
 */
void heap_classes_report_similar(const struct heap_classes *classes);

/**
 * Adds what the chunks of a class contain, unescaped.
 *
 * @param class  the class
 * @param keys   enum pm_census_key bits of its census
 * @param text   receives the words
 */
void heap_classes_put_what(const struct pm_census_class *class, unsigned keys, struct text *text);

/**
 * Gives the example of a class a number in a session.
 *
 * @param results  the collection, or NULL outside of a session
 * @param class    the class
 * @param keys     enum pm_census_key bits of its census
 * @return         the number; 0 if it has none
 */
size_t heap_classes_number(struct results *results, const struct pm_census_class *class,
                           unsigned keys);

/**
 * Writes the members that classes and survivors have: `size`, `type`, `text` and `example`.
 *
 * @param json   the text, in an open object
 * @param class  the class
 * @param keys   enum pm_census_key bits of its census
 */
void heap_classes_put_json(struct json *json, const struct pm_census_class *class, unsigned keys);

#endif
