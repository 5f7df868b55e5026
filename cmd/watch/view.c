/* SPDX-License-Identifier: MIT */
#include "watch/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

const char *watch_view_sort_name(enum watch_sort sort)
{
	static const char *const names[WATCH_ORDERS] = { "growth",  "rate", "rss",    "delta",
		                                         "address", "kind", "mapping" };
	return names[sort];
}

/** Tracks of the chosen regions, sorted by address of the track. */
struct chosen {
	bool all; /* all tracks are chosen, and `tracks` is empty */
	const struct pm_track **tracks;
	size_t count;
};

static int compare_tracks(const void *one, const void *other)
{
	uintptr_t a = (uintptr_t)*(const struct pm_track *const *)one;
	uintptr_t b = (uintptr_t)*(const struct pm_track *const *)other;
	return (a > b) - (a < b);
}

static void add_owners(struct chosen *chosen, const struct pm_tracker *tracker,
                       const struct pm_region_range *ranges, size_t count)
{
	chosen->tracks = alloc_array(NULL, count + 1, sizeof(struct pm_track *));
	for (size_t i = 0; i < count; i++)
		if (ranges[i].region != SIZE_MAX)
			chosen->tracks[chosen->count++] = pm_tracker_owner(tracker,
			                                                   ranges[i].region);

	qsort(chosen->tracks, chosen->count, sizeof(struct pm_track *), compare_tracks);
}

/**
 * Finds the tracks of the chosen regions. It is not an error if no region is chosen: such regions
 * may appear later, or may have been unmapped.
 */
static int find_chosen(struct watch_view *view, const struct watch_history *history,
                       struct chosen *chosen, struct pm_error *error)
{
	struct pm_error failure;
	struct pm_region_range *ranges = NULL;
	size_t count = 0;

	view->none_chosen = (struct pm_error){ 0 };
	*chosen = (struct chosen){ .all = !view->select || pm_select_is_everything(view->select) };
	if (chosen->all)
		return 0;

	if (pm_select_apply(view->select, history->sample.regions, &ranges, &count, &failure) < 0) {
		if (failure.kind != PM_ERROR_NOT_FOUND) {
			*error = failure;
			return -1;
		}
		view->none_chosen = failure;
	}

	add_owners(chosen, history->tracker, ranges, count);
	free(ranges);
	return 0;
}

static bool is_chosen(const struct chosen *chosen, const struct pm_track *track)
{
	if (chosen->all)
		return true;

	return bsearch(&track, chosen->tracks, chosen->count, sizeof(struct pm_track *),
	               compare_tracks) != NULL;
}

static double sort_key(enum watch_sort sort, const struct watch_row *row)
{
	switch (sort) {
	case WATCH_BY_RATE:
		/* Unlike pm_trend_growth_rate(), the rate of a row that shrinks is negative. */
		return row->trend.estimate ? row->trend.estimated_rate : row->trend.rate;
	case WATCH_BY_RSS:
		return (double)row->track->weight;
	case WATCH_BY_DELTA:
		return (double)row->track->delta;
	case WATCH_BY_ADDRESS:
	case WATCH_BY_KIND:
	case WATCH_BY_MAPPING:
		return 0;
	default:
		return (double)row->growth;
	}
}

static const char *kind_of(const struct watch_row *row)
{
	return row->label ? row->label : pm_kind_name(row->track->kind);
}

/** Compares rows by what they are. @return 0 if they are equal, or are not sorted so */
static int compare_names(enum watch_sort sort, const struct watch_row *a, const struct watch_row *b)
{
	const struct pm_track *one = a->track, *other = b->track;

	if (sort == WATCH_BY_KIND)
		return strcmp(kind_of(a), kind_of(b));
	if (sort == WATCH_BY_MAPPING && !a->label) {
		if ((*one->mapping == '\0') != (*other->mapping == '\0'))
			return *one->mapping == '\0' ? 1 : -1;
		int order = strcmp(one->mapping, other->mapping);
		if (order != 0)
			return order;
	}

	if (sort == WATCH_BY_ADDRESS || sort == WATCH_BY_MAPPING)
		return (one->start > other->start) - (one->start < other->start);
	return 0;
}

