/* SPDX-License-Identifier: MIT */
/** @file Builds core files. */
#ifndef TESTS_SUPPORT_CORE_IMAGE_H
#define TESTS_SUPPORT_CORE_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/core.h"

enum { PAGE = 4096 };

/** A core file that is built. */
struct core_image {
	unsigned char bytes[16 * PAGE];
	size_t size; /**< of them all at first */
};

/**
 * Starts a 64-bit core file in the byte order of this machine.
 * @param segments  number of program headers
 * @return          the program headers, to be filled by the caller
 */
Elf64_Phdr *core_image_make(struct core_image *image, uint16_t segments);

/**
 * Returns a readable and writable load segment.
 * @param held  bytes of it in the file, from `offset`
 */
Elf64_Phdr core_image_load(uint64_t address, uint64_t size, uint64_t offset, uint64_t held);

/** Appends a note to notes that end at *size. */
void core_image_note(unsigned char *notes, size_t *size, uint32_t type, const void *bytes,
                     uint32_t length);

/**
 * Opens the core file. The test fails if it is refused.
 * @return the core file
 */
struct pm_core *core_image_open(const struct core_image *image);

/** Fails unless the core file is refused with these words. */
void core_image_expect_refused(const struct core_image *image, const char *words);

#endif
