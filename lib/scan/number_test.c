/* SPDX-License-Identifier: MIT */
#include <procmem/number_test.h>

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BITS = 8,
	INT_SIZE = 4,  /* size of an integer without :SIZE, as of int in C */
	WORD_MAX = 64, /* maximum length of a value with :SIZE; the longest useful one is a range of
	                  two doubles with 17 digits each */
	FLOAT_DIGITS = 9,
	DOUBLE_DIGITS = 17, /* digits that distinguish all numbers of the type */
};

/** A value as it was written: a sign and a magnitude. */
struct integer {
	bool negative;
	uint64_t magnitude;
};

/** The parts of LOW..HIGH:SIZE. `high` is equal to `low` without a range. */
struct words {
	char low[WORD_MAX], high[WORD_MAX];
	bool range;
	uint8_t size; /* 0 if not given */
};

static int refuse(const char *text, const char *why, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%.64s' is not a number to search for: %s",
	                    text, why);
}

/** Parses the size after the colon. */
static int parse_size(const char *text, const char *digits, const char *sizes, uint8_t *size,
                      struct pm_error *error)
{
	if (!digits[0] || digits[1] || !strchr(sizes, digits[0]))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s': the size after ':' must be %s bytes", text,
		                    sizes[0] == '1' ? "1, 2, 4 or 8" : "4 or 8");
	*size = (uint8_t)(digits[0] - '0');
	return 0;
}

/**
 * Divides a text into its parts.
 * @param sizes  the digits that are sizes
 */
static int split(const char *text, const char *sizes, struct words *words, struct pm_error *error)
{
	size_t length = strcspn(text, ":");
	if (length >= WORD_MAX)
		return refuse(text, "it is too long", error);

	*words = (struct words){ .size = 0 };
	if (text[length] && parse_size(text, text + length + 1, sizes, &words->size, error) < 0)
		return -1;

	memcpy(words->low, text, length);
	char *dots = strstr(words->low, "..");
	words->range = dots != NULL;
	strcpy(words->high, dots ? dots + 2 : words->low);
	if (dots)
		*dots = '\0';
	return 0;
}

/** Returns the value of a digit, or 16 if it is none. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A' + 10);
	return 16;
}

static int parse_integer(const char *text, const char *word, struct integer *value,
                         struct pm_error *error)
{
	*value = (struct integer){ .negative = word[0] == '-' };
	word += value->negative;

	bool hexadecimal = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	unsigned base = hexadecimal ? 16 : 10;
	word += hexadecimal ? 2 : 0;
	if (!*word)
		return refuse(text, "a value is missing", error);

	for (; *word; word++) {
		unsigned digit = digit_of(*word);
		if (digit >= base)
			return refuse(text, "write VALUE or LOW..HIGH, with :SIZE if needed",
			              error);
		if (__builtin_mul_overflow(value->magnitude, base, &value->magnitude) ||
		    __builtin_add_overflow(value->magnitude, digit, &value->magnitude))
			return refuse(text, "it needs more than 8 bytes", error);
	}

	if (value->magnitude == 0)
		value->negative = false;
	return 0;
}

/** Returns the highest value of an integer of a type and a size in bytes. */
static uint64_t highest(enum pm_number_type type, size_t size)
{
	uint64_t all = UINT64_MAX >> (BITS * (PM_NUMBER_SIZE_MAX - size));
	return type == PM_NUMBER_INT ? all >> 1 : all;
}

/** Returns whether a value can be stored in an integer of a type and a size in bytes. */
static bool fits(const struct integer *value, enum pm_number_type type, size_t size)
{
	uint64_t max = highest(type, size);
	if (!value->negative)
		return value->magnitude <= max;
	return type == PM_NUMBER_INT && value->magnitude <= max + 1;
}

/** Finds the type of an integer of a size that can have both values. */
static bool find_type(const struct integer *low, const struct integer *high, size_t size,
                      struct pm_number_test *test)
{
	for (enum pm_number_type type = PM_NUMBER_INT; type <= PM_NUMBER_UINT; type++) {
		if (!fits(low, type, size) || !fits(high, type, size))
			continue;
		test->type = (uint8_t)type;
		test->size = (uint8_t)size;
		return true;
	}
	return false;
}

/** Returns a value in two's complement of 64 bits. */
static uint64_t complement(const struct integer *value)
{
	return value->negative ? 0 - value->magnitude : value->magnitude;
}

