/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers in memory: what type and value a number must have to be found. Numbers are in the byte
 * order of the machine.
 */
#ifndef PROCMEM_NUMBER_TEST_H
#define PROCMEM_NUMBER_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of numbers. */
enum pm_number_type {
	PM_NUMBER_INT,   /**< a signed integer in two's complement, of 1, 2, 4 or 8 bytes */
	PM_NUMBER_UINT,  /**< an unsigned integer of 1, 2, 4 or 8 bytes */
	PM_NUMBER_FLOAT, /**< IEEE 754 binary, of 4 or 8 bytes: float or double of C */
	PM_NUMBER_TYPES, /**< number of types */
};

/** Maximum size of a number in bytes. */
#define PM_NUMBER_SIZE_MAX 8

/** A type of number, and the range of its values. */
struct pm_number_test {
	uint8_t type; /**< enum pm_number_type */
	uint8_t size; /**< size in bytes */
	/**
	 * Lowest value of an integer. A negative value is stored in two's complement of 64 bits.
	 * 0 for PM_NUMBER_FLOAT
	 */
	uint64_t low;
	/** Highest value of an integer, stored as `low`; 0 for PM_NUMBER_FLOAT */
	uint64_t high;
	/** Lowest value of PM_NUMBER_FLOAT, which a float of `size` bytes can have; otherwise 0 */
	double float_low;
	/** Highest value of PM_NUMBER_FLOAT, as `float_low` */
	double float_high;
};

/**
 * Parses VALUE[:SIZE] or LOW..HIGH[:SIZE] as an integer. A value is decimal, or hexadecimal after
 * `0x`, and can be negative. Without SIZE, the size is 4 bytes if both values fit, otherwise 8. The
 * integer is signed, unless the highest value does not fit into a signed integer of this size.
 *
 * @param text   the text
 * @param test   receives the test
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
PM_PUBLIC int pm_number_test_parse_int(const char *text, struct pm_number_test *test,
                                       struct pm_error *error);

/**
 * Parses VALUE[:SIZE] or LOW..HIGH[:SIZE] as a floating-point number in decimal, such as -1.5e3.
 * A VALUE that is not a range is rounded to the nearest number of the size. Without SIZE, there are
 * two tests, for 4 and for 8 bytes; the first is left out if no float of 4 bytes is in the range.
 *
 * @param text   the text
 * @param tests  room for 2 tests; receives them
 * @param count  receives the number of tests, 1 or 2
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
PM_PUBLIC int pm_number_test_parse_float(const char *text, struct pm_number_test tests[2],
                                         size_t *count, struct pm_error *error);

/**
 * Checks that a test is valid: its type, its size, and that its lowest value is at most its highest
 * one.
 * @param test  the test
 * @return      true if it is valid
 */
PM_PUBLIC bool pm_number_test_is_valid(const struct pm_number_test *test);

/**
 * Tests whether a number has the right value. NaN never has.
 *
 * @param test   a valid test
 * @param bytes  the number, `test->size` bytes; need not be aligned
 * @return       true if its value is in the range of the test
 */
PM_PUBLIC bool pm_number_test_matches(const struct pm_number_test *test, const uint8_t *bytes);

/**
 * Tests whether a number of another type has the right value: an integer of any size, or a
 * floating-point number of the same size.
 *
 * @param test   a valid test
 * @param type   the type of the number, a valid test; its values are not used
 * @param bytes  the number, `type->size` bytes
 * @return       true if its value is in the range of the test
 */
PM_PUBLIC bool pm_number_test_accepts(const struct pm_number_test *test,
                                      const struct pm_number_test *type, const uint8_t *bytes);

/** The result of a comparison of two numbers. */
enum pm_number_order {
	PM_NUMBER_SAME,      /**< all bytes are the same */
	PM_NUMBER_LESS,      /**< the second number is less */
	PM_NUMBER_GREATER,   /**< the second number is greater */
	PM_NUMBER_UNORDERED, /**< the bytes differ, but none of the numbers is greater: NaN, or 0
	                        and -0 */
};

/**
 * Compares two numbers of the type of a test.
 *
 * @param test    a valid test; its values are not used
 * @param first   `test->size` bytes
 * @param second  `test->size` bytes
 * @return        the result
 */
PM_PUBLIC enum pm_number_order pm_number_test_compare(const struct pm_number_test *test,
                                                      const uint8_t *first, const uint8_t *second);

/** Number of bytes for the longest text of pm_number_test_format(), including the NUL. */
#define PM_NUMBER_TEXT_SIZE 32

/**
 * Writes a number in decimal, floating-point numbers with as many digits as are needed to
 * distinguish them.
 *
 * @param test   a valid test; its values are not used
 * @param bytes  `test->size` bytes
 * @param text   room for PM_NUMBER_TEXT_SIZE bytes; receives the text
 * @return       length of the text
 */
PM_PUBLIC size_t pm_number_test_format(const struct pm_number_test *test, const uint8_t *bytes,
                                       char *text);

/**
 * Returns the name of the type and size of a test: "int32", "uint8", "float64" and so on.
 * @param test  a valid test
 * @return      a constant text
 */
PM_PUBLIC const char *pm_number_test_name(const struct pm_number_test *test);

#ifdef __cplusplus
}
#endif

#endif