static int compare_rows(const void *one, const void *other, void *context)
{
	const struct watch_row *a = one, *b = other;
	enum watch_sort sort = *(const enum watch_sort *)context;
	int names = compare_names(sort, a, b);
	double first = sort_key(sort, a), second = sort_key(sort, b);

	if (names != 0)
		return names;

	if (first != second)
		return first < second ? 1 : -1;

	if (sort == WATCH_BY_GROWTH && a->size_growth != b->size_growth)
		return a->size_growth < b->size_growth ? 1 : -1;

	/* Rows that are equal in the chosen order are sorted by resident and swapped bytes, and
	 * then by address. */
	if (a->track->weight != b->track->weight)
		return a->track->weight < b->track->weight ? 1 : -1;

	return (a->track->start > b->track->start) - (a->track->start < b->track->start);
}

static void sort_rows(struct watch_row *rows, size_t count, enum watch_sort sort)
{
	if (count > 0)
		qsort_r(rows, count, sizeof *rows, compare_rows, &sort);
}

static void judge_bytes(const struct watch_history *history, const struct pm_track *track,
                        struct pm_trend *trend)
{
	if (track->series.count > 0) {
		pm_trend_judge(&track->series, PM_TREND_BYTES, trend);
		return;
	}
	if (history->tracker) {
		pm_track_judge(history->tracker, track, trend);
		return;
	}

	/* A copied history has no tracker. A track without a series had the same size in all
	 * samples up to the last one. */
	struct pm_point point = { .time = track->since, .value = track->weight };
	const struct pm_series constant = { .points = &point,
		                            .count = 1,
		                            .last = history->sample.time,
		                            .samples = history->samples };

	pm_trend_judge(&constant, PM_TREND_BYTES, trend);
}

void watch_view_judge(const struct watch_history *history, struct watch_row *row)
{
	judge_bytes(history, row->track, &row->trend);
	row->reserve = watch_reserve_of(&history->reserves, row->track);
	if (row->track->counts.count > 0)
		pm_trend_judge(&row->track->counts, PM_TREND_COUNT, &row->count_trend);
}

/**
 * Checks whether a track gets a row. A track gets a row if its weight or its number of regions has
 * changed, or if its length has grown. (If only its length has shrunk, the neighbour that took the
 * addresses has a row: an arena that grows into its reserve.) Unless rows are sorted by a
 * change, each track that holds memory gets a row. A guard gets a row only if its weight has
 * changed, because guards appear and disappear with the regions that they guard. The inaccessible
 * end of a malloc heap gets no row while it holds no memory. It moves whenever the heap grows. A
 * sample taken while malloc makes a part of it accessible can find pages in it.
 */
static bool has_row(const struct watch_view *view, const struct pm_track *track)
{
	bool by_change = view->sort == WATCH_BY_GROWTH || view->sort == WATCH_BY_RATE ||
	                 view->sort == WATCH_BY_DELTA;

	if (!by_change && track->weight > 0)
		return true;
	bool is_rest = track->detail.type == PM_DETAIL_ARENA_REST ||
	               track->detail.type == PM_DETAIL_ARENA_UNREAD_REST;
	if (track->kind == PM_KIND_GUARD && track->series.count == 0)
		return false;
	if (is_rest && track->weight == 0 && track->baseline == 0)
		return false;

	return track->series.count > 0 || track->counts.count > 0 ||
	       track->size > track->baseline_size;
}

static struct watch_row make_row(const struct pm_track *track)
{
	return (struct watch_row){ .track = track,
		                   .growth = (int64_t)(track->weight - track->baseline),
		                   .size_growth = (int64_t)(track->size - track->baseline_size) };
}

/** Adds a row, and computes its verdict if the rows will be sorted by rate. */
static struct watch_row *add_row(struct watch_view *view, const struct watch_history *history,
                                 const struct pm_track *track)
{
	struct watch_row *row = &view->rows[view->row_count++];

	*row = make_row(track);
	if (view->sort == WATCH_BY_RATE && !view->unjudged)
		judge_bytes(history, track, &row->trend);

	return row;
}

