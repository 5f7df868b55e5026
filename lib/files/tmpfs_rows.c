/* SPDX-License-Identifier: MIT */
/*
 * Finds the directories that hold much (hierarchical heavy hitters). Children are after their
 * parents, so one pass from the end decides for each directory whether it is a row; if not, what is
 * in it is added to its parent.
 */
#include <procmem/tmpfs_rows.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "files/inode_set.h"

/** What is in a directory and in those below that are not rows. */
struct amount {
	uint64_t files, bytes;
	int64_t growth; /* bytes since the earlier walk */
	bool known;     /* `growth` is known: both walks read all of it */
};

/** State of a search for rows. */
struct finding {
	const struct pm_tmpfs *now;
	struct amount *amounts; /* one for each directory of `now`; owned */
	bool rates;             /* there is an earlier walk to compare with */
	double seconds;         /* time since the earlier walk */
	struct amount *mounts;  /* what makes a directory of each mount a row; owned */
	struct pm_tmpfs_rows rows;
	size_t capacity; /* allocated elements of `rows` */
};

static struct pm_inode_key key_of(const struct pm_tmpfs *tmpfs, size_t folder)
{
	const struct pm_tmpfs_folder *at = &tmpfs->folders[folder];
	return (struct pm_inode_key){ tmpfs->mounts[at->mount].device, at->inode };
}

/** Makes a set of the directories of a walk. */
static int add_keys(struct pm_inode_set *set, const struct pm_tmpfs *tmpfs, struct pm_error *error)
{
	for (size_t i = 0; i < tmpfs->folder_count; i++)
		if (pm_inode_set_add(set, key_of(tmpfs, i), i, error) < 0)
			return -1;
	return 0;
}

/**
 * Finds the directories that both walks read completely. One that only the later walk has is new if
 * both walks have all entries of its parent; otherwise it may have been there before.
 */
static void find_known(struct finding *finding, const struct pm_tmpfs *before,
                       const struct pm_inode_set *before_set)
{
	const struct pm_tmpfs *now = finding->now;

	for (size_t i = 0; i < now->folder_count; i++) {
		size_t found = pm_inode_set_find(before_set, key_of(now, i));
		size_t parent = now->folders[i].parent;
		bool known = found != SIZE_MAX ? !before->folders[found].cut
		                               : parent == i || finding->amounts[parent].known;

		finding->amounts[i].known = known && !now->folders[i].cut;
	}
}

/** Subtracts what was in the directories at the earlier time. */
static void subtract_before(struct finding *finding, const struct pm_tmpfs *before,
                            const struct pm_inode_set *now_set)
{
	for (size_t i = 0; i < before->folder_count; i++) {
		size_t from = i, found = pm_inode_set_find(now_set, key_of(before, i));
		while (found == SIZE_MAX && before->folders[from].parent != from) {
			from = before->folders[from].parent;
			found = pm_inode_set_find(now_set, key_of(before, from));
		}
		if (found == SIZE_MAX)
			continue;
		finding->amounts[found].growth -= (int64_t)before->folders[i].bytes;
		finding->amounts[found].known &= !before->folders[i].cut;
	}
}

/** Computes the growth of the directories. */
static int compare_walks(struct finding *finding, const struct pm_tmpfs *before,
                         struct pm_error *error)
{
	struct pm_inode_set now_set = { 0 }, before_set = { 0 };
	int result = 0;

	if (add_keys(&now_set, finding->now, error) < 0 || add_keys(&before_set, before, error) < 0)
		result = -1;
	if (result == 0) {
		find_known(finding, before, &before_set);
		subtract_before(finding, before, &now_set);
	}

	pm_inode_set_deinit(&now_set);
	pm_inode_set_deinit(&before_set);
	return result;
}

static int fill_amounts(struct finding *finding, const struct pm_tmpfs *before,
                        struct pm_error *error)
{
	const struct pm_tmpfs *now = finding->now;
	for (size_t i = 0; i < now->folder_count; i++)
		finding->amounts[i] = (struct amount){ .files = now->folders[i].files,
			                               .bytes = now->folders[i].bytes,
			                               .growth = (int64_t)now->folders[i].bytes };
	if (finding->rates && compare_walks(finding, before, error) < 0)
		return -1;

