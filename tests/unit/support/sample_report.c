/* SPDX-License-Identifier: MIT */
#include "support/sample_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/region.h>

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define MIB          ((double)(1 << 20))

/* Each kind: its size at the start, its growth until the end, and the height of its waves, in MiB.
 */
static const struct {
	enum pm_kind kind;
	double start, growth, wave;
} kinds[] = {
	{ PM_KIND_ANON, 60, -4, 3 },     { PM_KIND_ARENA, 9, 14.2, 2 },
	{ PM_KIND_MALLOC, 5, 74.5, 1 },  { PM_KIND_FILE, 2, 2, 0.2 },
	{ PM_KIND_JIT, 1.3, 1.7, 0 },    { PM_KIND_CODE, 3.5, 0, 0 },
	{ PM_KIND_SHM, 1, 0, 0 },        { PM_KIND_DATA, 0.4, 0, 0 },
	{ PM_KIND_STACK, 1.6, 0, 0.01 }, { PM_KIND_HEAP, 1.2, 0, 0.05 },
};

static const struct html_tile tiles[] = {
	{ "RSS now", "173.6M", NULL, HTML_PLAIN },
	{ "grown by", "+88.4M", "in 13h 53m", HTML_BAD },
	{ "limit", "384.0M", "cgroup /shop", HTML_PLAIN },
	{ "full in", "10h to 12h", NULL, HTML_BAD },
	{ "regions", "312", NULL, HTML_PLAIN },
};

static const struct html_line lines[] = {
	{ "grows", "malloc, +5.4M/h since the first sample, without falling back" },
	{ "owner", "malloc, thread grpc-worker" },
	{ "not", "The Java heap: it has not grown for 13 hours" },
	{ "do", "Look for direct buffers that are not released" },
	{ "more", "procmem heap --growth 10s 14187" },
	{ "more", "procmem trace --for 60s 14187" },
};

static const struct html_finding findings[] = {
	{ "Direct buffers grow without falling back", "sure", HTML_BAD, lines, COUNT(lines) },
	{ "The arenas of glibc hold free memory", "possible", HTML_PLAIN, lines, 2 },
};

static const struct html_class classes[] = {
	{ 16384, 4769, 78135296, true, 0.095, "direct buffer", "POST /shop.Orders/Place" },
	{ 272, 20000, 5440000, true, 0.4, "session", "session order-000" },
	{ 48, 30000, 1440000, false, 0, "", "" },
};

static const struct html_string strings[] = {
	{ 2506, "order-000340", "malloc 7f3a08000000" },
	{ 2316, SAMPLE_HOSTILE, "malloc 7f3a08000000" },
	{ 2221, "user-agent5grpc-node/1.24.2 grpc-c/8.0.0 (linux; chttp2; ganges)", "arena 3" },
};

static const struct html_member members[] = {
	{ "shop", 14187, "target", 182032794, true, 92694118, "steady", HTML_BAD },
	{ "sidecar", 14190, "same cgroup", 41943040, true, -1048576, "plateau", HTML_PLAIN },
	{ "page cache", 0, "part of the cgroup", 83886080, false, 0, "", HTML_PLAIN },
};

static const struct html_command commands[] = {
	{ "procmem why 14187", "this report as text" },
	{ "procmem heap --growth 10s 14187", "the chunks of malloc that grow" },
};

static const char *const unseen[] = { "Pages of 3 regions could not be read: guard pages" };

/** Functions, as parent, name and MiB. */
static const struct {
	size_t parent;
	const char *name;
	double mib;
} functions[] = {
	{ SIZE_MAX, "all", 96 },
	{ 0, "main", 88 },
	{ 1, "serve", 60 },
	{ 2, "http2_read", 22 },
	{ 2, "grpc_unary", 36 },
	{ 4, "decode", 30 },
	{ 5, "newDirectBuffer", 29 },
	{ 6, "mmap", 29 },
	{ 3, "realloc", 20 },
	{ 1, "jit", 16 },
	{ 9, "compile", 12 },
	{ 10, "lower", 7 },
	{ 1, "log", 10 },
	{ 12, "format", 9 },
	{ 13, SAMPLE_HOSTILE, 4 },
	{ 0, "[no stack]", 8 },
	{ 4, "metrics_tag_set", 3 },
	{ 12, "rotate", 0.5 },
};

static void *array(size_t count, size_t size)
{
	void *made = calloc(count ? count : 1, size);

	if (!made)
		abort();
	return made;
}

/** Returns a number from 0 to 1 that depends on a number. */
static double noise(size_t seed)
{
	return fmod(fabs(sin((double)seed * 12.9898) * 43758.5453), 1);
}

/** Returns whole pages. */
static uint64_t pages(double mib)
{
	return mib > 0 ? (uint64_t)(mib * MIB / 4096) * 4096 : 0;
}

