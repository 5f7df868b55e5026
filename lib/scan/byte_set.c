/* SPDX-License-Identifier: MIT */
#include "scan/byte_set.h"

#include <string.h>

/** Rough shares: half of it numbers and pointers (many zeros), half of it text. */
static double share(uint8_t value)
{
	static const char letters[] = "etaoinsrhldcumfpgwybvkxqzj";
	const char *letter = value ? strchr(letters, value) : NULL;
	if (letter)
		return 0.024 / (double)(letter - letters + 2);
	if (value == 0)
		return 0.35;
	if (value == 0xff || value == ' ')
		return 0.02;
	if (value < 0x10 || (value >= '0' && value <= '9'))
		return 0.005;
	if (value == '@' || value == '~' || value == '`' || value == '^')
		return 0.001;

	return value < 0x80 ? 0.002 : 0.0013;
}

double pm_byte_set_share(const struct pm_byte_set *set)
{
	double sum = 0;
	for (unsigned i = 0; i < 0x100; i++) {
		if (pm_byte_set_has(set, (uint8_t)i))
			sum += share((uint8_t)i);
	}
	return sum < 1 ? sum : 1;
}
