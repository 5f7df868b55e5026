/* SPDX-License-Identifier: MIT */
/** @file Types of chunks without a target: no addresses are mapped, so chunks have no names. */
#ifndef TESTS_SUPPORT_FAKE_TYPES_H
#define TESTS_SUPPORT_FAKE_TYPES_H

#include <procmem/chunk_type.h>

#include "reader/fake_reader.h"

/** What types need; release with fake_types_close(). */
struct fake_types {
	struct pm_regions regions;
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_heap_source source;
	struct pm_chunk_types *types;
};

/** Opens types without regions. */
void fake_types_open(struct fake_types *fake);

/** Closes everything. */
void fake_types_close(struct fake_types *fake);

#endif
