/* SPDX-License-Identifier: MIT */
/** @file The samples of a family: finds its processes again, reads their sizes and limits. */
#ifndef CMD_WATCH_FAMILY_RUN_H
#define CMD_WATCH_FAMILY_RUN_H

#include "watch/family/limits.h"
#include "watch/family/members.h"
#include "watch/family/regions.h"
#include "watch/family/rows.h"
#include "watch/options.h"

/** What happened to the followed process at a sample. */
enum family_event {
	FAMILY_NOTHING,   /**< nothing */
	FAMILY_WAITING,   /**< no process has the name */
	FAMILY_FOUND,     /**< a process with the name started; there was none before */
	FAMILY_RESTARTED, /**< the followed process ended, and another one is followed now */
};

/** A family that is being watched. */
struct family_run {
	const struct watch_options *options;
	const char *word;   /**< the TARGET as the user wrote it */
	pid_t root;         /**< PID of TARGET; 0 if TARGET is the name of the processes */
	uint64_t target_id; /**< family_member.id of this process; 0 if it is not in the family */
	struct pm_family *family;
	struct family_members members;
	struct family_limits limits;
	struct family_budget budget;
	struct family_rows rows; /**< valid after family_run_judge() */
	enum family_event event; /**< what happened at the last sample; only with --follow */
	uint64_t followed;       /**< with --follow: number of the process; 0 while there is none */
	pid_t previous;   /**< with --follow: PID of the process before it; 0 if there is none */
	bool waiting;     /**< with --follow: no process has the name */
	struct text news; /**< describes `event`, one line, escaped */
	uint64_t kills;   /**< private: number of killed processes that have not ended yet */
	double kill_time; /**< private: time of the sample that counted the last of them */
};

/**
 * Finds the processes, and takes the first sample.
 *
 * @param run      filled; release with family_run_close()
 * @param options  the options; must outlive the run
 * @param word     the TARGET; must outlive the run
 * @param error    as for target_open_process() and pm_family_open()
 * @return         0; -1 with nothing to release
 */
int family_run_open(struct family_run *run, const struct watch_options *options, const char *word,
                    struct pm_error *error);

/**
 * Takes the next sample.
 *
 * @param run    the run
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_IO
 * @return       0 or -1
 */
int family_run_step(struct family_run *run, struct pm_error *error);

/**
 * Computes all trends, and sorts the rows.
 * @param run   the run
 * @param sort  the order
 */
void family_run_judge(struct family_run *run, enum watch_sort sort);

/**
 * Checks whether no further process can belong to the family.
 * @param run  the run
 * @return     true or false
 */
bool family_run_is_over(const struct family_run *run);

/**
 * Releases a run.
 * @param run  the run, or zeroed; zeroed afterwards
 */
void family_run_close(struct family_run *run);

#endif
