/* SPDX-License-Identifier: MIT */
/** @file A small fixed list of regions, and selections of it. Failures here fail the running cmocka
 * test. */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include <procmem/region.h>
#include <procmem/select.h>

/** The regions; the table is in fixture_regions.c. */
extern struct pm_regions fixture_regions;

/** Creates the regions: set-up of a cmocka group. */
int fixture_make(void **state);

/** Releases the regions: tear-down of a cmocka group. */
int fixture_drop(void **state);

/** An empty selection. */
struct pm_select *fixture_choice(void);

/** A selection of words separated by `|`. */
struct pm_select *fixture_choice_of(const char *words);

/**
 * Applies a selection and compares the result: "START-END:INDEX ...", `-` for unmapped ranges.
 * Destroys the selection.
 */
void fixture_expect(struct pm_select *select, const char *expected);

/**
 * Applies a selection that must contain whole regions, and compares their indexes, "0 3". Destroys
 * the selection.
 */
void fixture_expect_regions(struct pm_select *select, const char *expected);

#endif
