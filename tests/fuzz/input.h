/* SPDX-License-Identifier: MIT */
/**
 * @file What the fuzz targets share: handing bytes to functions that read descriptors, and what
 * must hold of every result.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/maps.h>

/**
 * What libFuzzer and the corpus runner call.
 * @return 0
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** A descriptor that reads these bytes from its begin; the same one in every call. */
int fuzz_file(const uint8_t *data, size_t size);

/** Copy with a NUL behind; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/** Aborts unless the condition holds: the finding. */
void fuzz_check(int condition);

/** Checks what every failure promises: a kind, and one sentence without newline. */
void fuzz_check_error(const struct pm_error *error);

/**
 * Parses text of /proc/PID/maps or smaps and checks what every list promises: ascending, not
 * overlapping, texts that can be read.
 */
void fuzz_maps(const uint8_t *data, size_t size, enum pm_maps_source source);

#endif
