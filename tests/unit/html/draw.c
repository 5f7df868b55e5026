/* SPDX-License-Identifier: MIT */
/*
 * draw FILE: draws figures that it reads from stdin. drawings.py makes the figures and checks the
 * drawings. Each line is one of these; names are the rest of the line:
 *
 *   kind COLOUR NAME           a kind; all kinds come before the moments
 *   moment TIME BYTES...       the bytes of each kind
 *   samples COUNT START        number of samples, and time of the first one
 *   limit MAX LEVEL RATE MIN MAX NAME
 *   frame PARENT BYTES NAME    the parent of the root is -1
 *   change BYTES MAX           a bar
 *   point TIME BYTES           of a series
 *   span FROM TO               the times of the series
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "html/data.h"
#include "html/document.h"
#include "html/icicle.h"
#include "html/share.h"
#include "html/spark.h"
#include "html/timeline.h"

enum { KINDS_MAX = 64, FRAMES_MAX = 4096, CHANGES_MAX = 64, POINTS_MAX = 4096 };

static struct html_kind kinds[KINDS_MAX];
static uint64_t *values[KINDS_MAX];
static struct html_share shares[KINDS_MAX];
static double *times;
static struct html_frame frames[FRAMES_MAX];
static struct {
	int64_t bytes;
	uint64_t max;
} changes[CHANGES_MAX];
static size_t change_count;
static struct pm_point points[POINTS_MAX];
static struct pm_series series = { .points = points };
static double span[2];
static struct html_report report;

/** Returns the next number, and moves behind it. */
static uint64_t number(char **at)
{
	return strtoull(*at, at, 10);
}

/** Returns the rest of a line, owned by the program until its end. */
static char *rest(char *at)
{
	return alloc_string(*at ? at + 1 : at);
}

static void read_kind(char *at)
{
	size_t kind = report.timeline.kind_count++;

	if (kind >= KINDS_MAX)
		exit(2);
	kinds[kind].colour = (unsigned)number(&at);
	kinds[kind].name = rest(at);
}

static void read_moment(char *at)
{
	size_t count = report.timeline.count++;

	times = alloc_array(times, count + 1, sizeof *times);
	times[count] = strtod(at, &at);
	for (size_t k = 0; k < report.timeline.kind_count; k++) {
		values[k] = alloc_array(values[k], count + 1, sizeof *values[k]);
		values[k][count] = number(&at);
	}
}

static void read_limit(char *at)
{
	struct html_limit *limit = &report.timeline.limit;

	limit->known = limit->time_known = true;
	limit->max = number(&at);
	limit->level = number(&at);
	limit->rate = strtod(at, &at);
	limit->seconds_min = strtod(at, &at);
	limit->seconds_max = strtod(at, &at);
	limit->name = rest(at);
}

static void read_frame(char *at)
{
	struct html_frame *frame = &frames[report.stacks.count++];

	if (report.stacks.count > FRAMES_MAX)
		exit(2);
	frame->parent = (size_t)strtoll(at, &at, 10);
	frame->bytes = number(&at);
	frame->name = rest(at);
}

static void read_other(const char *word, char *at)
{
	if (strcmp(word, "samples") == 0) {
		report.timeline.samples = number(&at);
		report.timeline.start = strtod(at, &at);
	} else if (strcmp(word, "change") == 0 && change_count < CHANGES_MAX) {
		changes[change_count].bytes = strtoll(at, &at, 10);
		changes[change_count++].max = number(&at);
	} else if (strcmp(word, "point") == 0 && series.count < POINTS_MAX) {
		points[series.count].time = strtod(at, &at);
		points[series.count++].value = number(&at);
	} else if (strcmp(word, "span") == 0) {
		span[0] = strtod(at, &at);
		span[1] = strtod(at, &at);
	} else {
		fprintf(stderr, "draw: unexpected '%s'\n", word);
		exit(2);
	}
}

static void read_line(char *line)
{
	char word[16] = "";
	int length = 0;

	if (sscanf(line, "%15s%n", word, &length) != 1)
		return;
	if (strcmp(word, "kind") == 0)
		read_kind(line + length);
	else if (strcmp(word, "moment") == 0)
		read_moment(line + length);
	else if (strcmp(word, "limit") == 0)
		read_limit(line + length);
	else if (strcmp(word, "frame") == 0)
		read_frame(line + length);
	else
		read_other(word, line + length);
}

/** Completes the report. The shares are those of the last moment. */
static void complete(void)
{
	struct html_timeline *timeline = &report.timeline;

	for (size_t k = 0; k < timeline->kind_count && timeline->count > 0; k++) {
		kinds[k].values = values[k];
		shares[k].name = kinds[k].name;
		shares[k].colour = kinds[k].colour;
		shares[k].bytes = values[k][timeline->count - 1];
		report.share_count++;
	}
	timeline->kinds = kinds;
	timeline->times = times;
	report.shares = shares;
	report.stacks.frames = frames;
	report.stacks.what = "mapped";
}

int main(int argc, char **argv)
{
	struct html_document document;
	struct pm_error error;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		read_line(line);
	}
	free(line);
	complete();

	if (argc != 2 || html_document_open(&document, argv[1], "drawings", &error) < 0)
		return 2;
	html_timeline_put(&document, &report);
	html_share_put(&document, &report, 0);
	html_icicle_put(&document, &report.stacks);
	for (size_t i = 0; i < change_count; i++)
		html_spark_put_bar(&document, changes[i].bytes, changes[i].max);
	html_spark_put(&document, &series, span[0], span[1]);
	html_data_put(&document, &report);
	return html_document_keep(&document, &error) < 0 ? 2 : 0;
}
