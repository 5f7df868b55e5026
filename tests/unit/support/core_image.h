/* SPDX-License-Identifier: MIT */
/** @file Core files made by hand. */
#ifndef TESTS_SUPPORT_CORE_IMAGE_H
#define TESTS_SUPPORT_CORE_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/core.h"

enum { PAGE = 4096 };

/** A file under construction. */
struct core_image {
	unsigned char bytes[16 * PAGE];
	size_t size; /**< of them all at first */
};

/**
 * Starts a 64-bit core file in our byte order.
 * @param segments number of program headers
 * @return these, for the caller to fill in
 */
Elf64_Phdr *core_image_make(struct core_image *image, uint16_t segments);

/**
 * A load segment that can be read and written.
 * @param held bytes of it in the file, from `offset` on
 */
Elf64_Phdr core_image_load(uint64_t address, uint64_t size, uint64_t offset, uint64_t held);

/** Appends a note to notes that end at *size. */
void core_image_note(unsigned char *notes, size_t *size, uint32_t type, const void *bytes,
                     uint32_t length);

/**
 * Opens it.
 * @return the core file; the test fails where it is refused
 */
struct pm_core *core_image_open(const struct core_image *image);

/** Fails unless it is refused with these words. */
void core_image_expect_refused(const struct core_image *image, const char *words);

#endif
