/* SPDX-License-Identifier: MIT */
/** @file The processes of a family over time: their sizes and trends, and those of their sum. */
#ifndef CMD_WATCH_FAMILY_MEMBERS_H
#define CMD_WATCH_FAMILY_MEMBERS_H

#include <procmem/family.h>

#include "base/text.h"
#include "watch/history.h"

/**
 * Maximum number of rows of ended processes. If more processes have ended, those that ended first
 * are only counted.
 */
enum { FAMILY_ENDED_MAX = 32 };

struct family_regions;

/** A process. Memory is resident and swapped bytes. */
struct family_member {
	uint64_t id;                /**< pm_family_member.id */
	pid_t pid;                  /**< process ID; 0 if unknown */
	char comm[PM_COMM_SIZE];    /**< command name, any bytes; "" if unknown */
	enum pm_family_state state; /**< whether the process runs and can be read */
	/** Why the process has ended or cannot be read, escaped; otherwise empty. */
	struct text note;
	bool measured; /**< the sizes are those of the last sample or, if it ended, its last ones */
	/** The process appeared, became readable or called exec after the time from which growth
	 * is counted. */
	bool born;
	bool followed; /**< it was the one that is followed (--follow) */
	bool replaced; /**< it is `born` only because it called exec */
	/** With `replaced`: memory before exec, at the time from which growth is counted. */
	uint64_t before_exec;
	uint32_t execs;    /**< pm_family_member.execs */
	uint64_t rss;      /**< resident bytes */
	uint64_t swap;     /**< swapped bytes */
	uint32_t threads;  /**< number of threads */
	uint64_t first;    /**< memory at the time from which its growth is counted */
	uint64_t previous; /**< memory at the sample before the last one */
	double started; /**< time at which the process started, as pm_sample.time; 0 if unknown */
	double until;   /**< time at which its end was noticed; 0 while it runs */
	double judged;  /**< time of the last family_members_judge(); 0 if there was none */
	/** Memory over time; the trend is valid after family_members_judge(). */
	struct watch_series memory;
	/** Its regions; NULL unless they are measured. Owned by family/regions.c */
	struct family_regions *regions;
};

/**
 * The sum of the family. Memory that several processes share counts for each of them.
 *
 * The memory of a process that has ended is no longer used, so the sum falls. Such a fall hides
 * that other processes grow. Therefore the changes within processes are also summed up: a process
 * that starts or ends does not change this sum, and neither does one that calls exec.
 */
struct family_sum {
	struct watch_series total; /**< memory of all processes that run */
	/** Memory of the first sample, and the changes within processes; its time is without
	 * family_members.gaps */
	struct watch_series within;
	uint64_t memory;  /**< last value of `total` */
	uint64_t first;   /**< value of `total` at the time from which growth is counted */
	uint64_t origin;  /**< first value of `total` */
	int64_t staying;  /**< growth of processes that run since that time */
	uint64_t arrived; /**< memory of processes that have started since, and run */
	/** Memory of processes that called exec since that time, and run, minus what they had then.
	 */
	int64_t exec_growth;
	/** Memory at that time of processes that have ended, or cannot be read any more. */
	uint64_t released;
	int64_t change; /**< changes within processes since the first sample */
	/** Part of `change` in mapped files, as far as the regions of the processes are measured.
	 */
	int64_t file_change;
	size_t arrived_count;  /**< number of processes whose memory is in `arrived` */
	size_t exec_count;     /**< number of processes whose growth is in `exec_growth` */
	size_t released_count; /**< number of processes whose memory is in `released` */
};

/** All processes. A zeroed struct contains no sample. */
struct family_members {
	struct family_member *items; /**< by ascending `id`; owned */
	size_t count;                /**< number of items */
	size_t capacity;             /**< private */
	size_t alive;                /**< number of processes that run and can be read */
	size_t unreadable;           /**< number of processes that cannot be read */
	size_t ended;                /**< number of processes that have ended so far */
	size_t dropped;       /**< number of processes that have ended and have no item any more */
	size_t dropped_lives; /**< number of those that were `followed` */
	size_t beyond;        /**< pm_family_view.beyond */
	size_t foreign;       /**< pm_family_view.foreign */
	bool incomplete;      /**< pm_family_view.incomplete */
	bool changed;         /**< a process appeared or ended after the first sample */
	bool continued;       /**< private: a process was measured at the last two samples */
	/**
	 * Sum of the times between two samples of which no process was measured at both, in
	 * seconds. No change within a process can be known for this time.
	 */
	double gaps;
	struct family_sum sum;
	double began;     /**< time of the first sample, as pm_sample.time */
	double now;       /**< time of the last sample */
	double before;    /**< time of the sample before; 0 if there is none */
	int64_t wall_ns;  /**< time of day of the last sample: nanoseconds since 1970, UTC */
	uint64_t samples; /**< number of samples */
};

/**
 * Adds a sample.
 *
 * @param members  the processes
 * @param view     the members of the family, after an update
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int family_members_add(struct family_members *members, const struct pm_family_view *view,
                       struct pm_error *error);

/**
 * Returns the memory of a process.
 * @param member  the process
 * @return        resident and swapped bytes at the last sample
 */
uint64_t family_members_memory(const struct family_member *member);

/**
 * Returns the growth of a process.
 * @param member  the process
 * @return        change of its memory in bytes since the time from which growth is counted
 */
int64_t family_members_growth(const struct family_member *member);

/**
 * Returns whether no process was measured at the last sample and at the one before: all have ended,
 * or were replaced. Growth between these samples is not known.
 *
 * @param members  the processes
 * @return         false after the first sample
 */
bool family_members_has_gap(const struct family_members *members);

/**
 * Computes the trends of all processes and of the sum.
 * @param members  the processes
 */
void family_members_judge(struct family_members *members);

/**
 * Returns the trend that is the verdict on the family: that of the sum or, if the memory that ended
 * processes released hides growth, that of the changes within processes.
 *
 * @param members  the processes, after family_members_judge()
 * @return         the trend; valid as long as the processes
 */
const struct pm_trend *family_members_trend(const struct family_members *members);

/**
 * Finds a process.
 *
 * @param members  the processes
 * @param id       the number of the process, family_member.id
 * @return         the process; NULL if it has no item. Valid until the next sample
 */
struct family_member *family_members_find(const struct family_members *members, uint64_t id);

/**
 * Resets growth: growth is then counted from the sample that is the last one now.
 * @param members  the processes
 */
void family_members_rebase(struct family_members *members);

/**
 * Releases the processes. Their `regions` must have been closed.
 * @param members  the processes, or zeroed; zeroed afterwards
 */
void family_members_deinit(struct family_members *members);

#endif