int pm_number_test_parse_int(const char *text, struct pm_number_test *test, struct pm_error *error)
{
	struct words words;
	struct integer low, high;
	struct pm_number_test made = { 0 };

	if (split(text, "1248", &words, error) < 0 ||
	    parse_integer(text, words.low, &low, error) < 0 ||
	    parse_integer(text, words.high, &high, error) < 0)
		return -1;

	bool found;
	if (words.size > 0)
		found = find_type(&low, &high, words.size, &made);
	else
		found = find_type(&low, &high, INT_SIZE, &made) ||
		        find_type(&low, &high, PM_NUMBER_SIZE_MAX, &made);
	if (!found && words.size > 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s': the value does not fit into %u byte%s", text,
		                    words.size, words.size == 1 ? "" : "s");
	if (!found)
		return refuse(text, "no integer of 8 bytes can have both values", error);

	made.low = complement(&low);
	made.high = complement(&high);
	if (!pm_number_test_is_valid(&made))
		return refuse(text, "the first value of a range must not be above the second",
		              error);

	*test = made;
	return 0;
}

/** Parses a floating-point number. The decimal point is a dot in all locales. */
static int parse_real(const char *text, const char *word, double *value, struct pm_error *error)
{
	char *end;

	if (!*word || word[strspn(word, "0123456789+-.eE")])
		return refuse(text, "write a decimal number such as -1.5e3, or LOW..HIGH", error);

	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!locale)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno, "newlocale: %s",
		                    strerror(errno));
	*value = strtod_l(word, &end, locale);
	freelocale(locale);

	if (*end)
		return refuse(text, "write a decimal number such as -1.5e3, or LOW..HIGH", error);
	if (!isfinite(*value))
		return refuse(text, "it is too large for 8 bytes", error);
	return 0;
}

/**
 * Rounds the values of a range to those that a float of 4 bytes can have: inwards, or to the
 * nearest one if there is only one value.
 */
static void round_to_float(struct pm_number_test *test, bool range)
{
	float low = (float)test->float_low, high = (float)test->float_high;

	if (range && (double)low < test->float_low)
		low = nextafterf(low, INFINITY);
	if (range && (double)high > test->float_high)
		high = nextafterf(high, -INFINITY);

	test->float_low = (double)low;
	test->float_high = (double)high;
}

int pm_number_test_parse_float(const char *text, struct pm_number_test tests[2], size_t *count,
                               struct pm_error *error)
{
	struct pm_number_test wide = { .type = PM_NUMBER_FLOAT, .size = sizeof(double) };
	struct words words;

	if (split(text, "48", &words, error) < 0 ||
	    parse_real(text, words.low, &wide.float_low, error) < 0 ||
	    parse_real(text, words.high, &wide.float_high, error) < 0)
		return -1;
	if (!pm_number_test_is_valid(&wide))
		return refuse(text, "the first value of a range must not be above the second",
		              error);

	struct pm_number_test narrow = wide;
	narrow.size = sizeof(float);
	round_to_float(&narrow, words.range);
	bool has_narrow = words.size != sizeof(double) && pm_number_test_is_valid(&narrow);
	if (!has_narrow && words.size == sizeof(float))
		return refuse(text, "no float of 4 bytes has such a value", error);

	*count = 0;
	if (has_narrow)
		tests[(*count)++] = narrow;
	if (words.size != sizeof(float))
		tests[(*count)++] = wide;
	return 0;
}

bool pm_number_test_is_valid(const struct pm_number_test *test)
{
	bool integer = test->size == 1 || test->size == 2 || test->size == 4 || test->size == 8;
	uint64_t max;

	switch ((enum pm_number_type)test->type) {
	case PM_NUMBER_INT:
		if (!integer || (int64_t)test->low > (int64_t)test->high)
			return false;
		max = highest(PM_NUMBER_INT, test->size);
		return (int64_t)test->high <= (int64_t)max &&
		       (int64_t)test->low >= -(int64_t)max - 1;
	case PM_NUMBER_UINT:
		return integer && test->low <= test->high &&
		       test->high <= highest(PM_NUMBER_UINT, test->size);
	case PM_NUMBER_FLOAT:
		return (test->size == 4 || test->size == 8) && isfinite(test->float_low) &&
		       isfinite(test->float_high) && test->float_low <= test->float_high;
	default:
		return false;
	}
}

/** Returns an unsigned integer of `size` bytes. */
static uint64_t load(const uint8_t *bytes, size_t size)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *bytes;
	case 2:
		memcpy(&two, bytes, sizeof two);
		return two;
	case 4:
		memcpy(&four, bytes, sizeof four);
		return four;
	default:
		memcpy(&eight, bytes, sizeof eight);
		return eight;
	}
}

