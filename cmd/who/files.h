/* SPDX-License-Identifier: MIT */
/** @file The files and shared memory of a process that other processes use, too. */
#ifndef CMD_WHO_FILES_H
#define CMD_WHO_FILES_H

#include <procmem/file_users.h>

#include "base/out.h"
#include "target/target.h"
#include "who/who.h"

/**
 * Finds and prints the files and shared memory that a process has in common with others.
 *
 * @param target   the process
 * @param options  the options; without `all`, files that are only mapped privately are summed up,
 *                 such as programs and libraries
 * @param out      receives the list
 * @param error    as pm_maps_read() and pm_file_users_read()
 * @return         1 if there are such files, 0 if not, -1 on error
 */
int who_files_report(const struct target *target, const struct who_options *options,
                     struct out *out, struct pm_error *error);

#endif
