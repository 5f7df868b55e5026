/* SPDX-License-Identifier: MIT */
/*
 * Divides the chosen ranges into segments. Each call returns one segment. Page states are fetched
 * in advance for a window: a part of the address space for which the page source reports up to 64
 * MiB of pages or 4,096 runs. After all page states of the window were used, the next window is
 * fetched.
 */
#include "reader/segments.h"

#include <unistd.h>

#include "base/minmax.h"
#include "reader/cancel.h"
#include "reader/region_rules.h"

/* Size in bytes of the reported pages at which the window is full. The window is small because
 * page states become outdated, and because filling a large window would delay the first unit. */
static const uint64_t WINDOW_BYTES = UINT64_C(64) << 20;
/* Maximum size in bytes of the address space that one walk covers. It limits the time until a
 * cancellation takes effect. Without PAGEMAP_SCAN, a walk over 16 GiB of untouched memory takes
 * 20 ms. */
static const uint64_t WINDOW_SPAN = UINT64_C(16) << 30;
/* Maximum gap in bytes between two ranges that one walk covers. A walk over a gap of this size
 * costs less than a second call. */
static const uint64_t GAP_SPAN = UINT64_C(1) << 20;

void pm_segments_init(struct pm_segments *segments, const struct pm_regions *regions,
                      const struct pm_region_range *ranges, size_t count,
                      const struct pm_plan_options *options)
{
	segments->regions = regions;
	segments->ranges = ranges;
	segments->count = ranges ? count : regions->count;
	segments->options = *options;
	segments->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	segments->range = (struct pm_range){ 0 };
	segments->region = SIZE_MAX;
	segments->next_range = 0;
	segments->at = segments->walked = 0;

	segments->has_held = false;
	segments->held = (struct pm_segment){ 0 };
	segments->last = (struct pm_segment){ 0 };
	segments->run_next = segments->run_count = 0;
	segments->run_bytes = 0;
}

static struct pm_region_range range_at(const struct pm_segments *segments, size_t index)
{
	if (segments->ranges)
		return segments->ranges[index];

	return (struct pm_region_range){ pm_region_bounds(&segments->regions->items[index]),
		                         index };
}

/** Returns the region of the current range, or NULL if the range is not mapped. */
static const struct pm_region *current_region(const struct pm_segments *segments)
{
	if (segments->region >= segments->regions->count)
		return NULL;

	return &segments->regions->items[segments->region];
}

static bool is_core(const struct pm_segments *segments)
{
	return segments->options.pages && segments->options.pages->untouched == PM_SEGMENT_MISSING;
}

static int visit_run(void *context, const struct pm_page_run *run)
{
	struct pm_segments *segments = context;
	segments->runs[segments->run_count++] = *run;
	segments->run_bytes += run->end - run->start;
	return segments->run_count == PM_WINDOW_RUNS || segments->run_bytes >= WINDOW_BYTES;
}

/**
 * Returns the address at which a walk from `start` should end. The walk also covers the ranges
 * after the current one as long as the gaps are small: otherwise 60,000 small regions would need
 * 60,000 calls.
 */
static uint64_t window_end(const struct pm_segments *segments, uint64_t start)
{
	uint64_t limit = UINT64_MAX, end = segments->range.end;
	size_t region = segments->region;

	/* A walk over a gap of a core file takes no time, so there is no limit for core files.
	 * With a limit, a malicious file with gaps of exabytes would cause many walks. */
	if (!is_core(segments))
		limit = start + pm_min(WINDOW_SPAN, UINT64_MAX - start);

	for (size_t i = segments->next_range; i < segments->count && end < limit; i++) {
		struct pm_region_range next = range_at(segments, i);
		if (next.region > region + 1 || next.range.start - end > GAP_SPAN)
			break;
		end = next.range.end;
		region = next.region;
	}

	return pm_min(end, limit);
}

/**
 * Fetches page states from the address `at` on until the window is full, or up to window_end().
 * Sets `walked` to the address up to which page states are known.
 */
