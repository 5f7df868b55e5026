/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counting texts in bounded memory: which texts there are, and how often each occurs.
 *
 * When the memory is used up, the rarest texts are dropped. (Manku and Motwani, 2002, call this
 * lossy counting. In their algorithm, an error rate determines which texts are dropped. Here, the
 * available memory does.) Two bounds always hold:
 * - Every text that was added more than pm_tally_bound() times is in the tally.
 * - The count of a text in the tally is too low by at most pm_tally_item.missed.
 *
 * With pm_tally_add(), a tally counts equal texts together. With pm_tally_add_similar(), it counts
 * similar texts together, such as texts with the same template (text_template.h).
 *
 * If texts are added in ascending order of their addresses, the tally also finds the distance at
 * which a text recurs (pm_tally_item.stride). If the text is part of each record of a table, this
 * distance is the size of a record.
 */
#ifndef PROCMEM_TALLY_H
#define PROCMEM_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Smallest budget of a tally in bytes: enough for a few hundred short texts. */
#define PM_TALLY_BUDGET_MIN ((uint64_t)64 << 10)

/**
 * Largest budget of a tally in bytes. Positions in a tally are stored as 32-bit numbers, in units
 * of 8 bytes.
 */
#define PM_TALLY_BUDGET_MAX ((uint64_t)32 << 30)

/**
 * A tally; opaque. Only one thread at a time may use it, except for pm_tally_hash(), which any
 * number of threads may call at any time.
 */
struct pm_tally;

/** A text with its count. */
struct pm_tally_item {
	uint64_t hash; /**< private */
	/**
	 * Number of times that the text was added. If the text was dropped and added again, only
	 * additions after the last drop are counted.
	 */
	uint64_t count;
	/**
	 * `count` is too low by at most this number, because earlier additions may have been
	 * dropped. If 0, `count` is exact.
	 */
	uint64_t missed;
	uint64_t first; /**< pm_tally_text.first of the first text that `count` includes */
	uint64_t size;  /**< sum of pm_tally_text.size of the additions in `count` */
	uint64_t last;  /**< pm_tally_text.first of the last text that `count` includes */
	/**
	 * Distance in bytes at which the text recurs. A distance is measured each time that the
	 * text is added at a higher address than the time before. If more than half of the
	 * distances are equal, `stride` is this distance. Otherwise `stride` is one of the
	 * distances, not necessarily the most frequent one. 0 if no distance was measured.
	 */
	uint64_t stride;
	/** Lower bound of the number of distances that are equal to `stride` */
	uint64_t stride_count;
	uint64_t votes;  /**< private: as in the majority vote of Boyer and Moore */
	uint32_t length; /**< length of `text` in bytes */
	/** pm_tally_text.category. Texts of different categories are counted separately. */
	uint8_t category;
	/** True if `count` includes texts that differ from `text`, but are similar to it */
	bool varied;
	/**
	 * The text, not NUL-terminated. If `varied` is true, this is the first of the similar
	 * texts.
	 */
	char text[];
};

/** A text to count. */
struct pm_tally_text {
	/**
	 * pm_tally_hash() of the text. For pm_tally_add_similar(), the hash of what similar texts
	 * have in common, such as their template.
	 */
	uint64_t hash;
	const char *text; /**< any bytes; copied if the text is new */
	size_t length;    /**< length of `text` in bytes */
	/**
	 * Address of the text in the target, or any other number. Stored as pm_tally_item.first if
	 * the text is new.
	 */
	uint64_t first;
	uint64_t size; /**< number of bytes that the text occupies in the target */
	/**
	 * Any number, such as an enum pm_encoding. Texts of different categories are counted
	 * separately.
	 */
	uint8_t category;
};

/**
 * Creates an empty tally. Its memory is allocated at once, but the kernel provides pages only as
 * they are used.
 *
 * @param budget  maximum memory of the tally in bytes, PM_TALLY_BUDGET_MIN to PM_TALLY_BUDGET_MAX
 * @param tally   receives the tally; release with pm_tally_destroy()
 * @param error   PM_ERROR_USAGE (budget out of range), PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_tally_create(uint64_t budget, struct pm_tally **tally, struct pm_error *error);

/**
 * Releases a tally with all its items.
 * @param tally  the tally, or NULL
 */
