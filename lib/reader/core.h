/* SPDX-License-Identifier: MIT */
/** @file An open core file, and what its parsers share (elf(5)). Private. */
#ifndef PM_READER_CORE_H
#define PM_READER_CORE_H

#include <string.h>

#include <procmem/core.h>

/** A load segment. */
struct pm_core_segment {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address behind the last byte */
	uint64_t offset; /**< where its bytes are in the file */
	uint64_t held;   /**< how many of them the file really has, from the start */
	unsigned perms;  /**< enum pm_perm bits */
	bool cut;        /**< the file ends before the bytes that it promises of it */
};

/** An entry of NT_FILE: a mapping of a file. */
struct pm_core_name {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address behind the last byte */
	uint64_t offset; /**< in the mapped file, in bytes */
	const char *
		path; /**< lies in pm_core.texts; as the kernel names files; without " (deleted)" */
	bool deleted; /**< that stood behind it */
};

/** A core file. */
struct pm_core {
	int fd;            /**< owned */
	uint64_t size;     /**< of the file */
	bool wide;         /**< 64-bit */
	bool swapped;      /**< of the other byte order than ours */
	bool has_sections; /**< it has section headers besides: BFD wrote it, which is gdb (the
	                      kernel writes none) */
	struct pm_core_segment *segments; /**< by ascending address, without overlaps */
	size_t segment_count;             /**< how many */
	size_t segment_capacity;          /**< room */
	struct pm_core_name *names;       /**< by ascending address, without overlaps */
	size_t name_count;                /**< how many */
	char *texts;                      /**< the NT_FILE note, ending in a NUL */
	size_t note_count;                /**< how many notes were looked at */
	uint64_t vdso;    /**< where [vdso] begins (AT_SYSINFO_EHDR), 0 where unknown */
	uint64_t stack;   /**< an address in the stack of the first thread (AT_RANDOM), 0 where
	                     unknown */
	uint16_t machine; /**< EM_... */
	struct pm_thread *threads; /**< by ascending TID */
	size_t thread_capacity;    /**< room; how many there are tells info.threads */
	struct pm_core_info info;  /**< what is told about the process */
};

/** Number of two bytes in the file's byte order. */
static inline uint16_t pm_core_u16(const struct pm_core *core, const unsigned char *bytes)
{
	uint16_t value;
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap16(value) : value;
}

/** Number of four bytes in the file's byte order. */
static inline uint32_t pm_core_u32(const struct pm_core *core, const unsigned char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap32(value) : value;
}

/** Number of a word in the file's byte order: four bytes in 32-bit files, eight in 64-bit ones. */
static inline uint64_t pm_core_word(const struct pm_core *core, const unsigned char *bytes)
{
	uint64_t value;
	if (!core->wide)
		return pm_core_u32(core, bytes);
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap64(value) : value;
}

/**
 * Opens a core file by its descriptor, which it takes over also on failure. Otherwise as
 * pm_core_open().
 */
int pm_core_open_fd(int fd, struct pm_core **core, struct pm_error *error);

/**
 * Reads bytes of the file that must be there.
 * @param what for the error
 * @return 0, or -1 with PM_ERROR_FORMAT or PM_ERROR_IO
 */
int pm_core_read_exactly(const struct pm_core *core, uint64_t offset, void *buffer, size_t size,
                         const char *what, struct pm_error *error);

#endif
