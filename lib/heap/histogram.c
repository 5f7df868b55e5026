/* SPDX-License-Identifier: MIT */
/*
 * Histograms are compared as sorted lists: the classes of both are sorted by their keys. A census
 * can have several types with the same name, such as static variables of two files. Their classes
 * are merged, because a stored class has only the name.
 */
#include "heap/histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "region/texts.h"

int pm_histogram_compare_keys(const struct pm_histogram_class *left,
                              const struct pm_histogram_class *right)
{
	if (left->size != right->size)
		return left->size < right->size ? -1 : 1;
	if (left->content != right->content)
		return left->content - right->content;
	if (left->word != right->word)
		return left->word - right->word;

	return strcmp(left->name, right->name);
}

static int compare_bytes(const void *left, const void *right)
{
	const struct pm_histogram_class *a = left, *b = right;

	if (a->bytes != b->bytes)
		return (a->bytes < b->bytes) - (a->bytes > b->bytes);
	return pm_histogram_compare_keys(a, b);
}

static int compare_elements(const void *left, const void *right)
{
	return pm_histogram_compare_keys(left, right);
}

static int compare_pointers(const void *left, const void *right)
{
	const struct pm_histogram_class *const *a = left, *const *b = right;

	return pm_histogram_compare_keys(*a, *b);
}

void pm_histogram_sort(struct pm_histogram *histogram)
{
	if (histogram->class_count > 0)
		qsort(histogram->classes, histogram->class_count, sizeof *histogram->classes,
		      compare_bytes);
}

const struct pm_histogram_class **pm_histogram_by_key(const struct pm_histogram *histogram,
                                                      struct pm_error *error)
{
	const struct pm_histogram_class **sorted;

	sorted = calloc(histogram->class_count + 1, sizeof(struct pm_histogram_class *));
	if (!sorted) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	for (size_t i = 0; i < histogram->class_count; i++)
		sorted[i] = &histogram->classes[i];

	qsort(sorted, histogram->class_count, sizeof(struct pm_histogram_class *),
	      compare_pointers);
	return sorted;
}

int pm_histogram_add(struct pm_histogram *histogram, const struct pm_histogram_class *class,
                     struct pm_error *error)
{
	struct pm_histogram_class added = *class;

	added.name = added.text = "";
	if (*class->name)
		added.name = pm_texts_add(&histogram->texts, class->name, strlen(class->name));
	if (*class->text)
		added.text = pm_texts_add(&histogram->texts, class->text, strlen(class->text));
	if (!added.name || !added.text)
		return pm_error_out_of_memory(error);

	histogram->classes[histogram->class_count++] = added;
	return 0;
}

void pm_histogram_deinit(struct pm_histogram *histogram)
{
	pm_texts_destroy(histogram->texts);
	free(histogram->classes);
	*histogram = (struct pm_histogram){ 0 };
}

/** Adds all classes of a census. */
static int add_classes(struct pm_histogram *histogram, const struct pm_census *census,
                       struct pm_error *error)
{
	for (size_t i = 0; i < pm_census_count(census); i++) {
		const struct pm_census_class *from = pm_census_get(census, i);
		char text[PM_CHUNK_HEAD_SIZE + 1];
		const struct pm_histogram_class class = {
			.size = from->size,
			.count = from->count,
			.bytes = from->bytes,
			.missed = from->missed,
			.example = from->example,
			.content = from->type->content,
			.word = from->type->word,
			.text_varies = from->text_varies,
			.text_cut = from->text_cut,
			.name = from->type->name,
			.text = text,
		};

		snprintf(text, sizeof text, "%.*s", (int)from->text_length, from->text);
		if (pm_histogram_add(histogram, &class, error) < 0)
			return -1;
	}

	return 0;
}

/** Merges the classes that have the same key. */
static void merge(struct pm_histogram *histogram)
{
	struct pm_histogram_class *classes = histogram->classes;
	size_t kept = 0;

	qsort(classes, histogram->class_count, sizeof *classes, compare_elements);
	for (size_t i = 0; i < histogram->class_count; i++) {
		struct pm_histogram_class *last = &classes[kept > 0 ? kept - 1 : 0];

		if (kept == 0 || pm_histogram_compare_keys(last, &classes[i]) != 0) {
			classes[kept++] = classes[i];
			continue;
		}

		last->count += classes[i].count;
		last->bytes += classes[i].bytes;
		last->missed += classes[i].missed;
		if (strcmp(last->text, classes[i].text) != 0)
			last->text = "";
	}

	histogram->class_count = kept;
}

