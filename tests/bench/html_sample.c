/* SPDX-License-Identifier: MIT */
/*
 * html_sample MOMENTS SECONDS REGIONS FILE: writes a report with invented figures. Prints the time
 * that writing took, in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "html/report.h"
#include "support/sample_report.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct sample_report sample;
	struct pm_error error;

	if (argc != 5 || atoi(argv[1]) < 1 || atoi(argv[3]) < 1) {
		fputs("usage: html_sample MOMENTS SECONDS REGIONS FILE\n", stderr);
		return 2;
	}

	sample_report_init(&sample, (size_t)atoi(argv[1]), atof(argv[2]), (size_t)atoi(argv[3]));
	double start = now();
	int result = html_report_write(&sample.report, argv[4], &error);

	if (result < 0)
		fprintf(stderr, "html_sample: %s\n", error.text);
	else
		printf("%.3f\n", now() - start);
	sample_report_deinit(&sample);
	return result < 0 ? 2 : 0;
}
