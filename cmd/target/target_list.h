/* SPDX-License-Identifier: MIT */
/** @file The targets that a TARGET word refers to, for commands that accept several processes. */
#ifndef CMD_TARGET_TARGET_LIST_H
#define CMD_TARGET_TARGET_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/cli.h"

/** Which processes a TARGET word refers to. */
enum target_list_which {
	TARGET_LIST_ONE,      /**< one process, or the PIDs of the word */
	TARGET_LIST_NAME,     /**< --all-processes: all that a name matches */
	TARGET_LIST_CHILDREN, /**< --children: a process and its descendants */
	TARGET_LIST_CGROUP,   /**< --cgroup: the memory cgroup of a process */
};

/** What is known about a process that was found, to recognise it. */
struct target_list_found {
	uint64_t start_ticks; /**< start time in clock ticks since boot; 0 if unknown */
	char *name;           /**< command name; owned */
};

/**
 * TARGET words, each of which refers to one target. A zeroed structure is an empty list.
 *
 * If the processes were found by a name, a parent or a cgroup, they can end before they are read.
 * Such a process is not a failure: target_list_report() names it in a note. A process that cannot
 * be read for another reason is a failure; the other processes are read.
 */
struct target_list {
	char **words;                 /**< the words; owned */
	size_t count;                 /**< number of words */
	size_t capacity;              /**< private */
	enum target_list_which which; /**< how the processes were found */
	struct target_list_found
		*found;  /**< parallel to `words`; NULL for TARGET_LIST_ONE; owned */
	char *group;     /**< path of the cgroup, for TARGET_LIST_CGROUP; owned */
	size_t beyond;   /**< number of processes that are not in the list, because there are more
	                    than PM_FAMILY_MAX; at least this number for TARGET_LIST_CHILDREN */
	size_t foreign;  /**< number of processes that are not in the list, because they belong to
	                    another PID namespace */
	bool incomplete; /**< other processes may be missing, too */
	size_t ended;    /**< number of processes that ended before they were read completely */
	struct text ended_names; /**< PIDs and names of the first of them */
	size_t unreadable;     /**< number of processes that could not be read for other reasons */
	size_t lacking;        /**< number of processes without a selected region */
	struct pm_error lacks; /**< the first error of these */
};

/** The options --all-processes, --children and --cgroup. */
extern const struct cli_option target_list_family_options[];

/** The names of these options, which exclude each other; see cli_spec.exclusive. */
#define TARGET_LIST_EXCLUSIVE "all-processes children cgroup"

/**
 * Parses --all-processes, --children or --cgroup; `into` is an enum target_list_which.
 * @see cli_parse_option
 */
int target_list_parse_family(void *into, int id, const char *value, struct pm_error *error);

/**
 * Finds the processes that a TARGET word refers to: several PIDs separated by commas, or what
 * `which` selects. Any other word becomes the only word of the list. The PID of this process is
 * skipped with a note on stderr.
 *
 * @param list   filled; release it with target_list_deinit(), also on failure
 * @param word   the word
 * @param which  which processes the word refers to
 * @param error  PM_ERROR_USAGE, those of target_open_process() and of pm_family_open()
 * @return       0 or -1
 */
int target_list_read(struct target_list *list, const char *word, enum target_list_which which,
                     struct pm_error *error);

/**
 * Tests whether the output tells the processes apart: there are several, or the options ask for
 * several.
 */
bool target_list_is_several(const struct target_list *list);

/**
 * Returns the number of processes that are missing: they could not be read, or are not in the list.
 * Those that have ended are not missing.
 */
size_t target_list_missing(const struct target_list *list);

/**
 * Returns the start time of a process of the list.
 * @return clock ticks since boot; 0 if any process with this PID will do
 */
uint64_t target_list_start_ticks(const struct target_list *list, size_t index);

/**
 * Handles a process that could not be read. If it was found by the command and has ended, this is
 * noted for target_list_report(). Otherwise the error is printed; of very many errors, the last
 * ones are only counted.
 *
 * @param list   the list
 * @param index  index of the process
 * @param error  why it could not be read
 * @param quiet  print no notes
 * @return       STATUS_ERROR; STATUS_NOTHING if the process has ended
 */
enum status target_list_failed(struct target_list *list, size_t index, const struct pm_error *error,
                               bool quiet);

/**
 * Handles a process that has no selected region. If it was found by the command, this is noted for
 * target_list_report(), because other processes may have such a region. Otherwise the error is
 * printed.
 *
 * @param list   the list
 * @param error  what no region matches
 */
void target_list_lacks(struct target_list *list, const struct pm_error *error);

/**
 * Reports on stderr which processes ended, and the number of those that could not be read or are
 * missing.
 *
 * @param list   the list
 * @param quiet  print no notes
 * @return       STATUS_ERROR if processes are missing that have not ended, otherwise STATUS_OK
 */
enum status target_list_report(const struct target_list *list, bool quiet);

/**
 * Releases a list.
 * @param list  the list; empty afterwards
 */
void target_list_deinit(struct target_list *list);

#endif
