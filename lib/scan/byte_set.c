/* SPDX-License-Identifier: MIT */
#include "scan/byte_set.h"

#include <string.h>

/**
 * Returns the estimated share of a value among all bytes of memory. The estimate assumes that one
 * half of memory contains numbers and pointers, with many zeros, and the other half contains text.
 */
static double share(uint8_t value)
{
	static const char letters[] = "etaoinsrhldcumfpgwybvkxqzj";

	if (value == 0)
		return 0.35;

	const char *letter = strchr(letters, value);
	if (letter)
		return 0.024 / (double)(letter - letters + 2);
	if (value == 0xff || value == ' ')
		return 0.02;
	if (value < 0x10 || (value >= '0' && value <= '9'))
		return 0.005;
	if (value == '@' || value == '~' || value == '`' || value == '^')
		return 0.001;

	if (value >= 0x80)
		return 0.0013;

	return 0.002;
}

double pm_byte_set_share(const struct pm_byte_set *set)
{
	double sum = 0;
	for (unsigned i = 0; i < 0x100; i++) {
		if (pm_byte_set_has(set, (uint8_t)i))
			sum += share((uint8_t)i);
	}

	if (sum > 1)
		return 1;
	return sum;
}
