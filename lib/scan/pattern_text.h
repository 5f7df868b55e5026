/* SPDX-License-Identifier: MIT */
/**
 * @file Converts a pattern of the user (fixed text, hexadecimal bytes or a regular expression) to a
 * pattern for PCRE2. Converts a pattern for PCRE2 to one that matches UTF-16. Private.
 */
#ifndef PM_SCAN_PATTERN_TEXT_H
#define PM_SCAN_PATTERN_TEXT_H

#include <stdbool.h>

#include <procmem/pattern_scan.h>

/** The text of a pattern. If the structure is all zeros, the text is empty. */
struct pm_pattern_text {
	char *bytes;     /**< the pattern; NULL if it is empty; owned */
	size_t length;   /**< bytes in use */
	size_t capacity; /**< private */
	bool failed;     /**< an allocation failed, so the text is incomplete */
};

/**
 * Releases a text.
 * @param text  the text
 */
void pm_pattern_text_deinit(struct pm_pattern_text *text);

/**
 * Appends a string.
 * @param text  the text
 * @param more  the string, NUL-terminated
 */
void pm_pattern_text_add(struct pm_pattern_text *text, const char *more);

/**
 * Appends bytes.
 *
 * @param text    the text
 * @param bytes   the bytes
 * @param length  number of bytes
 */
void pm_pattern_text_add_bytes(struct pm_pattern_text *text, const char *bytes, size_t length);

/**
 * Appends an escape that matches one byte.
 * @param text  the text
 * @param byte  the byte
 */
void pm_pattern_text_add_byte(struct pm_pattern_text *text, unsigned char byte);

/**
 * Converts a pattern to a pattern for PCRE2 that matches 8-bit text.
 *
 * @param pattern  the pattern; of its flags, only PM_PATTERN_FIXED and PM_PATTERN_HEX are used
 * @param text     an empty text; receives the converted pattern
 * @param error    PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_pattern_text_write(const struct pm_pattern *pattern, struct pm_pattern_text *text,
                          struct pm_error *error);

/**
 * Converts a pattern for PCRE2 to one that matches the same text in UTF-16. Characters beyond ASCII
 * must be written literally and not in a class, or as an escape if they are below U+0100.
 *
 * @param pattern  a pattern that PCRE2 has compiled without error
 * @param options  PCRE2 options with which the pattern was compiled
 * @param big      true: convert for big-endian UTF-16; false: for little-endian
 * @param text     an empty text; receives the converted pattern
 * @param error    PM_ERROR_USAGE (the message shows the part that cannot be converted),
 *                 PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_pattern_text_widen(const struct pm_pattern_text *pattern, unsigned options, bool big,
                          struct pm_pattern_text *text, struct pm_error *error);

#endif
