/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writing an ELF core file piece by piece: header, notes, content, and behind it the table of
 * segments, which is known only then. Private.
 */
#ifndef PM_DUMP_CORE_WRITER_H
#define PM_DUMP_CORE_WRITER_H

#include <procmem/region.h>

#include "dump/output.h"

/** A load segment. */
struct pm_core_load {
	struct pm_range range; /**< its addresses */
	uint64_t offset;       /**< where its content is in the file, or would be */
	uint32_t perms;        /**< enum pm_perm bits */
	bool content;          /**< whether it has content */
};

enum { PM_CORE_NOTE_BUFFER = 64 * 1024 };

/** A core file being written; on the heap, it is large. */
struct pm_core_writer {
	struct pm_output output;
	uint64_t page;              /**< page size: contents lie in the file as they lie in pages */
	uint64_t at;                /**< first free offset */
	uint64_t notes_end;         /**< where the notes end */
	struct pm_core_load *loads; /**< by ascending address; owned */
	size_t count;               /**< how many */
	size_t capacity;            /**< room */
	size_t buffered;            /**< bytes in buffer, which belong before `at` */
	char buffer[PM_CORE_NOTE_BUFFER]; /**< collects notes */
};

/**
 * Makes a writer.
 * @param writer release with pm_core_writer_close()
 * @param error PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_core_writer_open(int fd, const volatile sig_atomic_t *cancel, struct pm_core_writer **writer,
                        struct pm_error *error);

/**
 * Releases a writer.
 * @param writer a writer or NULL
 */
void pm_core_writer_close(struct pm_core_writer *writer);

/**
 * Begins a note.
 * @param name "CORE" or "LINUX"
 * @param size bytes that follow by pm_core_note_bytes()
 * @param error as pm_output_bytes()
 */
int pm_core_note_begin(struct pm_core_writer *writer, const char *name, uint32_t type,
                       uint32_t size, struct pm_error *error);

/** Adds bytes to the note. */
int pm_core_note_bytes(struct pm_core_writer *writer, const void *bytes, size_t size,
                       struct pm_error *error);

/** Ends the note: the next one begins at a multiple of four. */
int pm_core_note_end(struct pm_core_writer *writer, struct pm_error *error);

/** Writes a whole note. */
int pm_core_note(struct pm_core_writer *writer, const char *name, uint32_t type, const void *bytes,
                 uint32_t size, struct pm_error *error);

/** Ends the notes: content follows. */
int pm_core_notes_end(struct pm_core_writer *writer, struct pm_error *error);

/**
 * Adds a segment, or makes the last one longer if this continues it.
 *
 * @param writer   the writer
 * @param range    its addresses, not below the end of the last segment
 * @param perms    enum pm_perm bits
 * @param content  whether it has content; zeros need not be written
 * @param bytes    the content, or NULL for zeros
 * @param joins    it may be made one with the last one: they are of the same region
 * @param error    as pm_output_bytes(), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_core_writer_add(struct pm_core_writer *writer, struct pm_range range, unsigned perms,
                       bool content, const char *bytes, bool joins, struct pm_error *error);

/**
 * Writes the tables and the header.
 * @param machine e_machine of the target
 * @param error as pm_output_bytes()
 * @return 0 or -1
 */
int pm_core_writer_finish(struct pm_core_writer *writer, uint16_t machine, struct pm_error *error);

#endif
