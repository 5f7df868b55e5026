/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers, sizes and durations as text. Parsing is strict: the whole text must be a number, and a
 * number that exceeds the permitted range is an error.
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
 * Parses an unsigned decimal number: digits only, no sign, no spaces.
 *
 * @param text   NUL-terminated text
 * @param max    largest value allowed, inclusive
 * @param value  receives the number
 * @param error  PM_ERROR_USAGE if the text is not a number, or the number is above `max`
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_decimal(const char *text, uint64_t max, uint64_t *value,
                               struct pm_error *error);

/**
 * Parses an address: up to 16 hexadecimal digits, with or without `0x`.
 *
 * @param text   NUL-terminated text
 * @param value  receives the address
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_address(const char *text, uint64_t *value, struct pm_error *error);

/**
 * Parses a size: `4096`, `64K`, `1.5M`, `2G`, `1T`, `0x1000`. Units (K, M, G, T, P, E; also lower
 * case) are powers of 1024. `B` or `iB` may follow the letter of the unit (`2GiB`). A number after
 * `0x` is hexadecimal and in bytes. A number with a fraction needs a unit; the resulting size is
 * rounded down to whole bytes.
 *
 * @param text   NUL-terminated text
 * @param value  receives the size in bytes
 * @param error  PM_ERROR_USAGE if the text is not a size, or the size exceeds 64 bits
 * @return       0 or -1
 */
PM_PUBLIC int pm_parse_size(const char *text, uint64_t *value, struct pm_error *error);

/** Size of the buffer for pm_format_size(), including the NUL. */
#define PM_SIZE_TEXT_SIZE 16

/**
 * Formats a size with one decimal and a unit, a power of 1024: `255.9M`, `4.0K`. A size below 1 K
 * is written in bytes, such as `512B`; zero is written as `-`. The size is rounded to the nearest
 * tenth of the unit, half up. If the result would be 1024.0 of a unit, it is written as 1.0 of the
 * next unit: 1023.99K is `1.0M`.
 *
 * @param bytes  the size in bytes
 * @param text   buffer of at least PM_SIZE_TEXT_SIZE bytes; receives the text
 * @return       number of characters written, without the NUL
 */
PM_PUBLIC size_t pm_format_size(uint64_t bytes, char *text);

/** Size of the buffer for pm_format_duration(), including the NUL. */
#define PM_DURATION_TEXT_SIZE 24

/**
 * Formats a duration: `0.4s`, `52s`, `7m 40s`, `2h 14m`, `3d 4h`. A duration below 10 seconds has
 * one decimal. A duration of at least one minute is written in its two largest units. A duration of
 * 10,000 days or more is written as `>10000d`.
 *
 * @param seconds  the duration in seconds; a negative number or NaN counts as 0
 * @param text     buffer of at least PM_DURATION_TEXT_SIZE bytes; receives the text
 * @return         number of characters written, without the NUL
 */
PM_PUBLIC size_t pm_format_duration(double seconds, char *text);

#ifdef __cplusplus
}
#endif

#endif
