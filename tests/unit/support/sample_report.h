/* SPDX-License-Identifier: MIT */
/** @file A report with invented figures, of any length. */
#ifndef TESTS_SAMPLE_REPORT_H
#define TESTS_SAMPLE_REPORT_H

#include "html/model.h"

/** A name that must be escaped wherever it appears. */
#define SAMPLE_HOSTILE "</title></script><script>alert(1)</script>&\"'<\xff\n"

/** A report and all that it refers to. */
struct sample_report {
	struct html_report report;   /**< the report */
	double *times;               /**< owned */
	uint64_t *values;            /**< of all kinds; owned */
	struct html_kind *kinds;     /**< owned */
	struct html_share *shares;   /**< owned */
	struct html_region *regions; /**< owned */
	struct pm_series *series;    /**< of the regions; owned */
	struct html_change *changes; /**< owned */
	struct html_frame *frames;   /**< owned */
};

/**
 * Makes a report of a process in which malloc grows.
 *
 * @param sample   filled; release it with sample_report_deinit()
 * @param moments  number of moments, at least 1
 * @param seconds  time between two moments
 * @param regions  number of regions, at least 1
 */
void sample_report_init(struct sample_report *sample, size_t moments, double seconds,
                        size_t regions);

/** Releases a report. */
void sample_report_deinit(struct sample_report *sample);

#endif
