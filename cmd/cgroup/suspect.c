/* SPDX-License-Identifier: MIT */
/*
 * The kernel does not report to which cgroup the pages of a file are charged. A file or a directory
 * is named only if its size or its growth is like that of the shared memory of the cgroup. One that
 * is larger or grows faster cannot be charged to this cgroup alone. What processes of the cgroup
 * have open or mapped is preferred; a directory is named only if no other one fits.
 */
#include "cgroup/suspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/** Part of the amount that an object or a directory must have at least, and may have at most. */
static const double share_min = 0.5, share_max = 1.25;

static bool fits(double amount, double whole)
{
	return amount > 0 && amount >= whole * share_min && amount <= whole * share_max;
}

/** Orders objects by identity. */
static int compare_objects(const void *one, const void *other)
{
	const struct pm_shared_object *a = one, *b = other;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

void cgroup_suspect_sort(struct cgroup_files *files)
{
	struct pm_shared_objects *earlier = &files->earlier_objects;

	if (earlier->count > 0)
		qsort(earlier->items, earlier->count, sizeof *earlier->items, compare_objects);
}

bool cgroup_suspect_rate(const struct cgroup_files *files, const struct pm_shared_object *object,
                         double *rate)
{
	const struct pm_shared_objects *earlier = &files->earlier_objects;

	if (!files->earlier_known || object->at_most || files->objects_seconds <= 0)
		return false;

	const struct pm_shared_object *before = NULL;
	if (earlier->count > 0)
		before = bsearch(object, earlier->items, earlier->count, sizeof *object,
		                 compare_objects);
	if (before) {
		*rate = ((double)object->bytes - (double)before->bytes) / files->objects_seconds;
		return !before->at_most;
	}

	/* A new object has grown from nothing. Only the largest files were examined, however, and
	 * after a bound was reached, objects may be missing. */
	*rate = (double)object->bytes / files->objects_seconds;
	return object->kind != PM_SHARED_FILE && !earlier->incomplete && earlier->unreadable == 0;
}

/** Adds the name of an object that processes of the cgroup use. */
static void put_object(const struct pm_shared_object *object, struct text *text)
{
	static const char *const labels[PM_SHARED_KINDS] = {
		[PM_SHARED_MEMFD] = "memfd ",
		[PM_SHARED_ANON] = "shared anonymous memory",
		[PM_SHARED_SYSV] = "System V segment ",
		[PM_SHARED_DELETED] = "deleted file ",
		[PM_SHARED_FILE] = "",
		[PM_SHARED_OTHER] = "kernel object ",
	};

	text_string(text, labels[object->kind]);
	utf8_escape(text, object->name, strlen(object->name));
	if (object->kind == PM_SHARED_FILE)
		return;
	text_string(text, " of ");
	utf8_escape(text, object->users[0].comm, strlen(object->users[0].comm));
	text_format(text, " (%d)", (int)object->users[0].pid);
}

/** What is compared: the growth, or the size if `rate` is not set. */
static double object_amount(const struct cgroup_files *files, const struct pm_shared_object *object,
                            bool rate)
{
	double amount = 0;

	if (!rate)
		return object->at_most ? 0 : (double)object->bytes;
	return cgroup_suspect_rate(files, object, &amount) ? amount : 0;
}

static void put_suspect(const struct cgroup_files *files, double whole, bool rate,
                        struct text *text)
{
	const struct pm_shared_object *object = NULL;
	const struct pm_tmpfs_row *row = NULL;
	double largest = 0;
	size_t rows = 0;

	for (size_t i = 0; i < files->objects.count; i++) {
		const struct pm_shared_object *item = &files->objects.items[i];
		double amount = object_amount(files, item, rate);
		if (item->user_count == 0 || amount <= largest || !fits(amount, whole))
			continue;
		object = item;
		largest = amount;
	}
	if (object) {
		text_string(text, ", most of it in ");
		put_object(object, text);
		return;
	}

	for (size_t i = 0; i < files->rows.count; i++) {
		const struct pm_tmpfs_row *item = &files->rows.items[i];
		if (!fits(rate ? item->rate : (double)item->bytes, whole))
			continue;
		row = item;
		rows++;
	}
	if (rows == 1) {
		text_string(text, ", probably in ");
		utf8_escape(text, row->path, strlen(row->path));
	}
}

void cgroup_suspect_put_growing(const struct cgroup_files *files, double rate, struct text *text)
{
	put_suspect(files, rate, true, text);
}

void cgroup_suspect_put_large(const struct cgroup_files *files, uint64_t shmem, struct text *text)
{
	put_suspect(files, (double)shmem, false, text);
}
