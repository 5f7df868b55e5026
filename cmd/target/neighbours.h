/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes around a target: its descendants, the processes that share its memory limit, and,
 * if the memory of the machine is its limit, all processes. Each sample reads statm of each of
 * them, and the other sizes only of those that changed. At the end, the growth of each is judged,
 * so that what fills the memory has a name even if it is not the target.
 *
 *     struct neighbours neighbours = { 0 };
 *
 *     neighbours_begin(&neighbours, process, &options);
 *     for each sample
 *             neighbours_add(&neighbours, time, &error);
 *     neighbours_judge(&neighbours, &error);
 *     neighbours_put_growth(&neighbours, &text);
 *     neighbours_deinit(&neighbours);
 */
#ifndef CMD_TARGET_NEIGHBOURS_H
#define CMD_TARGET_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/members.h>
#include <procmem/memory_use.h>
#include <procmem/series.h>
#include <procmem/trend.h>

#include "base/text.h"
#include "view/json.h"

/** What a process is to the target. The first that applies. */
enum neighbour_relation {
	NEIGHBOUR_TARGET,     /**< the target itself */
	NEIGHBOUR_CHILD,      /**< a child of the target */
	NEIGHBOUR_DESCENDANT, /**< a child of a child, and so on */
	NEIGHBOUR_MEMBER,     /**< another process of its cgroup */
	NEIGHBOUR_NAMED,      /**< another process with the name that was asked for */
	NEIGHBOUR_MACHINE,    /**< another process of the machine */
	NEIGHBOUR_RELATIONS,  /**< number of relations, for tables */
};

/** A process and its memory over time. */
struct neighbour {
	struct pm_memory_use use;         /**< identity and sizes at the last sample */
	enum neighbour_relation relation; /**< what it is to the target */
	bool named;                       /**< neighbours_follow() was called for it */
	bool in_group;                    /**< it shares the memory limit of the target */
	bool gone; /**< it has ended; `use` is that of the sample before, the next one removes it */
	bool own;  /**< it is this program, which is never named */
	double since; /**< time when it was first seen, in seconds */
	/**
	 * Anonymous and swapped-out memory at the start of its growth, in bytes: the first value
	 * or, for a process that has started since the first sample, the part of it that can be
	 * shared with its parent
	 */
	uint64_t baseline;
	uint64_t first_file;     /**< pm_memory_use.file when it was first seen, in bytes */
	struct pm_series series; /**< pm_memory_use_kept(), in bytes */
	struct pm_trend trend;   /**< trend of `series`; zeroed before neighbours_judge() */
};

/** What is observed. */
struct neighbours_options {
	const char *sys_root; /**< directory that replaces /sys; NULL means "/sys" */
	bool family;          /**< the descendants of the target */
	bool group;           /**< the processes that share its memory limit */
	bool own_group;       /**< if no cgroup has a limit, those of its own cgroup */
	bool machine;         /**< all processes */
};

/**
 * Maximum number of processes that are followed: the target, its descendants and those that were
 * asked for by name first, then those that share its memory limit, then those of the machine.
 * Further processes are counted in neighbours.left_out.
 */
enum { NEIGHBOURS_MAX = 4096 };

/** Maximum number of processes without access that are named; all are counted. */
enum { NEIGHBOURS_REFUSED = 4 };

/** The processes around a target. Zeroed before the first use. */
struct neighbours {
	struct pm_process *process; /**< the target; not owned */
	struct neighbours_options options;
	struct neighbour *items;      /**< in the order in which they were found; owned */
	size_t count;                 /**< number of elements of `items` */
	size_t capacity;              /**< private */
	struct neighbours_seen *seen; /**< private: the parents of all processes; owned */
	size_t seen_count;            /**< private */
	char *group;                  /**< path of the cgroup; NULL if there is none; owned */
	size_t others;  /**< processes of the cgroup that are in other PID namespaces, and
	                   therefore not visible */
	size_t refused; /**< processes whose sizes could not be read when they were listed last */
	pid_t refused_pids[NEIGHBOURS_REFUSED];  /**< the first of them */
	size_t left_out;                         /**< processes beyond NEIGHBOURS_MAX, or more */
	size_t left_out_by[NEIGHBOUR_RELATIONS]; /**< private: when they were listed last */
	bool incomplete;                         /**< some child cgroups could not be read */
	double first;                            /**< time of the first sample, in seconds */
	double last;                             /**< time of the last sample, in seconds */
	uint64_t samples;                        /**< number of samples */
	double list_due; /**< private: time when all processes are listed again */
	double read_due; /**< private: time when processes of the machine are read again */
};

/**
 * Starts to observe.
 *
 * @param neighbours  zeroed; release with neighbours_deinit()
 * @param process     the target; must outlive `neighbours`
 * @param options     what is observed
 */