/** Returns a signed integer of `size` bytes. */
static int64_t load_signed(const uint8_t *bytes, size_t size)
{
	unsigned unused = BITS * (unsigned)(PM_NUMBER_SIZE_MAX - size);
	return (int64_t)(load(bytes, size) << unused) >> unused;
}

static double load_float(const uint8_t *bytes, size_t size)
{
	float narrow;
	double wide;

	if (size == sizeof narrow) {
		memcpy(&narrow, bytes, sizeof narrow);
		return (double)narrow;
	}
	memcpy(&wide, bytes, sizeof wide);
	return wide;
}

bool pm_number_test_matches(const struct pm_number_test *test, const uint8_t *bytes)
{
	if (test->type == PM_NUMBER_FLOAT) {
		double value = load_float(bytes, test->size);
		return value >= test->float_low && value <= test->float_high;
	}

	/* Unsigned arithmetic of this size compares signed and unsigned ranges alike. */
	uint64_t mask = highest(PM_NUMBER_UINT, test->size);
	return ((load(bytes, test->size) - test->low) & mask) <= test->high - test->low;
}

bool pm_number_test_accepts(const struct pm_number_test *test, const struct pm_number_test *type,
                            const uint8_t *bytes)
{
	bool real = test->type == PM_NUMBER_FLOAT;
	if (real != (type->type == PM_NUMBER_FLOAT))
		return false;
	if (real)
		return test->size == type->size && pm_number_test_matches(test, bytes);

	if (type->type == PM_NUMBER_INT) {
		int64_t value = load_signed(bytes, type->size);
		if (test->type == PM_NUMBER_INT)
			return value >= (int64_t)test->low && value <= (int64_t)test->high;
		return value >= 0 && (uint64_t)value >= test->low && (uint64_t)value <= test->high;
	}

	uint64_t value = load(bytes, type->size);
	if (test->type == PM_NUMBER_UINT)
		return value >= test->low && value <= test->high;
	return value <= INT64_MAX && (int64_t)value >= (int64_t)test->low &&
	       (int64_t)value <= (int64_t)test->high;
}

enum pm_number_order pm_number_test_compare(const struct pm_number_test *test, const uint8_t *first,
                                            const uint8_t *second)
{
	bool less, greater;

	if (memcmp(first, second, test->size) == 0)
		return PM_NUMBER_SAME;

	if (test->type == PM_NUMBER_FLOAT) {
		double a = load_float(first, test->size), b = load_float(second, test->size);
		less = b < a;
		greater = b > a;
	} else if (test->type == PM_NUMBER_INT) {
		less = load_signed(second, test->size) < load_signed(first, test->size);
		greater = !less;
	} else {
		less = load(second, test->size) < load(first, test->size);
		greater = !less;
	}

	if (less)
		return PM_NUMBER_LESS;
	return greater ? PM_NUMBER_GREATER : PM_NUMBER_UNORDERED;
}

/**
 * Writes a floating-point number with the fewest digits from which the same number results. The
 * decimal point is a dot in all locales.
 */
static int format_float(const struct pm_number_test *test, double value, char *text)
{
	int digits = test->size == sizeof(float) ? FLOAT_DIGITS : DOUBLE_DIGITS;
	int length = 0;

	for (int i = 1; i <= digits; i++) {
		length = snprintf(text, PM_NUMBER_TEXT_SIZE, "%.*g", i, value);
		double again = strtod(text, NULL);
		if (test->size == sizeof(float))
			again = (double)(float)again;
		if (again == value)
			break;
	}

	char *comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	return length;
}

size_t pm_number_test_format(const struct pm_number_test *test, const uint8_t *bytes, char *text)
{
	int length;

	if (test->type == PM_NUMBER_FLOAT)
		length = format_float(test, load_float(bytes, test->size), text);
	else if (test->type == PM_NUMBER_INT)
		length = snprintf(text, PM_NUMBER_TEXT_SIZE, "%" PRId64,
		                  load_signed(bytes, test->size));
	else
		length = snprintf(text, PM_NUMBER_TEXT_SIZE, "%" PRIu64, load(bytes, test->size));

	return (size_t)length;
}

const char *pm_number_test_name(const struct pm_number_test *test)
{
	static const char *const names[PM_NUMBER_TYPES][PM_NUMBER_SIZE_MAX + 1] = {
		[PM_NUMBER_INT] = { [1] = "int8", [2] = "int16", [4] = "int32", [8] = "int64" },
		[PM_NUMBER_UINT] = { [1] = "uint8",
		                     [2] = "uint16",
		                     [4] = "uint32",
		                     [8] = "uint64" },
		[PM_NUMBER_FLOAT] = { [4] = "float32", [8] = "float64" },
	};

	return names[test->type][test->size];
}
