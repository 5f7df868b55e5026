/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers as people and /proc write them. Parsing is strict: the whole text must be a number, and
 * what does not fit is an error.
 */
#ifndef PROCMEM_NUMBER_H
#define PROCMEM_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Parses an unsigned decimal number: digits only, no sign, no blanks.
 *
 * @param text   NUL-terminated text
 * @param max    largest value allowed, inclusive
 * @param value  where to store the number
 * @param error  PM_ERROR_USAGE when the text is no number, or the number is above max
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_decimal(const char *text, uint64_t max, uint64_t *value,
                               struct pm_error *error);

/**
 * Parses an address in hexadecimal, with or without `0x`, at most 16 digits.
 *
 * @param text   NUL-terminated text
 * @param value  where to store the address
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_address(const char *text, uint64_t *value, struct pm_error *error);

/**
 * Parses a size in bytes: `4096`, `64K`, `1.5M`, `2G`, `1T`; 1024-based, a trailing `B` or `iB`
 * after the unit is allowed
 * (`2GiB`), `0x1000` is hexadecimal bytes. A fraction needs a unit and is rounded down to whole
 * bytes.
 *
 * @param text   NUL-terminated text
 * @param value  where to store the number of bytes
 * @param error  PM_ERROR_USAGE for junk, PM_ERROR_USAGE for what exceeds 64 bits
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_size(const char *text, uint64_t *value, struct pm_error *error);

/** Bytes that pm_format_size() needs at the most, the terminating NUL included. */
#define PM_SIZE_TEXT_SIZE 16

/**
 * Writes a size for people: one decimal and a 1024-based unit (`255.9M`, `4.0K`), bytes below 1 K
 * as `512B`, zero as `-`. Rounds half up, but never up to 1024.0 of a unit: 1023.99K is `1.0M`.
 *
 * @param bytes  the size
 * @param text   at least PM_SIZE_TEXT_SIZE bytes
 * @return       number of characters written, without the NUL
 */
PM_PUBLIC size_t pm_format_size(uint64_t bytes, char *text);

/** Bytes that pm_format_duration() needs at the most, the terminating NUL included. */
#define PM_DURATION_TEXT_SIZE 24

/**
 * Writes a duration for people, in its two largest units: `0.4s`, `52s`, `7m 40s`, `2h 14m`, `3d
 * 4h`; from 10,000 days on `>10000d`.
 *
 * @param seconds  the duration; below 0 counts as 0
 * @param text     at least PM_DURATION_TEXT_SIZE bytes
 * @return         number of characters written, without the NUL
 */
PM_PUBLIC size_t pm_format_duration(double seconds, char *text);

#ifdef __cplusplus
}
#endif

#endif