	for (size_t i = 0; i < now->folder_count; i++) {
		struct amount *mount = &finding->mounts[now->folders[i].mount];
		mount->bytes += finding->amounts[i].bytes;
		if (finding->amounts[i].known && finding->amounts[i].growth > 0)
			mount->growth += finding->amounts[i].growth;
	}
	for (size_t i = 0; i < now->mount_count; i++) {
		struct amount *mount = &finding->mounts[i];
		mount->bytes = mount->bytes / 100 * PM_TMPFS_ROW_PERCENT + 1;
		mount->growth = mount->growth / 100 * PM_TMPFS_ROW_PERCENT + 1;
	}

	return 0;
}

static int add_row(struct finding *finding, size_t folder, struct pm_error *error)
{
	const struct amount *amount = &finding->amounts[folder];
	struct pm_tmpfs_row row = { .folder = folder,
		                    .files = amount->files,
		                    .bytes = amount->bytes,
		                    .rate_known = amount->known };

	if (row.rate_known)
		row.rate = (double)amount->growth / finding->seconds;
	if (pm_array_reserve(&finding->rows.items, &finding->capacity, finding->rows.count, 1,
	                     sizeof *finding->rows.items, error) < 0)
		return -1;
	row.path = pm_tmpfs_path(finding->now, folder, NULL);
	if (!row.path)
		return pm_error_out_of_memory(error);

	finding->rows.items[finding->rows.count++] = row;
	return 0;
}

/** Returns whether a directory is a row. */
static bool is_row(const struct finding *finding, size_t folder)
{
	const struct amount *amount = &finding->amounts[folder];
	const struct amount *least = &finding->mounts[finding->now->folders[folder].mount];

	if (finding->now->folders[folder].parent == folder)
		return amount->files > 0 || (amount->known && amount->growth != 0);
	return amount->bytes >= least->bytes || (amount->known && amount->growth >= least->growth);
}

static int find_rows(struct finding *finding, struct pm_error *error)
{
	for (size_t i = finding->now->folder_count; i-- > 0;) {
		struct amount *amount = &finding->amounts[i];
		size_t parent = finding->now->folders[i].parent;

		if (is_row(finding, i)) {
			if (add_row(finding, i, error) < 0)
				return -1;
		} else if (parent != i) {
			finding->amounts[parent].files += amount->files;
			finding->amounts[parent].bytes += amount->bytes;
			finding->amounts[parent].growth += amount->growth;
			finding->amounts[parent].known &= amount->known;
		}
	}

	return 0;
}

static int compare_rows(const void *one, const void *other)
{
	const struct pm_tmpfs_row *a = one, *b = other;
	double a_rate = pm_max_double(a->rate, 0), b_rate = pm_max_double(b->rate, 0);

	if (a_rate < b_rate || a_rate > b_rate)
		return a_rate < b_rate ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->folder > b->folder) - (a->folder < b->folder);
}

int pm_tmpfs_rows_find(const struct pm_tmpfs *now, const struct pm_tmpfs *before,
                       struct pm_tmpfs_rows *rows, struct pm_error *error)
{
	struct finding finding = { .now = now };
	int result = 0;

	if (before) {
		finding.seconds = now->time - before->time;
		finding.rates = finding.seconds > 0;
	}

	finding.amounts = calloc(now->folder_count + 1, sizeof *finding.amounts);
	finding.mounts = calloc(now->mount_count + 1, sizeof *finding.mounts);
	if (!finding.amounts || !finding.mounts)
		result = pm_error_out_of_memory(error);

	if (result == 0 &&
	    (fill_amounts(&finding, before, error) < 0 || find_rows(&finding, error) < 0))
		result = -1;
	free(finding.amounts);
	free(finding.mounts);
	if (result < 0) {
		pm_tmpfs_rows_deinit(&finding.rows);
		return -1;
	}

	if (finding.rows.count > 0)
		qsort(finding.rows.items, finding.rows.count, sizeof *finding.rows.items,
		      compare_rows);
	*rows = finding.rows;
	return 0;
}

void pm_tmpfs_rows_deinit(struct pm_tmpfs_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].path);
	free(rows->items);
	*rows = (struct pm_tmpfs_rows){ 0 };
}
