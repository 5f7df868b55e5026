/* SPDX-License-Identifier: MIT */
#include "watch/csv.h"

#include "target/region_text.h"
#include "view/csv.h"

/** Adds the fields that say which region or owner a row is. */
static void put_identity(const struct watch_row *row, bool owner, struct csv *csv)
{
	const struct pm_track *track = row->track;

	if (owner) {
		csv_none(csv);
		csv_none(csv);
		csv_none(csv);
		csv_string(csv, pm_owner_name(track->owner));
		csv_none(csv);
		return;
	}

	csv_address(csv, track->start);
	csv_address(csv, track->end);
	csv_string(csv, pm_kind_name((enum pm_kind)track->kind));
	csv_none(csv);
	csv_string(csv, track->mapping);
}

static void put_row(const struct watch_row *row, bool owner, struct csv *csv)
{
	put_identity(row, owner, csv);
	csv_number(csv, row->track->regions);
	csv_number(csv, row->track->weight);
	csv_number(csv, row->track->size);
	csv_signed(csv, row->growth);
	csv_signed(csv, row->size_growth);
	if (*row->trend.reason) {
		csv_real(csv, row->trend.rate);
		csv_string(csv, pm_verdict_name(row->trend.verdict));
	} else {
		csv_none(csv);
		csv_none(csv);
	}
	csv_end(csv);
}

void watch_csv_print(const struct watch_run *run, const struct watch_history *history,
                     const struct watch_view *view, struct out *out)
{
	struct csv csv = { .out = out };
	struct watch_sums owners;

	out_string(out,
	           "start,end,kind,owner,mapping,count,rss,size,growth,size_growth,rate,verdict\n");
	if (run->options->by_owner) {
		watch_view_sum_owners(&owners, history, view->sort);
		for (size_t i = 0; i < owners.count; i++)
			put_row(&owners.rows[i], true, &csv);
	} else {
		for (size_t i = 0; i < view->row_count; i++)
			put_row(&view->rows[i], false, &csv);
	}
	csv_deinit(&csv);
}
