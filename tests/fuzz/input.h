/* SPDX-License-Identifier: MIT */
/** @file Shared functions of the fuzz targets: bytes as descriptors, and checks of every result. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/maps.h>

/**
 * The entry point for libFuzzer and the corpus runner.
 * @return 0
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Returns a descriptor that reads these bytes from the start; the same one in every call. */
int fuzz_file(const uint8_t *data, size_t size);

/** Returns a copy followed by a NUL; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/** Aborts unless the condition holds: this is a finding. */
void fuzz_check(int condition);

/** Checks every failure: it has a kind, and one sentence without newline. */
void fuzz_check_error(const struct pm_error *error);

/**
 * Parses text of /proc/PID/maps or smaps and checks the list: ascending, not overlapping, with
 * readable texts.
 */
void fuzz_maps(const uint8_t *data, size_t size, enum pm_maps_source source);

#endif
