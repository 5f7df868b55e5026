/* SPDX-License-Identifier: MIT */
/**
 * @file A small process made by hand, and choices of its regions. Failures here fail the running
 * cmocka test.
 */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include <procmem/region.h>
#include <procmem/select.h>

/** Its regions; the table stands in fixture.c. */
extern struct pm_regions fixture_regions;

/** Makes the regions: set-up of a cmocka group. */
int fixture_make(void **state);

/** Releases them: tear-down of a cmocka group. */
int fixture_drop(void **state);

/** An empty choice. */
struct pm_select *fixture_choice(void);

/** A choice of words separated by `|`. */
struct pm_select *fixture_choice_of(const char *words);

/**
 * Applies a choice and compares: "START-END:INDEX ...", `-` for what is not mapped. The choice is
 * destroyed.
 */
void fixture_expect(struct pm_select *select, const char *expected);

/**
 * Applies a choice that must give whole regions, and compares their indexes, "0 3". The choice is
 * destroyed.
 */
void fixture_expect_regions(struct pm_select *select, const char *expected);

#endif
