/* SPDX-License-Identifier: MIT */
/** @file Parsing of the records of an OOM kill in the log of the kernel. Private. */
#ifndef PM_PRESSURE_OOM_RECORD_H
#define PM_PRESSURE_OOM_RECORD_H

#include <procmem/oom_log.h>

/** Size of a text of a record that is kept, including the NUL. */
enum { PM_OOM_TEXT_SIZE = 2048 };

/** What earlier records have said about the next kill. Zeroed means nothing. */
struct pm_oom_parser {
	bool pid_known;                    /**< whether `pid` is known */
	pid_t pid;                         /**< process that will be killed */
	enum pm_oom_constraint constraint; /**< what was exhausted */
	/** `oom_memcg=...,task_memcg=...,task=NAME` of the record, still escaped */
	char groups[PM_OOM_TEXT_SIZE];
	/** The time when the kernel began to kill all processes of `group`; 0 if it does not */
	uint64_t whole_group_us;
	char group[PM_OOM_GROUP_SIZE];       /**< cgroup of the process, from another record */
	char limit_group[PM_OOM_GROUP_SIZE]; /**< cgroup with the limit, from another record */
};

/**
 * Parses the text of a record.
 *
 * @param parser   state; zeroed before the first record
 * @param text     the text after the `;`, NUL-terminated, with escapes such as `\x0a`
 * @param time_us  time of the record
 * @param kill     receives the kill; unchanged if the record does not complete one
 * @return         true if the record completes a kill
 */
bool pm_oom_record_parse(struct pm_oom_parser *parser, const char *text, uint64_t time_us,
                         struct pm_oom_kill *kill);

#endif