static int walk(struct pm_segments *segments, struct pm_error *error)
{
	const struct pm_page_source *pages = segments->options.pages;
	uint64_t end = window_end(segments, segments->at);
	uint64_t mask = segments->page_mask, aligned_end = UINT64_MAX;

	if (end <= UINT64_MAX - mask)
		aligned_end = (end + mask) & ~mask;

	segments->run_next = segments->run_count = 0;
	segments->run_bytes = 0;

	int result = pages->walk(pages->context, segments->at & ~mask, aligned_end, visit_run,
	                         segments, error);
	if (result < 0)
		return -1;

	/* If the result is positive, the visitor stopped the walk because the window is full. */
	segments->walked = end;
	if (result > 0)
		segments->walked = segments->runs[segments->run_count - 1].end;

	return 0;
}

/**
 * Returns the segment from the address `at` to `end`, or to the end of the current range if that is
 * lower. Moves `at` to the end of the segment.
 * @param pages  enum pm_page bits of the pages in the segment
 * @return       always 1
 */
static int emit(struct pm_segments *segments, uint64_t end, struct pm_verdict verdict,
                unsigned pages, struct pm_segment *segment)
{
	bool file = verdict.type == PM_SEGMENT_FILE || verdict.type == PM_SEGMENT_SHARED;
	*segment = (struct pm_segment){
		.start = segments->at,
		.end = pm_min(end, segments->range.end),
		.region = segments->region,
		.why = verdict.why,
		.type = (uint8_t)verdict.type,
		.pages = (uint8_t)pages,
		.wanted = verdict.type == PM_SEGMENT_RUN || (file && segments->options.files),
	};

	segments->at = segment->end;
	return 1;
}

static struct pm_verdict judge_run(const struct pm_page_run *run)
{
	if (run->state & PM_PAGE_CUT)
		return (struct pm_verdict){ PM_SEGMENT_MISSING,
			                    "beyond the end of the truncated core file" };
	if (run->state & PM_PAGE_GUARD)
		return (struct pm_verdict){ PM_SEGMENT_FORBIDDEN,
			                    "guard pages (MADV_GUARD_INSTALL): they hold no data" };
	if ((run->state & PM_PAGE_ZERO) && !(run->state & PM_PAGE_FILE))
		return (struct pm_verdict){
			PM_SEGMENT_HOLE, "zeros: the kernel's zero page, or a hole in the core file"
		};
	return (struct pm_verdict){ PM_SEGMENT_RUN, "in memory or in swap" };
}

static struct pm_verdict judge_gap(const struct pm_segments *segments,
                                   const struct pm_region *region)
{
	if (is_core(segments))
		return (struct pm_verdict){ PM_SEGMENT_MISSING,
			                    region->mapping[0] == '/'
			                            ? "not in the core file; the mapped file "
			                              "may have these bytes"
			                            : "not in the core file: never touched, or "
			                              "left out" };

	return pm_region_untouched(region);
}

/**
 * Returns the segment of untouched pages that starts at the address `at`, up to `end`. A hole of a
 * file that is to be read is a segment of its own.
 * @return always 1
 */
static int emit_gap(struct pm_segments *segments, uint64_t end, const struct pm_region *region,
                    struct pm_segment *segment)
{
	const struct pm_hole_source *holes = &segments->options.holes;
	struct pm_verdict verdict = judge_gap(segments, region);
	bool file = verdict.type == PM_SEGMENT_FILE || verdict.type == PM_SEGMENT_SHARED;
	struct pm_range gap = { segments->at, pm_min(end, segments->range.end) };
	bool hole = false;

	if (file && segments->options.files && holes->find && pm_range_size(gap) > 0)
		end = holes->find(holes->context, region, gap, &hole);
	if (hole)
		verdict = (struct pm_verdict){ PM_SEGMENT_HOLE,
			                       "zeros: a hole in the mapped file" };