void neighbours_begin(struct neighbours *neighbours, struct pm_process *process,
                      const struct neighbours_options *options);

/**
 * Continues with another target. The samples of processes that remain related are kept.
 *
 * @param neighbours  the processes
 * @param process     the target from now on; must outlive `neighbours`
 * @param options     what is observed from now on
 */
void neighbours_move(struct neighbours *neighbours, struct pm_process *process,
                     const struct neighbours_options *options);

/**
 * Adds a sample. Processes that have started since the last sample are added, and those that have
 * ended are marked. At most 5 % of a processor is spent on listing processes: on machines with very
 * many, not each sample lists them again.
 *
 * @param neighbours  the processes
 * @param time        time of the sample, in seconds; later than the last one
 * @param error       PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int neighbours_add(struct neighbours *neighbours, double time, struct pm_error *error);

/**
 * Follows a process with the relation NEIGHBOUR_NAMED, unless it is followed already. Does nothing
 * if the process has ended.
 *
 * @param neighbours  the processes
 * @param pid         process ID
 * @param time        time of the last or of the next sample, in seconds
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int neighbours_follow(struct neighbours *neighbours, pid_t pid, double time,
                      struct pm_error *error);

/**
 * Judges the growth of each process.
 * @param neighbours  the processes
 */
void neighbours_judge(struct neighbours *neighbours);

/**
 * Returns the rate of a process: that of its trend, or, if this is not known, its mean growth.
 *
 * @param neighbour  a process, judged
 * @param estimate   receives true if the rate is an estimate; may be NULL
 * @return           bytes per second; may be negative
 */
double neighbours_rate(const struct neighbour *neighbour, bool *estimate);

/**
 * Tests whether a process grows, as far as that can be said: its trend has a rate, or it has grown
 * noticeably and was not observed for long enough. Of a process that has only the machine in common
 * with the target, the rate must be known. A process that has grown and stopped does not.
 * This program itself never does.
 *
 * @param item  a process, judged
 * @return      true or false
 */
bool neighbours_grows(const struct neighbour *item);

/**
 * Lists the processes that grow, fastest first. The target is among them if it grows. Processes
 * that have ended are not. Processes that have only the machine in common with the target are last.
 *
 * @param neighbours  the processes, judged
 * @param list        receives up to `max` processes
 * @param max         number of elements of `list`
 * @return            number of processes stored in `list`
 */
size_t neighbours_growing(const struct neighbours *neighbours, const struct neighbour **list,
                          size_t max);

/**
 * Tests whether the growth of a process can be charged to the group: shared memory that is charged
 * to another group does not use up its limit.
 *
 * @param neighbours  the processes
 * @param neighbour   one of them
 * @param shmem_rate  growth of the shared memory that is charged to the group, in bytes per second
 * @return            whether at least half of its growth is private, or can be part of `shmem_rate`
 */
bool neighbours_is_charged(const struct neighbours *neighbours, const struct neighbour *neighbour,
                           double shmem_rate);

/**
 * Returns the mean growth of the anonymous and swapped-out memory of all processes that share the
 * limit. Shared memory is not part of it, because several processes can map the same.
 *
 * @param neighbours  the processes
 * @return            bytes per second; may be negative
 */
double neighbours_group_rate(const struct neighbours *neighbours);

/**
 * Finds the target among the processes.
 * @param neighbours  the processes
 * @return            the target; NULL before the first sample
 */
const struct neighbour *neighbours_target(const struct neighbours *neighbours);

/**
 * Adds the name of a process, escaped: "child 4720 worker", "process 4731 sidecar".
 *
 * @param neighbour  the process
 * @param text       receives the name
 */
void neighbours_put_name(const struct neighbour *neighbour, struct text *text);

/**
 * Adds which of the processes grow, in one sentence: "child 4720 worker +1.1M/s; 4711 itself does
 * not grow (its RSS)". Adds nothing if no process other than the target grows.
 *
 * @param neighbours  the processes, judged
 * @param max         maximum number of processes that are named
 * @param text        receives the sentence, without a newline
 * @return            true if something was added
 */
bool neighbours_put_growth(const struct neighbours *neighbours, size_t max, struct text *text);

/**
 * Adds which processes are missing: "; 2 processes of other PID namespaces are not visible". Adds
 * nothing if none is.
 *
 * @param neighbours  the processes
 * @param text        receives the words
 */
void neighbours_put_missing(const struct neighbours *neighbours, struct text *text);

/**
 * Returns the name of a relation, as in JSON, such as "child".
 * @param relation  the relation
 * @return          a constant text
 */
const char *neighbours_relation_name(enum neighbour_relation relation);

/**
 * Releases the processes.
 * @param neighbours  the processes; zeroed afterwards
 */
void neighbours_deinit(struct neighbours *neighbours);

#endif
