/* SPDX-License-Identifier: MIT */
/** @file Which directory, file or shared memory holds the shared memory of a cgroup. */
#ifndef CMD_CGROUP_SUSPECT_H
#define CMD_CGROUP_SUSPECT_H

#include "base/text.h"
#include "cgroup/cgroup.h"

/**
 * Sorts the objects of the start of --for, so that they can be found.
 * @param files  the files
 */
void cgroup_suspect_sort(struct cgroup_files *files);

/**
 * Finds how fast an object grows.
 *
 * @param files   the files
 * @param object  an object of `files->objects`
 * @param rate    receives bytes per second, negative if it shrinks
 * @return        false if it is not known
 */
bool cgroup_suspect_rate(const struct cgroup_files *files, const struct pm_shared_object *object,
                         double *rate);

/**
 * Adds what accounts for most of the growth of the shared memory of a cgroup, if something grows
 * about as fast. Adds nothing otherwise.
 *
 * @param files  the files
 * @param rate   growth of the shared memory in bytes per second
 * @param text   receives the words, which start with a comma
 */
void cgroup_suspect_put_growing(const struct cgroup_files *files, double rate, struct text *text);

/**
 * Adds what accounts for most of the shared memory of a cgroup, if something is about as large.
 * Adds nothing otherwise.
 *
 * @param files  the files
 * @param shmem  size of the shared memory in bytes
 * @param text   receives the words, which start with a comma
 */
void cgroup_suspect_put_large(const struct cgroup_files *files, uint64_t shmem, struct text *text);

#endif
