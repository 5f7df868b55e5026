/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int pm_parse_decimal(const char *text, uint64_t max, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t number;
	if (!pm_scan_decimal(&at, &number) || *at != '\0') {
		if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text))
			return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is too large", text);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a whole number from 0 on", text);
	}

	if (number > max)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is too large: the most is %" PRIu64, text, max);

	*value = number;
	return 0;
}

int pm_parse_address(const char *text, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t number;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	if (!pm_scan_hex(&at, &number) || *at != '\0')
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%s' is not an address: write it in hexadecimal, like 0x7f3a08000000",
			text);

	*value = number;
	return 0;
}

/** Bits by which a unit shifts, or -1; moves *text behind the unit, its `B` or `iB` included. */
static int scan_unit(const char **text)
{
	static const char units[] = "KMGTPE";
	const char *at = *text;
	if (*at == '\0')
		return 0;

	int shift = 0;
	const char *unit = strchr(units, *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		at++;
		if (at[0] == 'i' && (at[1] == 'B' || at[1] == 'b'))
			at++;
	}

	if (*at == 'B' || *at == 'b')
		at++;
	if (at == *text)
		return -1;

	*text = at;
	return shift;
}

/**
 * Bytes of the digits behind the decimal point, rounded down: floor(0.digits * 2^shift). Long
 * division by ten, from the last digit to the first, would need all of them at once; 18 digits
 * decide every whole byte of the units that exist.
 */
static bool scan_fraction(const char **text, uint64_t *digits, uint64_t *scale)
{
	const char *at = *text;

	*digits = 0;
	*scale = 1;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (*scale < UINT64_C(1000000000000000000)) {
			*digits = *digits * 10 + (uint64_t)(*at - '0');
			*scale *= 10;
		}
	}

	bool some = at != *text;
	*text = at;

	return some;
}

int pm_parse_size(const char *text, uint64_t *value, struct pm_error *error)
{
	const char *at = text;
	uint64_t whole = 0, digits = 0, scale = 1;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		at += 2;
		if (!pm_scan_hex(&at, &whole) || *at != '\0')
			goto junk;
		*value = whole;
		return 0;
	}

	size_t length = strspn(at, "0123456789");
	if (length == 0)
		goto junk;
	if (!pm_scan_decimal(&at, &whole))
		goto too_large;

	bool fraction = *at == '.';
	if (fraction) {
		at++;
		if (!scan_fraction(&at, &digits, &scale))
			goto junk;
	}

	int shift = scan_unit(&at);
	if (shift < 0 || *at != '\0' || (fraction && shift == 0))
		goto junk;

	/* The product of the fraction may need more than 64 bits before it is divided. */
	unsigned __int128 part = ((unsigned __int128)digits << shift) / scale;
	unsigned __int128 bytes = ((unsigned __int128)whole << shift) + part;
	if (bytes > UINT64_MAX)
		goto too_large;

	*value = (uint64_t)bytes;
	return 0;
junk:

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"'%s' is not a size: write bytes, or a number with a unit, like 64K, 1.5M or 2G",
		text);
too_large:

	return pm_error_set(error, PM_ERROR_USAGE, 0, "the size '%s' does not fit in 64 bits",
	                    text);
}

size_t pm_format_size(uint64_t bytes, char *text)
{
	static const char units[] = "KMGTPE";
	if (bytes == 0) {
		memcpy(text, "-", 2);
		return 1;
	}
	size_t unit = 0;
	uint64_t tenths; /* of the unit, rounded half up */
	if (bytes < 1024) {
		tenths = bytes;
	} else {
		int shift = 10;
		for (;;) {
			tenths = (uint64_t)((((unsigned __int128)bytes * 10) +
			                     ((uint64_t)1 << (shift - 1))) >>
			                    shift);
			if (tenths < 10240 || unit == sizeof units - 2)
				break;
			shift += 10;
			unit++;
		}
	}

	char digits[24];
	size_t count = 0, length = 0;
	uint64_t rest = bytes < 1024 ? tenths : tenths / 10;
	do
		digits[count++] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	while (count > 0)
		text[length++] = digits[--count];
	if (bytes >= 1024) {
		text[length++] = '.';
		text[length++] = (char)('0' + tenths % 10);
		text[length++] = units[unit];
	} else {
		text[length++] = 'B';
	}
	text[length] = '\0';
	return length;
}
