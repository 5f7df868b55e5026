/* SPDX-License-Identifier: MIT */
/** @file A growing array of levels, and the functions that fill their fields. Private. */
#ifndef PM_PRESSURE_LEVELS_H
#define PM_PRESSURE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/pressure.h>

/** Levels that are being read. Zeroed means empty. */
struct pm_levels {
	struct pm_pressure_level *items; /**< the levels, owned */
	size_t count;                    /**< number of levels */
	size_t capacity;                 /**< number of allocated levels */
	size_t left_out;                 /**< number of levels that were not read */
	bool gone;                       /**< the process has ended */
};

/** A key of a text of lines `KEY VALUE`, and its field. */
struct pm_level_key {
	const char *key;              /**< the key, without a colon */
	enum pm_pressure_field field; /**< the field */
};

/**
 * Adds a level in which no value is known.
 *
 * @param levels  the levels
 * @param scope   what the level is
 * @param error   PM_ERROR_RESOURCES
 * @return        the level, valid until the next one is added; NULL on error
 */
struct pm_pressure_level *pm_levels_add(struct pm_levels *levels, enum pm_pressure_scope scope,
                                        struct pm_error *error);

/** Sets the value of a field. */
void pm_levels_set(struct pm_pressure_level *level, enum pm_pressure_field field, uint64_t value);

/** Adds to the value of a field, which becomes known. */
void pm_levels_increase(struct pm_pressure_level *level, enum pm_pressure_field field,
                        uint64_t value);

/**
 * Sets the fields whose keys a text has, in one pass over the text. If a key occurs several times,
 * the sum counts.
 *
 * @param level   receives the values
 * @param text    lines `KEY VALUE`, or `KEY: VALUE kB`, possibly after a prefix
 * @param prefix  text before each key, such as "Node 0 "; lines without it are skipped
 * @param keys    the keys; the last one is NULL
 */
void pm_levels_parse(struct pm_pressure_level *level, const char *text, const char *prefix,
                     const struct pm_level_key *keys);

/**
 * Sets the fields of PSI.
 *
 * @param level  receives the values
 * @param text   text of a PSI file
 */
void pm_levels_parse_stall(struct pm_pressure_level *level, const char *text);

#endif
