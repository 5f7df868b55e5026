/* SPDX-License-Identifier: MIT */
/**
 * @file What a TARGET word means: a living process, or a file: saved maps or smaps text, a core
 * file, a recording.
 */
#ifndef CMD_TARGET_TARGET_H
#define CMD_TARGET_TARGET_H

#include <stdbool.h>

#include <procmem/process.h>

/** What is looked at. */
struct target {
	const char *word;           /**< as the user wrote it */
	struct pm_process *process; /**< the living process, NULL for a saved file */
	const char *path; /**< the saved file or directory, NULL for a process; of a recording as
	                     `word`, with the sample */
	bool recording;   /**< it is a sample of a recording */
};

/**
 * Finds the process that a TARGET word means: a PID, /proc/PID (also with /smaps or /maps), or a
 * name that fits one process.
 *
 * @param target  filled; release with target_close()
 * @param word    the word; must outlive the target
 * @param error   PM_ERROR_USAGE, PM_ERROR_NOT_FOUND, PM_ERROR_AMBIGUOUS (the text lists the
 * processes), PM_ERROR_ACCESS
 * @return        0 or -1
 */
int target_open_process(struct target *target, const char *word, struct pm_error *error);

/**
 * The same, and besides saved files: "-" is standard input, a word with a slash in it is a path,
 * one that is no process is tried as a file.
 *
 * @param target  filled; release with target_close()
 * @param word    the word; must outlive the target
 * @param error   as target_open_process()
 * @return        0 or -1
 */
int target_open(struct target *target, const char *word, struct pm_error *error);

/**
 * Takes a word apart that names a sample of a recording: FILE or FILE@WHICH.
 *
 * @param word   it
 * @param which  set to what names the sample, "last" where nothing does; points into the word
 * @return       the file, to be freed; NULL where there is no such recording
 */
char *target_recording(const char *word, const char **which);

/**
 * Releases a target.
 * @param target the target
 */
void target_close(struct target *target);

#endif
