/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches for text: runs of printable characters, as strings(1) finds them, in several encodings
 * in one pass.
 *
 * In each encoding that strings(1) supports, everything that strings(1) finds is found. Strings in
 * UTF-16 and UTF-32 are also found at addresses that are not multiples of the character size. As in
 * strings(1), strings in UTF-16 and UTF-32 consist of ASCII characters only; otherwise almost any
 * bytes would be text.
 */
#ifndef PROCMEM_STRINGS_SCAN_H
#define PROCMEM_STRINGS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Encodings of characters. */
enum pm_encoding {
	PM_ENCODING_ASCII,   /**< 0x20 to 0x7e and tab; `-e s` of strings(1) */
	PM_ENCODING_UTF8,    /**< ASCII, and valid UTF-8 from U+00A0 on */
	PM_ENCODING_8BIT,    /**< ASCII, and all bytes from 0x80 on; `-e S` of strings(1) */
	PM_ENCODING_UTF16LE, /**< 16 bits, little-endian; `-e l` of strings(1) */
	PM_ENCODING_UTF16BE, /**< 16 bits, big-endian; `-e b` of strings(1) */
	PM_ENCODING_UTF32LE, /**< 32 bits, little-endian; `-e L` of strings(1) */
	PM_ENCODING_UTF32BE, /**< 32 bits, big-endian; `-e B` of strings(1) */
	PM_ENCODING_COUNT,   /**< number of encodings */
};

/** Bit of an encoding in pm_strings_options.encodings. */
#define PM_ENCODING_BIT(encoding) (1u << (unsigned)(encoding))

/**
 * Describes the strings to search for. If all members are zero, the search finds strings in UTF-8
 * (which includes ASCII) that have 4 or more characters.
 */
struct pm_strings_options {
	unsigned encodings; /**< PM_ENCODING_BIT() values, combined with `|`; 0 means UTF-8 */
	/**
	 * Minimum number of characters of a string. 0 means 6 for UTF-16, and 4 for all other
	 * encodings.
	 */
	size_t min_length;
	/**
	 * Strings may contain newline, carriage return, vertical tab and form feed, as with `-w` of
	 * strings(1)
	 */
	bool white_space;
	/**
	 * Find strings in UTF-16 and UTF-32 only at addresses that are multiples of the character
	 * size. If false, such strings are found at all addresses. The same text can then be found
	 * twice: the second time in the other byte order, at an address a few bytes away.
	 */
	bool aligned;
};

/**
 * Describes what to search for; opaque. Several threads and scans may use the same scanner at the
 * same time.
 */
struct pm_scanner;

/**
 * Creates a scanner for text.
 *
 * @param options  the strings to search for; NULL has the same meaning as all zeros
 * @param scanner  receives the scanner; release it with pm_scanner_destroy()
 * @param error    PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_strings_scanner_create(const struct pm_strings_options *options,
                                        struct pm_scanner **scanner, struct pm_error *error);

/**
 * Returns the name of an encoding, such as "ascii", "utf-8", "8-bit" or "utf-16le".
 * @param encoding  the encoding
 * @return          a constant text
 */
PM_PUBLIC const char *pm_encoding_name(enum pm_encoding encoding);

/**
 * Returns the size of the smallest character of an encoding.
 * @param encoding  the encoding
 * @return          1, 2 or 4 bytes
 */
PM_PUBLIC size_t pm_encoding_unit(enum pm_encoding encoding);

/**
 * Copies a string that a scanner found. A string in UTF-16 or UTF-32 is converted to ASCII: strings
 * that are found in these encodings contain only ASCII characters.
 *
 * @param encoding  encoding of the string
 * @param bytes     the string as it is in memory
 * @param size      size of the string in bytes
 * @param text      buffer of size / pm_encoding_unit(encoding) bytes; receives the text, without a
 *                  terminating NUL
 * @return          number of bytes written
 */
PM_PUBLIC size_t pm_string_text(enum pm_encoding encoding, const uint8_t *bytes, size_t size,
                                char *text);

#ifdef __cplusplus
}
#endif

#endif
