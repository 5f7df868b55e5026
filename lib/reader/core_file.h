/* SPDX-License-Identifier: MIT */
/** @file An open core file, and functions that its parsers share (elf(5)). Private. */
#ifndef PM_READER_CORE_FILE_H
#define PM_READER_CORE_FILE_H

#include <string.h>

#include <procmem/core.h>

/** A load segment of a core file. */
struct pm_core_segment {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address after the last byte */
	uint64_t offset; /**< offset of the bytes of the segment in the core file */
	/** Number of bytes, from the start of the segment, that the file contains */
	uint64_t held;
	/**
	 * Number of bytes, from the start of the segment, that the file should contain according to
	 * its program header. If the file is truncated, this is more than `held`.
	 */
	uint64_t stated;
	unsigned perms; /**< enum pm_perm bits */
};

/** An entry of NT_FILE, which describes a mapping of a file. */
struct pm_core_name {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address after the last byte */
	uint64_t offset; /**< offset in the mapped file, in bytes */
	/** Path as the kernel wrote it, without " (deleted)"; part of pm_core.texts */
	const char *path;
	bool deleted; /**< whether the path ended in " (deleted)" */
};

/** Number of general registers of x86-64: struct user_regs_struct (sys/user.h). */
enum { PM_CORE_REGISTERS = 27 };

/** The general registers of a thread. */
struct pm_core_registers {
	pid_t tid;                         /**< thread ID */
	uint64_t words[PM_CORE_REGISTERS]; /**< in the order of struct user_regs_struct */
};

/** An open core file. */
struct pm_core {
	int fd;        /**< descriptor of the file; owned */
	uint64_t size; /**< size of the file in bytes */
	bool wide;     /**< whether the file is 64-bit */
	bool swapped;  /**< whether the byte order of the file differs from that of this machine */
	/** Whether the file has sections. gdb (BFD) writes sections, the kernel does not. */
	bool has_sections;
	struct pm_core_segment
		*segments;       /**< load segments, by ascending address, without overlaps */
	size_t segment_count;    /**< number of segments */
	size_t segment_capacity; /**< number of allocated segments */
	struct pm_core_name
		*names;    /**< entries of NT_FILE, by ascending address, without overlaps */
	size_t name_count; /**< number of entries in `names` */
	char *texts;       /**< contents of the NT_FILE note, followed by a NUL; owned */
	size_t note_count; /**< number of notes that were read */
	uint64_t vdso;     /**< address of [vdso] (AT_SYSINFO_EHDR), 0 if unknown */
	uint64_t stack;    /**< an address in the stack of the first thread (AT_RANDOM), 0 if
	                      unknown */
	uint16_t machine;  /**< machine from the ELF header, EM_... */
	struct pm_thread *threads; /**< threads, by ascending TID */
	size_t thread_capacity; /**< number of allocated threads; info.threads of them are used */
	struct pm_core_registers *registers; /**< registers of threads; only for x86-64 */
	size_t register_count;               /**< number of elements of `registers` */
	size_t register_capacity;            /**< number of allocated elements */
	struct pm_core_info info;            /**< facts about the process, for pm_core_info() */
};

/** Reads two bytes in the byte order of the file. */
static inline uint16_t pm_core_u16(const struct pm_core *core, const unsigned char *bytes)
{
	uint16_t value;
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap16(value) : value;
}

/** Reads four bytes in the byte order of the file. */
static inline uint32_t pm_core_u32(const struct pm_core *core, const unsigned char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap32(value) : value;
}

/**
 * Reads a word in the byte order of the file: four bytes in 32-bit files, eight in 64-bit files.
 */
static inline uint64_t pm_core_word(const struct pm_core *core, const unsigned char *bytes)
{
	uint64_t value;
	if (!core->wide)
		return pm_core_u32(core, bytes);
	memcpy(&value, bytes, sizeof value);
	return core->swapped ? __builtin_bswap64(value) : value;
}

/**
 * Reads bytes of a core file. Fails if the file does not contain all of the bytes.
 *
 * @param core    the core file; only `fd` and `size` are used
 * @param offset  offset of the bytes in the file
 * @param buffer  room for `size` bytes
 * @param size    number of bytes to read
 * @param what    name of the data, for the error message
 * @param error   PM_ERROR_FORMAT, PM_ERROR_IO
 * @return        0 or -1
 */
int pm_core_file_read(const struct pm_core *core, uint64_t offset, void *buffer, size_t size,
                      const char *what, struct pm_error *error);

#endif
