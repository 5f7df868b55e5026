/* SPDX-License-Identifier: MIT */
/**
 * @file Writing what the user means as a pattern of PCRE2: fixed text, bytes in hexadecimal, text
 * of 16 bits. Private.
 */
#ifndef PM_SCAN_PATTERN_TEXT_H
#define PM_SCAN_PATTERN_TEXT_H

#include <stdbool.h>

#include <procmem/pattern_scan.h>

/** A pattern that grows; all zero is an empty one. */
struct pm_pattern_text {
	char *bytes;     /**< the pattern; NULL as long as nothing was added */
	size_t length;   /**< bytes in use */
	size_t capacity; /**< private */
	bool failed;     /**< memory was short: what is here is not whole */
};

/**
 * Releases a text.
 * @param text the text
 */
void pm_pattern_text_deinit(struct pm_pattern_text *text);

/**
 * Adds text as it is.
 * @param text the text
 * @param more ends in NUL
 */
void pm_pattern_text_add(struct pm_pattern_text *text, const char *more);

/**
 * Adds bytes as they are.
 * @param text the text
 * @param bytes what
 * @param length how many
 */
void pm_pattern_text_add_bytes(struct pm_pattern_text *text, const char *bytes, size_t length);

/**
 * Adds an escape that matches exactly one byte.
 * @param text the text
 * @param byte the byte
 */
void pm_pattern_text_add_byte(struct pm_pattern_text *text, unsigned char byte);

/**
 * Writes a pattern as PCRE2 takes it, in 8-bit text.
 *
 * @param pattern  the pattern; its flags PM_PATTERN_FIXED and PM_PATTERN_HEX are acted upon
 * @param text     empty; filled
 * @param error    PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_pattern_text_write(const struct pm_pattern *pattern, struct pm_pattern_text *text,
                          struct pm_error *error);

/**
 * Writes a pattern of PCRE2 anew, so that it matches the same text in UTF-16. Characters beyond
 * ASCII must stand for themselves.
 *
 * @param pattern  a pattern that was compiled without error
 * @param options  it is compiled with
 * @param big      big-endian
 * @param text     empty; filled
 * @param error    PM_ERROR_USAGE with what cannot be written so, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_pattern_text_widen(const struct pm_pattern_text *pattern, unsigned options, bool big,
                          struct pm_pattern_text *text, struct pm_error *error);

#endif
