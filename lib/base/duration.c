/* SPDX-License-Identifier: MIT */
#include <procmem/number.h>

#include <stdio.h>

size_t pm_format_duration(double seconds, char *text)
{
	static const struct {
		const char *unit;
		unsigned long seconds;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "m", 60 }, { "s", 1 } };
	if (!(seconds > 0))
		seconds = 0;
	if (seconds >= 10000.0 * 86400)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, ">10000d");
	if (seconds < 9.95)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%.1fs", seconds);

	unsigned long whole = (unsigned long)(seconds + 0.5);
	size_t unit = 0;
	while (whole < units[unit].seconds)
		unit++;

	unsigned long high = whole / units[unit].seconds;
	if (unit == 3)
		return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%lus", high);

	unsigned long low = whole % units[unit].seconds / units[unit + 1].seconds;
	return (size_t)snprintf(text, PM_DURATION_TEXT_SIZE, "%lu%s %lu%s", high, units[unit].unit,
	                        low, units[unit + 1].unit);
}
