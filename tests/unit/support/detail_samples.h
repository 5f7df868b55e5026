/* SPDX-License-Identifier: MIT */
/** @file Details of every type, with the text that each must be formatted as. */
#ifndef TESTS_SUPPORT_DETAIL_SAMPLES_H
#define TESTS_SUPPORT_DETAIL_SAMPLES_H

#include <procmem/detail.h>

/** A detail and its text. */
struct detail_sample {
	struct pm_detail detail;
	const char *text;
};

/** At least one sample of each type. */
extern const struct detail_sample detail_samples[];

/** Number of samples. */
extern const size_t detail_sample_count;

#endif
