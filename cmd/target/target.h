/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds what a TARGET word refers to: a live process, a saved maps or smaps file, a core file,
 * or a recording.
 */
#ifndef CMD_TARGET_TARGET_H
#define CMD_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>

/** A target. */
struct target {
	const char *word;           /**< the TARGET as the user wrote it */
	struct pm_process *process; /**< the living process, NULL for a file; owned */
	const char *path; /**< path of the file or directory. For a recording, this is the same as
	                     `word`, including the @SAMPLE. NULL if the target is a process */
	bool recording;   /**< the target is a sample of a recording */
};

/**
 * Opens the process that a TARGET word refers to: a PID, /proc/PID (also followed by /smaps or
 * /maps), or a name that matches one process.
 *
 * @param target  filled; release it with target_close()
 * @param word    the word; must outlive the target
 * @param error   PM_ERROR_USAGE, PM_ERROR_NOT_FOUND, PM_ERROR_AMBIGUOUS (the text lists the
 *                processes), PM_ERROR_ACCESS
 * @return        0 or -1
 */
int target_open_process(struct target *target, const char *word, struct pm_error *error);

/**
 * Opens the process or the file that a TARGET word refers to: "-" is standard input, a word with a
 * slash is a path, and any other word is a file if it is not a process.
 *
 * @param target  filled; release it with target_close()
 * @param word    the word; must outlive the target
 * @param error   as for target_open_process()
 * @return        0 or -1
 */
int target_open(struct target *target, const char *word, struct pm_error *error);

/**
 * Tests whether a target is the process that was found earlier, and not one that has its PID now.
 *
 * @param target       the target
 * @param start_ticks  start time of the process that was found, in clock ticks since boot; 0 if any
 *                     process will do
 * @param error        PM_ERROR_GONE, and those of pm_process_read_info()
 * @return             0 or -1
 */
int target_check_start(const struct target *target, uint64_t start_ticks, struct pm_error *error);

/**
 * Splits a word that refers to a sample of a recording: FILE or FILE@WHICH.
 *
 * @param word   the word
 * @param which  receives the part of `word` that selects the sample (points into `word`), or "last"
 *               if there is none
 * @return       the path of the recording, to be released with free(); NULL if there is no such
 *               recording
 */
char *target_recording(const char *word, const char **which);

/**
 * Releases a target.
 * @param target  the target
 */
void target_close(struct target *target);

#endif