/** Leaves out the classes with the least bytes if there are too many. */
static void limit(struct pm_histogram *histogram)
{
	if (histogram->class_count <= PM_HISTOGRAM_CLASSES_MAX)
		return;

	const struct pm_histogram_class *first = &histogram->classes[PM_HISTOGRAM_CLASSES_MAX];
	uint64_t bytes = first->bytes + first->missed;

	if (histogram->bound < bytes)
		histogram->bound = bytes;
	histogram->class_count = PM_HISTOGRAM_CLASSES_MAX;
}

int pm_histogram_make(const struct pm_census *census, const struct pm_heap *heap,
                      struct pm_histogram *histogram, struct pm_error *error)
{
	const struct pm_census_total total = pm_census_total(census);
	struct pm_histogram made = {
		.complete = heap->complete,
		.count = total.count,
		.bytes = total.bytes,
		.bound = pm_census_bound(census),
	};

	snprintf(made.allocator, sizeof made.allocator, "%s",
	         pm_heap_allocator_name(heap->allocator));
	made.classes = calloc(pm_census_count(census) + 1, sizeof *made.classes);
	if (!made.classes)
		return pm_error_out_of_memory(error);
	if (add_classes(&made, census, error) < 0) {
		pm_histogram_deinit(&made);
		return -1;
	}

	merge(&made);
	pm_histogram_sort(&made);
	limit(&made);
	*histogram = made;
	return 0;
}

/** Returns the change of a class. At most one of `was` and `is` may be NULL. */
static struct pm_histogram_change change_of(const struct pm_histogram *before,
                                            const struct pm_histogram_class *was,
                                            const struct pm_histogram *after,
                                            const struct pm_histogram_class *is)
{
	static const struct pm_histogram_class none = { 0 };
	struct pm_histogram_change change = { .before = was, .after = is };

	change.uncertain = was ? was->missed : before->bound;
	change.uncertain += is ? is->missed : after->bound;
	if (!was)
		was = &none;
	if (!is)
		is = &none;

	change.count = (int64_t)(is->count - was->count);
	change.bytes = (int64_t)(is->bytes - was->bytes);
	return change;
}

/** Returns the size of a change, regardless of its direction. */
static uint64_t magnitude(int64_t change)
{
	return change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
}

static const struct pm_histogram_class *class_of(const struct pm_histogram_change *change)
{
	return change->after ? change->after : change->before;
}

static int compare_changes(const void *left, const void *right)
{
	const struct pm_histogram_change *a = left, *b = right;
	uint64_t size_a = magnitude(a->bytes), size_b = magnitude(b->bytes);

	if (size_a != size_b)
		return (size_a < size_b) - (size_a > size_b);
	return pm_histogram_compare_keys(class_of(a), class_of(b));
}

/** A histogram in the order of the keys. */
struct ordered {
	const struct pm_histogram *histogram;
	const struct pm_histogram_class **items;
	size_t at;
};

/** Returns the next class, or NULL after the last one. */
static const struct pm_histogram_class *next_of(const struct ordered *ordered)
{
	if (ordered->at == ordered->histogram->class_count)
		return NULL;
	return ordered->items[ordered->at];
}

/**
 * Finds the changes.
 * @param changes  has room for one change for each class of both histograms
 * @return         number of changes
 */
static size_t find_changes(struct ordered *before, struct ordered *after,
                           struct pm_histogram_change *changes)
{
	const struct pm_histogram_class *was, *is;
	size_t count = 0;

	while (was = next_of(before), is = next_of(after), was || is) {
		int order = was ? -1 : 1;

		if (was && is)
			order = pm_histogram_compare_keys(was, is);
		if (order < 0)
			is = NULL;
		else if (order > 0)
			was = NULL;

		before->at += was != NULL;
		after->at += is != NULL;
		changes[count] = change_of(before->histogram, was, after->histogram, is);
		if (changes[count].count != 0 || changes[count].bytes != 0)
			count++;
	}

	return count;
}

int pm_histogram_compare(const struct pm_histogram *before, const struct pm_histogram *after,
                         struct pm_histogram_change **changes, size_t *count,
                         struct pm_error *error)
{
	size_t most = before->class_count + after->class_count;
	struct ordered was = { before, pm_histogram_by_key(before, error), 0 };
	struct ordered is = { after, pm_histogram_by_key(after, error), 0 };
	struct pm_histogram_change *found = calloc(most + 1, sizeof *found);
	int result = was.items && is.items && found ? 0 : pm_error_out_of_memory(error);

	if (result == 0) {
		*count = find_changes(&was, &is, found);
		qsort(found, *count, sizeof *found, compare_changes);
		*changes = found;
	} else {
		free(found);
	}

	free(was.items);
	free(is.items);
	return result;
}