	return emit(segments, end, verdict, 0, segment);
}

/**
 * Returns the segment of the current range that starts at the address `at`. The segment ends where
 * the type or the page state changes, at the end of the range, or at the end of the window.
 * @return 1, or -1 on an error
 */
static int next_in_range(struct pm_segments *segments, struct pm_segment *segment,
                         struct pm_error *error)
{
	const struct pm_region *region = current_region(segments);
	if (!region)
		return emit(segments, segments->range.end,
		            (struct pm_verdict){ PM_SEGMENT_UNMAPPED, "nothing is mapped there" },
		            0, segment);
	/* The rules for devices do not apply to a core file, since reading it has no side
	 * effects. */
	const char *forbidden = is_core(segments) ? NULL : pm_region_forbidden(region);
	if (forbidden)
		return emit(segments, segments->range.end,
		            (struct pm_verdict){ PM_SEGMENT_FORBIDDEN, forbidden }, 0, segment);
	if (!segments->options.pages)
		return emit(segments, segments->range.end,
		            (struct pm_verdict){ PM_SEGMENT_RUN, "assumed to be in memory" },
		            PM_PAGE_PRESENT, segment);

	if (segments->at >= segments->walked && walk(segments, error) < 0)
		return -1;
	while (segments->run_next < segments->run_count &&
	       segments->runs[segments->run_next].end <= segments->at)
		segments->run_next++;
	if (segments->run_next == segments->run_count)
		return emit_gap(segments, segments->walked, region, segment);
	const struct pm_page_run *run = &segments->runs[segments->run_next];
	if (run->start > segments->at)
		return emit_gap(segments, run->start, region, segment);
	return emit(segments, run->end, judge_run(run), run->state, segment);
}

/**
 * Returns the next segment, as pm_segments_next() does, but without merging adjacent segments of
 * the same type.
 */
static int next_unmerged(struct pm_segments *segments, struct pm_segment *segment,
                         struct pm_error *error)
{
	if (pm_check_cancel(segments->options.cancel, error) < 0)
		return -1;

	while (segments->at >= segments->range.end) {
		if (segments->next_range == segments->count)
			return 0;

		struct pm_region_range next = range_at(segments, segments->next_range++);
		segments->range = next.range;
		segments->region = next.region;
		/* The window is used in ascending order of addresses. If the next range is below
		 * the current address, set `walked` so that a new window is fetched. */
		if (segments->range.start < segments->at)
			segments->walked = 0;
		segments->at = segments->range.start;
	}

	return next_in_range(segments, segment, error);
}

static bool can_merge(const struct pm_segment *segment, const struct pm_segment *next)
{
	if (segment->end != next->start || segment->region != next->region ||
	    segment->type != next->type || segment->why != next->why)
		return false;
	return segment->type != PM_SEGMENT_RUN || segment->end - segment->start < WINDOW_BYTES;
}

static bool follows(const struct pm_regions *regions, const struct pm_segment *before,
                    const struct pm_segment *segment)
{
	if (before->end == 0 || before->end != segment->start)
		return false;
	if (before->region == segment->region)
		return true;
	return before->region < regions->count && segment->region < regions->count &&
	       pm_region_continues(&regions->items[before->region],
	                           &regions->items[segment->region]);
}

int pm_segments_next(struct pm_segments *segments, struct pm_segment *segment,
                     struct pm_error *error)
{
	struct pm_segment merged = segments->held, next;
	int more = 1;

	if (!segments->has_held)
		more = next_unmerged(segments, &merged, error);
	if (more <= 0)
		return more;

	while ((more = next_unmerged(segments, &next, error)) > 0 && can_merge(&merged, &next)) {
		merged.end = next.end;
		merged.pages |= next.pages;
	}

	if (more < 0)
		return -1;

	segments->has_held = more > 0;
	segments->held = next;
	merged.follows = follows(segments->regions, &segments->last, &merged);
	segments->last = merged;
	*segment = merged;

	return 1;
}