/** Computes the sums by kind and by similar file names. */
static int sum_up(struct watch_view *view, const struct watch_history *history,
                  const struct chosen *chosen, struct pm_error *error)
{
	memset(view->kinds, 0, sizeof view->kinds);
	if (history->similar)
		watch_similar_begin(history->similar);

	for (size_t i = 0; i < history->track_count; i++) {
		const struct pm_track *track = history->tracks[i];
		if (!is_chosen(chosen, track))
			continue;

		view->kinds[track->kind].weight += track->weight;
		view->kinds[track->kind].regions += track->regions;
		if (history->similar)
			watch_similar_add(history->similar, track, has_row(view, track));
	}

	if (!history->similar)
		return 0;

	return watch_similar_end(history->similar, history->tracker, &history->sample, error);
}

/** Makes the rows of the chosen tracks. Tracks of files with similar names share a row. */
static void add_rows(struct watch_view *view, const struct watch_history *history,
                     const struct chosen *chosen)
{
	const struct watch_similar_group *group;

	view->rows = alloc_array(view->rows, history->track_count, sizeof *view->rows);
	view->row_count = 0;

	for (size_t i = 0; i < history->track_count; i++) {
		const struct pm_track *track = history->tracks[i];

		if (!is_chosen(chosen, track) || !has_row(view, track) ||
		    watch_similar_of(history->similar, track))
			continue;

		struct watch_row *row = add_row(view, history, track);
		if (history->files)
			row->files = history->files[i];
	}

	for (size_t i = 0; history->similar && (group = watch_similar_at(history->similar, i)); i++)
		if (group->shown && group->has_row)
			add_row(view, history, &group->track)->files = group->files;
}

int watch_view_update(struct watch_view *view, const struct watch_history *history,
                      struct pm_error *error)
{
	struct chosen chosen;
	if (find_chosen(view, history, &chosen, error) < 0)
		return -1;

	int result = sum_up(view, history, &chosen, error);
	if (result == 0)
		add_rows(view, history, &chosen);
	free(chosen.tracks);
	if (result < 0)
		return -1;

	sort_rows(view->rows, view->row_count, view->sort);
	if (view->all_rows || view->unjudged)
		return 0;

	if (view->row_count > view->top)
		view->row_count = (size_t)view->top;

	/* Compute verdicts only for the rows that are displayed: a verdict compares all pairs of
	 * points, which takes long. */
	for (size_t i = 0; i < view->row_count; i++)
		watch_view_judge(history, &view->rows[i]);

	return 0;
}

/** Adds a row for the sum of a kind or owner. */
static void add_sum_row(struct watch_sums *sums, const struct watch_history *history,
                        const struct pm_track *track, const char *label)
{
	struct watch_row *row = &sums->rows[sums->count++];

	*row = make_row(track);
	row->label = label;
	watch_view_judge(history, row);
}

void watch_view_sum_kinds(struct watch_sums *kinds, const struct watch_history *history,
                          enum watch_sort sort)
{
	kinds->count = 0;
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		const struct pm_track *track = &history->kinds[kind];
		/* Guards never hold memory. */
		if (track->series.count == 0 || kind == PM_KIND_GUARD)
			continue;

		add_sum_row(kinds, history, track, pm_kind_name((enum pm_kind)kind));
	}

	sort_rows(kinds->rows, kinds->count, sort);
}

void watch_view_sum_owners(struct watch_sums *owners, const struct watch_history *history,
                           enum watch_sort sort)
{
	owners->count = 0;
	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++) {
		const struct pm_track *track = &history->owners[owner];
		const char *label = "(not known)";

		if (track->series.count == 0 || (track->weight == 0 && track->baseline == 0))
			continue;
		if (owner != PM_OWNER_UNKNOWN)
			label = pm_owner_name((enum pm_owner)owner);
		add_sum_row(owners, history, track, label);
	}

	sort_rows(owners->rows, owners->count, sort);
}

void watch_view_deinit(struct watch_view *view)
{
	free(view->rows);
	view->rows = NULL;
	view->row_count = 0;
}
