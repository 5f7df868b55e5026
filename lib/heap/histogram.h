/* SPDX-License-Identifier: MIT */
/** @file What the recording needs of histograms. Private. */
#ifndef PM_HEAP_HISTOGRAM_H
#define PM_HEAP_HISTOGRAM_H

#include <procmem/histogram.h>

/**
 * Compares the keys of two classes: size, content, word and name.
 * @return less than 0, 0, or more than 0, as strcmp(3)
 */
int pm_histogram_compare_keys(const struct pm_histogram_class *left,
                              const struct pm_histogram_class *right);

/**
 * Returns pointers to the classes of a histogram, in the order of pm_histogram_compare_keys().
 *
 * @param histogram  the histogram
 * @param error      PM_ERROR_RESOURCES
 * @return           pm_histogram.class_count pointers; release with free(). NULL on failure
 */
const struct pm_histogram_class **pm_histogram_by_key(const struct pm_histogram *histogram,
                                                      struct pm_error *error);

/**
 * Adds a class to a histogram. Its texts are copied.
 *
 * @param histogram  the histogram, whose `classes` have room for one more
 * @param class      the class
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_histogram_add(struct pm_histogram *histogram, const struct pm_histogram_class *class,
                     struct pm_error *error);

/**
 * Sorts the classes of a histogram: most bytes first.
 * @param histogram  the histogram
 */
void pm_histogram_sort(struct pm_histogram *histogram);

#endif