PM_PUBLIC void pm_tally_destroy(struct pm_tally *tally);

/**
 * Computes the hash of a text for pm_tally_text.hash. The functions that add texts do not compute
 * the hash themselves, so that several threads can compute hashes in parallel.
 *
 * @param tally     the tally. Each tally has a random number on which its hashes depend, so that a
 *                  target cannot choose texts with equal hashes
 * @param category  category of the text
 * @param text      any bytes
 * @param length    length of `text` in bytes
 * @return          the hash
 */
PM_PUBLIC uint64_t pm_tally_hash(const struct pm_tally *tally, uint8_t category, const char *text,
                                 size_t length);

/**
 * Counts a text. May drop the rarest texts. A text is dropped at once if it needs more than a
 * quarter of the budget, or if its length is 4 GiB or more.
 *
 * @param tally  the tally, not sorted yet
 * @param text   the text; owned by the caller
 */
PM_PUBLIC void pm_tally_add(struct pm_tally *tally, const struct pm_tally_text *text);

/**
 * Counts a text together with similar texts: those with the same category and hash. The bytes of
 * the texts are not compared. A hash has 64 bits and depends on a random number. In a tally of a
 * million dissimilar texts, the probability that at least two of them have the same hash is about 1
 * in 30 million.
 *
 * @param tally  the tally, not sorted yet. Either all texts of a tally are added with this
 *               function, or none
 * @param text   the text; owned by the caller
 */
PM_PUBLIC void pm_tally_add_similar(struct pm_tally *tally, const struct pm_tally_text *text);

/**
 * Adds bytes to the size of the text that was added last in a category. If a text arrives in parts,
 * add its first part as a text, and call this function for each further part. Does nothing if the
 * text was dropped.
 *
 * @param tally     the tally, not sorted yet
 * @param category  category of the text
 * @param size      bytes to add to pm_tally_item.size
 */
PM_PUBLIC void pm_tally_extend(struct pm_tally *tally, uint8_t category, uint64_t size);

/**
 * Returns the number of items in a tally. Equal texts are one item. With pm_tally_add_similar(),
 * similar texts are one item.
 * @param tally  the tally
 * @return       the number of items
 */
PM_PUBLIC size_t pm_tally_count(const struct pm_tally *tally);

/**
 * Returns how often texts were dropped so far. A text that is added again, and dropped again,
 * counts each time.
 * @param tally  the tally
 * @return       the number; 0 means that all counts are exact
 */
PM_PUBLIC uint64_t pm_tally_dropped(const struct pm_tally *tally);

/**
 * Returns a bound: every text that is not in the tally was added at most this many times.
 * @param tally  the tally
 * @return       the bound; 0 if every text that was added is in the tally
 */
PM_PUBLIC uint64_t pm_tally_bound(const struct pm_tally *tally);

/** Orders of items, all descending. Items with equal values are ordered by ascending `first`. */
enum pm_tally_order {
	PM_TALLY_BY_COUNT,  /**< by pm_tally_item.count */
	PM_TALLY_BY_BYTES,  /**< by pm_tally_item.size */
	PM_TALLY_BY_LENGTH, /**< by the mean size: pm_tally_item.size / pm_tally_item.count */
};

/**
 * Sorts the texts. After that no text may be added.
 * @param tally  the tally
 * @param order  the order
 */
PM_PUBLIC void pm_tally_sort(struct pm_tally *tally, enum pm_tally_order order);

/**
 * Returns one of the sorted texts.
 * @param tally  the tally, sorted by pm_tally_sort()
 * @param index  position, less than pm_tally_count()
 * @return       the item; valid until pm_tally_destroy()
 */
PM_PUBLIC const struct pm_tally_item *pm_tally_get(const struct pm_tally *tally, size_t index);

#ifdef __cplusplus
}
#endif

#endif
