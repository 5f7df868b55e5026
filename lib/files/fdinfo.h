/* SPDX-License-Identifier: MIT */
/** @file Parsing of fdinfo (proc_pid_fdinfo(5)). Private. */
#ifndef PM_FILES_FDINFO_H
#define PM_FILES_FDINFO_H

#include <stdbool.h>
#include <stdint.h>

/** What fdinfo says about a descriptor. */
struct pm_fdinfo {
	uint64_t offset; /**< file offset ("pos") in bytes */
	bool writable;   /**< whether the descriptor was opened for writing; O_PATH is not */
};

/**
 * Parses the text of fdinfo.
 *
 * @param text  the text, NUL-terminated
 * @param info  receives the values
 * @return      false if "pos" or "flags" is missing or has another format; `info` is then unchanged
 */
bool pm_fdinfo_parse(const char *text, struct pm_fdinfo *info);

#endif
