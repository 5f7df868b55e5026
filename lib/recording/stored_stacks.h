/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the tables `frame` and `stack` of a recording, which store stacks with the
 * names of their functions. Private.
 */
#ifndef PM_RECORDING_STORED_STACKS_H
#define PM_RECORDING_STORED_STACKS_H

#include <procmem/site_list.h>

#include "recording/database.h"

/** SQL that creates the tables that do not exist. */
#define PM_STORED_STACKS_SCHEMA                                                              \
	"CREATE TABLE IF NOT EXISTS frame (id INTEGER PRIMARY KEY, function TEXT NOT NULL, " \
	"module TEXT NOT NULL, module_address INTEGER NOT NULL, address INTEGER NOT NULL, "  \
	"file TEXT NOT NULL, line INTEGER NOT NULL, source TEXT NOT NULL, UNIQUE (address, " \
	"function, module, module_address, file, line, source));"                            \
	"CREATE TABLE IF NOT EXISTS stack (id INTEGER PRIMARY KEY, frames TEXT NOT NULL, "   \
	"cut INTEGER NOT NULL, UNIQUE (frames, cut));"

/** Reads stacks. */
struct pm_stored_stacks_reader {
	const struct pm_database *database;
	sqlite3_stmt *find;      /**< finds a stack by its ID */
	int64_t *ids;            /**< IDs of all frames, ascending */
	struct pm_frame *frames; /**< the frame of each ID */
	size_t count;            /**< number of frames */
	size_t id_capacity, capacity;
	struct pm_frame *stack; /**< the last stack; room for PM_SITE_FRAMES_MAX */
	size_t total;           /**< frames of all stacks that were read */
};

/**
 * Reads all frames of a recording.
 *
 * @param reader    filled; release with pm_stored_stacks_reader_deinit(), even on failure
 * @param database  the recording
 * @param list      will own the texts of the frames
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_stored_stacks_reader_init(struct pm_stored_stacks_reader *reader,
                                 const struct pm_database *database, struct pm_site_list *list,
                                 struct pm_error *error);

/**
 * Reads a stack.
 *
 * @param reader  the reader
 * @param id      ID of the stack
 * @param stack   receives the frames, valid until the next stack is read
 * @param error   PM_ERROR_IO, PM_ERROR_FORMAT
 * @return        0 or -1
 */
int pm_stored_stacks_reader_read(struct pm_stored_stacks_reader *reader, int64_t id,
                                 struct pm_stack *stack, struct pm_error *error);

/** Releases a reader. */
void pm_stored_stacks_reader_deinit(struct pm_stored_stacks_reader *reader);

/** Writes stacks. */
struct pm_stored_stacks_writer {
	const struct pm_database *database;
	sqlite3_stmt *find_frame, *add_frame, *find_stack, *add_stack;
	char *text; /**< the frames of a stack; room for PM_SITE_FRAMES_MAX */
};

/**
 * Prepares to write stacks.
 *
 * @param writer    filled; release with pm_stored_stacks_writer_deinit(), even on failure
 * @param database  the recording
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_stored_stacks_writer_init(struct pm_stored_stacks_writer *writer,
                                 const struct pm_database *database, struct pm_error *error);

/**
 * Writes a stack, unless the file has it.
 *
 * @param writer  the writer
 * @param stack   the stack; at most PM_SITE_FRAMES_MAX frames
 * @param id      receives the ID of the stack
 * @param error   PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_stored_stacks_writer_write(struct pm_stored_stacks_writer *writer,
                                  const struct pm_stack *stack, int64_t *id,
                                  struct pm_error *error);

/** Releases a writer. */
void pm_stored_stacks_writer_deinit(struct pm_stored_stacks_writer *writer);

#endif
