/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The chunks in use of a heap, counted by size and type, in a form that outlives the heap: it can
 * be stored in a recording (recorder.h), and two of them can be compared.
 *
 * Two histograms are compared class by class. A class is identified by its size, its content and
 * the name of its type, so the histograms can be of different processes.
 */
#ifndef PROCMEM_HISTOGRAM_H
#define PROCMEM_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/census.h>
#include <procmem/error.h>
#include <procmem/heap.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of classes of a histogram. */
#define PM_HISTOGRAM_CLASSES_MAX 4096

/** Chunks that have size, type and content in common. */
struct pm_histogram_class {
	uint64_t size;    /**< pm_chunk.size of each chunk: malloc's size, with the header */
	uint64_t count;   /**< number of chunks */
	uint64_t bytes;   /**< sum of the sizes */
	uint64_t missed;  /**< `bytes` is too low by at most this number */
	uint64_t example; /**< pm_chunk.start of one of the chunks */
	uint8_t content;  /**< enum pm_content */
	uint8_t word;     /**< as pm_chunk_type.word */
	bool text_varies; /**< as pm_census_class.text_varies */
	bool text_cut;    /**< as pm_census_class.text_cut */
	const char *name; /**< as pm_chunk_type.name; owned by the histogram */
	const char *text; /**< text as in pm_census_class.text; "" if there is none; owned by the
	                     histogram. It may contain any bytes except NUL */
};

/** The chunks in use of a heap. A zeroed histogram is empty. */
struct pm_histogram {
	/** False: the counts are approximate, as in pm_heap.complete */
	bool complete;
	char allocator[32]; /**< name of the allocator (pm_heap_allocator_name()) */
	uint64_t count;     /**< number of all chunks in use, also of those in no class */
	uint64_t bytes;     /**< sum of their sizes */
	uint64_t bound; /**< a class that is not in `classes` has at most this number of bytes */
	struct pm_histogram_class *classes; /**< most bytes first; owned */
	size_t class_count;                 /**< number of elements of `classes` */
	struct pm_texts *texts;             /**< private: owns the texts of all classes */
};

/**
 * Makes a histogram of a census. If the census has more than PM_HISTOGRAM_CLASSES_MAX classes,
 * those with the least bytes are left out.
 *
 * @param census     a census by size and type, sorted
 * @param heap       the heap whose chunks were counted
 * @param histogram  filled; release with pm_histogram_deinit()
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_histogram_make(const struct pm_census *census, const struct pm_heap *heap,
                                struct pm_histogram *histogram, struct pm_error *error);

/**
 * Releases a histogram; it is empty afterwards.
 * @param histogram  the histogram; may be zeroed
 */
PM_PUBLIC void pm_histogram_deinit(struct pm_histogram *histogram);

/** A class that differs in two histograms. */
struct pm_histogram_change {
	const struct pm_histogram_class *before; /**< NULL: the class is not in the first one */
	const struct pm_histogram_class *after;  /**< NULL: the class is not in the second one */
	int64_t count; /**< chunks in the second one, minus those in the first one */
	int64_t bytes; /**< the same in bytes */
	/** `bytes` is wrong by at most this number, because the counts of a histogram can be too
	 * low */
	uint64_t uncertain;
};

/**
 * Compares two histograms.
 *
 * @param before   the first one; must outlive the changes
 * @param after    the second one; must outlive the changes
 * @param changes  receives the classes that differ, the largest change in bytes first; release with
 *                 free()
 * @param count    receives the number of changes
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_histogram_compare(const struct pm_histogram *before,
                                   const struct pm_histogram *after,
                                   struct pm_histogram_change **changes, size_t *count,
                                   struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
