/* SPDX-License-Identifier: MIT */
/** @file What `procmem who` is asked about: a file, or what is mapped at an address. */
#ifndef CMD_WHO_SUBJECT_H
#define CMD_WHO_SUBJECT_H

#include <procmem/file_users.h>
#include <procmem/maps.h>

#include "base/text.h"
#include "target/target.h"
#include "view/json.h"

/** A file or shared memory. */
struct who_subject {
	struct pm_file file;        /**< its identity */
	struct pm_file_state state; /**< its sizes */
	const char *path;           /**< the FILE; NULL for an address */
	char *name;                 /**< its absolute path, or the name of memory; owned, or NULL */
	struct target target;       /**< the process; zeroed for a FILE */
	struct pm_regions regions;  /**< its regions */
	const struct pm_region *region; /**< the region that contains the address */
	uint64_t address;               /**< the ADDRESS; 0 for a FILE */
};

/**
 * Finds the file at a path.
 *
 * @param subject  filled; release it with who_subject_deinit()
 * @param path     the path; must outlive the subject
 * @param error    as pm_file_from_path()
 * @return         0 or -1
 */
int who_subject_from_path(struct who_subject *subject, const char *path, struct pm_error *error);

/**
 * Finds what is mapped at an address of a process.
 *
 * @param subject  filled; release it with who_subject_deinit()
 * @param word     the TARGET; must outlive the subject
 * @param address  the address
 * @param error    PM_ERROR_NOT_FOUND if nothing is mapped there, PM_ERROR_USAGE for private memory,
 *                 and the errors of target_open_process() and pm_maps_read()
 * @return         0 or -1
 */
int who_subject_from_address(struct who_subject *subject, const char *word, uint64_t address,
                             struct pm_error *error);

/**
 * Reads the sizes again.
 *
 * @param subject  the subject
 * @param state    receives the sizes; unknown if the path names another file now, or the mapping is
 *                 gone
 */
void who_subject_measure(const struct who_subject *subject, struct pm_file_state *state);

/**
 * Adds the name: the path, or what maps shows, escaped. After a link in /proc, the name of the file
 * that it leads to is added.
 *
 * @param subject  the subject
 * @param text     receives the name
 */
void who_subject_put_name(const struct who_subject *subject, struct text *text);

/**
 * Writes `file`: an object with what is known about the file itself.
 *
 * @param json   the output
 * @param file   the file
 * @param state  its sizes
 */
void who_subject_put_json(struct json *json, const struct pm_file *file,
                          const struct pm_file_state *state);

/**
 * Returns whether the file is memory that the kernel names as deleted from its start, such as a
 * memfd, so that it means nothing that it has no name.
 *
 * @param file  the file
 * @return      true or false
 */
bool who_subject_never_had_name(const struct pm_file *file);

/**
 * Releases the subject.
 * @param subject  the subject, or zeroed
 */
void who_subject_deinit(struct who_subject *subject);

#endif
