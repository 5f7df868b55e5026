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
	CONDITION_ANON,     /**< resident bytes of private memory */
	CONDITION_FILE,     /**< resident bytes of mapped files */
	CONDITION_SHMEM,    /**< resident bytes of shared memory */
	CONDITION_SWAP,     /**< swapped bytes */
	CONDITION_SIZE,     /**< bytes of address space */
	CONDITION_THREADS,  /**< number of threads */
	CONDITION_REGIONS,  /**< number of regions */
	CONDITION_HEADROOM, /**< bytes left until the memory limit */
	CONDITION_GROW,     /**< growth of resident and swapped bytes within a time */
	CONDITION_RATE, /**< growth of resident and swapped bytes per unit of time, if the growth is
	                   steady */
	CONDITION_KIND, /**< resident and swapped bytes of all regions of some kinds */
	CONDITION_REGION,   /**< resident and swapped bytes of the largest region */
	CONDITION_SUBJECTS, /**< number of subjects, for tables */
};

/** One value of the list after the comparison. */
struct threshold {
	double value;    /**< in bytes, as a count, or in percent of the memory limit */
	char *text;      /**< text of the condition with only this value, such as "rss>2G"; owned */
	bool acted;      /**< the actions were performed */
	double acted_at; /**< time when the actions were performed last, in seconds */
};

/** A condition. */
struct condition {
	enum condition_subject subject; /**< what is compared */
	unsigned kinds;                 /**< bits of enum pm_kind, for CONDITION_KIND */
	bool below; /**< true: the condition holds while the quantity is below a value; false: while
	               it is above */
	bool percent; /**< the values are percent of the memory limit */
	/**
	 * For CONDITION_GROW, the period in which growth is counted, in seconds; 0 counts growth
	 * since the start. For CONDITION_RATE, the unit of time, in seconds.
	 */
	double seconds;
	struct threshold *thresholds; /**< ascending, or descending if `below`; owned */
	size_t count;                 /**< number of thresholds, at least one */
};

/**
 * Parses a condition. Spaces are ignored.
 *
 * @param condition  filled; release with condition_deinit()
 * @param text       the text
 * @param error      PM_ERROR_USAGE with an example
 * @return           0 or -1
 */
int condition_parse(struct condition *condition, const char *text, struct pm_error *error);

/**
 * Releases a condition.
 * @param condition as parsed, or zeroed; zeroed afterwards
 */
void condition_deinit(struct condition *condition);

/**
 * Checks whether the values of a subject are counts (of threads or regions), not bytes.
 * @param subject the subject
 * @return true or false
 */
static inline bool condition_counts(enum condition_subject subject)
{
	return subject == CONDITION_THREADS || subject == CONDITION_REGIONS;
}

#endif
