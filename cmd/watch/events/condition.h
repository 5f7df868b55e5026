/* SPDX-License-Identifier: MIT */
/**
 * @file Conditions as the user writes them: `rss>1G,2G`, `grow>200M/60s`, `kind:arena>1G`,
 * `headroom<15%`.
 */
#ifndef CMD_WATCH_EVENTS_CONDITION_H
#define CMD_WATCH_EVENTS_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

/** What is compared. */
enum condition_subject {
	CONDITION_RSS,      /**< resident bytes of the process */
	CONDITION_ANON,     /**< the private part of them */
	CONDITION_FILE,     /**< that of mapped files */
	CONDITION_SHMEM,    /**< that of shared memory */
	CONDITION_SWAP,     /**< swapped bytes */
	CONDITION_SIZE,     /**< bytes of address space */
	CONDITION_THREADS,  /**< number of threads */
	CONDITION_REGIONS,  /**< number of regions */
	CONDITION_HEADROOM, /**< bytes that the memory limit leaves */
	CONDITION_GROW,     /**< growth of resident and swapped bytes within a time */
	CONDITION_RATE,     /**< how fast they grow, where that is steady */
	CONDITION_KIND,     /**< resident and swapped bytes of all regions of some kinds */
	CONDITION_REGION,   /**< those of the largest region */
	CONDITION_SUBJECTS, /**< number of subjects, for tables */
};

/** One value of the list behind the comparison. */
struct threshold {
	double value;    /**< bytes, a number, or percent */
	char *text;      /**< the condition with this value only, "rss>2G"; owned */
	bool acted;      /**< it was acted on */
	double acted_at; /**< when, in seconds; the latest time */
};

/** A condition. */
struct condition {
	enum condition_subject subject; /**< what is compared */
	unsigned kinds;                 /**< bits of enum pm_kind, for CONDITION_KIND */
	bool below;                     /**< holds below the values, not above */
	bool percent;                   /**< the values are percent of the memory limit */
	double seconds; /**< time in which something grows, 0: since the beginning; unit of time of
	                   a rate */
	struct threshold *thresholds; /**< in the order in which they are passed; owned */
	size_t count;                 /**< how many, at least one */
};

/**
 * Parses a condition. Blanks are left out.
 *
 * @param condition  filled; release with condition_deinit()
 * @param text       the text
 * @param error      PM_ERROR_USAGE with what a condition looks like
 * @return           0 or -1
 */
int condition_parse(struct condition *condition, const char *text, struct pm_error *error);

/**
 * Releases it.
 * @param condition as parsed, or zeroed
 */
void condition_deinit(struct condition *condition);

/**
 * What a subject's values are.
 * @param subject the subject
 * @return whether they count things and are not bytes
 */
static inline bool condition_counts(enum condition_subject subject)
{
	return subject == CONDITION_THREADS || subject == CONDITION_REGIONS;
}

#endif