static void set_timeline(struct sample_report *sample, size_t moments, double seconds)
{
	struct html_timeline *timeline = &sample->report.timeline;

	sample->times = array(moments, sizeof *sample->times);
	sample->values = array(moments * COUNT(kinds), sizeof *sample->values);
	sample->kinds = array(COUNT(kinds), sizeof *sample->kinds);
	sample->shares = array(COUNT(kinds), sizeof *sample->shares);
	for (size_t i = 0; i < moments; i++)
		sample->times[i] = (double)i * seconds;

	for (size_t k = 0; k < COUNT(kinds); k++) {
		uint64_t *values = sample->values + k * moments;

		for (size_t i = 0; i < moments; i++) {
			double part = moments > 1 ? (double)i / (double)(moments - 1) : 1;
			double wave = kinds[k].wave * (sin(part * 60) + noise(i * 7 + k) / 2);

			values[i] = pages(kinds[k].start + kinds[k].growth * part + wave);
		}
		sample->kinds[k] = (struct html_kind){ pm_kind_name(kinds[k].kind), kinds[k].kind,
			                               values };
		sample->shares[k] = (struct html_share){ pm_kind_name(kinds[k].kind), kinds[k].kind,
			                                 values[moments - 1] };
	}

	*timeline = (struct html_timeline){ .times = sample->times,
		                            .count = moments,
		                            .samples = moments,
		                            .start = 1764000000,
		                            .kinds = sample->kinds,
		                            .kind_count = COUNT(kinds) };
	timeline->limit = (struct html_limit){ .known = true,
		                               .name = "cgroup /shop",
		                               .max = 384 << 20,
		                               .level = 344 << 20,
		                               .time_known = true,
		                               .rate = 74.5 * MIB / ((double)moments * seconds),
		                               .seconds_min = (double)moments * seconds * 0.7,
		                               .seconds_max = (double)moments * seconds * 0.9 };
	sample->report.shares = sample->shares;
	sample->report.share_count = COUNT(kinds);
}

static void set_regions(struct sample_report *sample, size_t moments, double seconds, size_t count)
{
	static const char *const verdicts[] = { "steady", "steps", "plateau", "no growth" };
	static const char *const mappings[] = { "", "/usr/lib/libjvm.so", SAMPLE_HOSTILE,
		                                "/memfd:netty-direct" };
	struct pm_error error;

	sample->regions = array(count, sizeof *sample->regions);
	sample->series = array(count, sizeof *sample->series);
	sample->changes = array(count, sizeof *sample->changes);
	for (size_t r = 0; r < count; r++) {
		double start = 1 + 40 * noise(r),
		       growth = r % 7 == 3 ? -start / 2 : 90.0 / (double)(r + 1);
		uint64_t first = pages(start), last = pages(start + growth);

		for (size_t i = 0; i < moments; i++) {
			double part = (double)(i + 1) / (double)moments;
			uint64_t bytes = pages(start + growth * part + noise(i + r) / 4);

			if (i % 5 == 0 && pm_series_add(&sample->series[r], (double)i * seconds,
			                                bytes, &error) < 0)
				abort();
		}
		sample->regions[r] = (struct html_region){ .start = 0x7f3a08000000 + (r << 24),
			                                   .count = 1 + r % 3,
			                                   .kind = pm_kind_name(kinds[r % 3].kind),
			                                   .owner = r % 2 ? "malloc" : "",
			                                   .mapping = mappings[r % 4],
			                                   .bytes = last,
			                                   .growth = (int64_t)last - (int64_t)first,
			                                   .verdict = verdicts[r % 4],
			                                   .tone = r % 4 == 0 ? HTML_BAD
			                                                      : HTML_PLAIN,
			                                   .series = &sample->series[r] };
		sample->changes[r] = (struct html_change){ .name = "7f6fddcf9d97",
			                                   .kind = "anon",
			                                   .mapping = mappings[r % 4],
			                                   .born = r == 4,
			                                   .before = r == 4 ? 0 : first,
			                                   .after = last };
	}
	sample->report.regions = sample->regions;
	sample->report.region_count = count;
	sample->report.changes = sample->changes;
	sample->report.change_count = count < 20 ? count : 20;
	sample->report.changes_left_out = count < 20 ? 0 : count - 20;
}

static void set_stacks(struct sample_report *sample)
{
	sample->frames = array(COUNT(functions), sizeof *sample->frames);
	for (size_t i = 0; i < COUNT(functions); i++)
		sample->frames[i] = (struct html_frame){ .name = functions[i].name,
			                                 .parent = functions[i].parent,
			                                 .bytes = pages(functions[i].mib),
			                                 .code = i % 5 == 3 ? HTML_CODE_SYSTEM
			                                                    : HTML_CODE_PROGRAM };
	sample->report.stacks = (struct html_stacks){ sample->frames, COUNT(functions), "mapped" };
}

void sample_report_init(struct sample_report *sample, size_t moments, double seconds,
                        size_t regions)
{
	struct html_report *report = &sample->report;

	*sample = (struct sample_report){ 0 };
	*report = (struct html_report){
		.title = "shop (14187)",
		.command = "./shop --leak --rate 4000000",
		.host = "node-7",
		.source = "recording of 13h 53m",
		.times_known = true,
		.start = 1764000000,
		.end = 1764000000 + (double)moments * seconds,
		.samples = moments,
		.heading = "malloc grows steadily",
		.tone = HTML_BAD,
		.verdict = "+74.5M in 13h 53m without falling back. The limit of 384.0M is "
			   "reached in 10h to 12h.",
		.findings = findings,
		.finding_count = COUNT(findings),
		.tiles = tiles,
		.tile_count = COUNT(tiles),
		.classes = classes,
		.class_count = COUNT(classes),
		.strings = strings,
		.string_count = COUNT(strings),
		.members = members,
		.member_count = COUNT(members),
		.commands = commands,
		.command_count = COUNT(commands),
		.unseen = unseen,
		.unseen_count = COUNT(unseen),
		.cost = "0.3 % of one CPU",
	};
	set_timeline(sample, moments, seconds);
	set_regions(sample, moments, seconds, regions);
	set_stacks(sample);
}

void sample_report_deinit(struct sample_report *sample)
{
	for (size_t i = 0; i < sample->report.region_count; i++)
		pm_series_deinit(&sample->series[i]);
	free(sample->times);
	free(sample->values);
	free(sample->kinds);
	free(sample->shares);
	free(sample->regions);
	free(sample->series);
	free(sample->changes);
	free(sample->frames);
}
