/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes an ELF core file: the notes, then the contents of the segments, then the program headers.
 * The program headers are at the end of the file, because they are known only when all segments
 * were added. Private.
 */
#ifndef PM_DUMP_CORE_WRITER_H
#define PM_DUMP_CORE_WRITER_H

#include <procmem/region.h>

#include "dump/output.h"

/** A load segment. */
struct pm_core_load {
	struct pm_range range; /**< addresses of the segment */
	/** Offset of the content in the file; valid even if there is no content */
	uint64_t offset;
	uint32_t perms; /**< enum pm_perm bits */
	bool content;   /**< whether the file contains the bytes of the segment */
};

/** Size in bytes of the buffer in which notes are collected before they are written. */
enum { PM_CORE_NOTE_BUFFER = 64 * 1024 };

/** A writer of a core file. The structure is large and must be allocated on the heap. */
struct pm_core_writer {
	struct pm_output output;    /**< the file */
	uint64_t page;              /**< page size in bytes; contents are aligned to pages */
	uint64_t at;                /**< first free offset of the file */
	uint64_t notes_end;         /**< offset in the file at which the notes end */
	struct pm_core_load *loads; /**< the segments, by ascending address; owned */
	size_t count;               /**< number of segments */
	size_t capacity;            /**< private */
	/** Number of bytes in `buffer`. Their offset in the file is `at` - `buffered`. */
	size_t buffered;
	char buffer[PM_CORE_NOTE_BUFFER]; /**< notes that were not written yet */
};

/**
 * Creates a writer.
 *
 * @param fd      an empty regular file
 * @param cancel  as for pm_output_init()
 * @param writer  receives the writer; release with pm_core_writer_close()
 * @param error   PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_core_writer_open(int fd, const volatile sig_atomic_t *cancel, struct pm_core_writer **writer,
                        struct pm_error *error);

/**
 * Releases a writer.
 * @param writer  a writer or NULL
 */
void pm_core_writer_close(struct pm_core_writer *writer);

/**
 * Starts a note. Then call pm_core_note_bytes() for the description, and pm_core_note_end() to end
 * the note.
 *
 * @param writer  the writer
 * @param name    "CORE" or "LINUX"
 * @param type    NT_...
 * @param size    size of the description in bytes
 * @param error   as for pm_output_bytes()
 * @return        0 or -1
 */
int pm_core_note_begin(struct pm_core_writer *writer, const char *name, uint32_t type,
                       uint32_t size, struct pm_error *error);

/**
 * Adds bytes to the description of a note.
 *
 * @param writer  the writer
 * @param bytes   the bytes
 * @param size    number of bytes
 * @param error   as for pm_output_bytes()
 * @return        0 or -1
 */
int pm_core_note_bytes(struct pm_core_writer *writer, const void *bytes, size_t size,
                       struct pm_error *error);

/**
 * Ends a note. Adds padding, so that the next note starts at a multiple of four bytes.
 *
 * @param writer  the writer
 * @param error   as for pm_output_bytes()
 * @return        0 or -1
 */
int pm_core_note_end(struct pm_core_writer *writer, struct pm_error *error);

/**
 * Writes a whole note.
 *
 * @param writer  the writer
 * @param name    "CORE" or "LINUX"
 * @param type    NT_...
 * @param bytes   the description
 * @param size    size of the description in bytes
 * @param error   as for pm_output_bytes()
 * @return        0 or -1
 */
int pm_core_note(struct pm_core_writer *writer, const char *name, uint32_t type, const void *bytes,
                 uint32_t size, struct pm_error *error);

/**
 * Ends the notes. Call this after the last note, and before pm_core_writer_add().
 *
 * @param writer  the writer
 * @param error   as for pm_output_bytes()
 * @return        0 or -1
 */
int pm_core_notes_end(struct pm_core_writer *writer, struct pm_error *error);

/**
 * Adds a segment. Extends the last segment instead if `joins` is true, the range starts where the
 * last segment ends, and both have content or both have none.
 *
 * @param writer   the writer
 * @param range    addresses of the segment; must not start before the end of the last segment
 * @param perms    enum pm_perm bits; not used if the last segment is extended
 * @param content  whether the file contains the bytes of the segment
 * @param bytes    the content; NULL for zeros, which become a hole in the file
 * @param joins    whether the last segment may be extended, because it is of the same region
 * @param error    as for pm_output_bytes(), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_core_writer_add(struct pm_core_writer *writer, struct pm_range range, unsigned perms,
                       bool content, const char *bytes, bool joins, struct pm_error *error);

/**
 * Writes the program headers and the ELF header.
 *
 * @param writer   the writer
 * @param machine  e_machine of the target
 * @param error    as for pm_output_bytes()
 * @return         0 or -1
 */
int pm_core_writer_finish(struct pm_core_writer *writer, uint16_t machine, struct pm_error *error);

#endif
