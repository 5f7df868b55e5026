/* SPDX-License-Identifier: MIT */
#include "pressure/levels.h"

#include <string.h>

#include "base/array.h"
#include "base/number.h"

struct pm_pressure_level *pm_levels_add(struct pm_levels *levels, enum pm_pressure_scope scope,
                                        struct pm_error *error)
{
	if (pm_array_reserve(&levels->items, &levels->capacity, levels->count, 1,
	                     sizeof *levels->items, error) < 0)
		return NULL;

	struct pm_pressure_level *level = &levels->items[levels->count++];
	*level = (struct pm_pressure_level){ .scope = scope };
	return level;
}

void pm_levels_set(struct pm_pressure_level *level, enum pm_pressure_field field, uint64_t value)
{
	level->known[field] = true;
	level->values[field] = value;
}

void pm_levels_increase(struct pm_pressure_level *level, enum pm_pressure_field field,
                        uint64_t value)
{
	uint64_t sum;
	if (__builtin_add_overflow(level->values[field], value, &sum))
		sum = UINT64_MAX;
	pm_levels_set(level, field, sum);
}

/** Sets the field of one line. */
static void parse_line(struct pm_pressure_level *level, const char *line,
                       const struct pm_level_key *keys)
{
	size_t length = strcspn(line, ": \n");
	for (; keys->key; keys++) {
		if (strncmp(line, keys->key, length) == 0 && keys->key[length] == '\0')
			break;
	}
	if (!keys->key)
		return;

	const char *at = line + length;
	uint64_t value;
	at += strspn(at, ": \t");
	if (!pm_scan_decimal(&at, &value))
		return;
	if (strncmp(at, " kB", 3) == 0 && __builtin_mul_overflow(value, (uint64_t)1024, &value))
		return;

	pm_levels_increase(level, keys->field, value);
}

void pm_levels_parse(struct pm_pressure_level *level, const char *text, const char *prefix,
                     const struct pm_level_key *keys)
{
	size_t length = strlen(prefix);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, prefix, length) == 0)
			parse_line(level, line + length, keys);
	}
}

/** Parses a percentage with at most two decimals that count, as hundredths. */
static bool scan_centipercent(const char *text, uint64_t *value)
{
	uint64_t whole;
	if (!pm_scan_decimal(&text, &whole) || whole > 100)
		return false;

	*value = whole * 100;
	if (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
		*value += (uint64_t)(text[1] - '0') * 10;
		if (text[2] >= '0' && text[2] <= '9')
			*value += (uint64_t)(text[2] - '0');
	}
	return true;
}

/** Finds the text after a word of a line. */
static const char *find_word(const char *line, const char *word)
{
	const char *end = line + strcspn(line, "\n"), *at = strstr(line, word);
	return at && at < end ? at + strlen(word) : NULL;
}

static void parse_stall_line(struct pm_pressure_level *level, const char *line, bool full)
{
	const char *ten = find_word(line, " avg10="), *sixty = find_word(line, " avg60="),
		   *total = find_word(line, " total=");
	uint64_t value;

	if (ten && scan_centipercent(ten, &value))
		pm_levels_set(level, full ? PM_PRESSURE_FULL_AVG10 : PM_PRESSURE_SOME_AVG10, value);
	if (sixty && scan_centipercent(sixty, &value))
		pm_levels_set(level, full ? PM_PRESSURE_FULL_AVG60 : PM_PRESSURE_SOME_AVG60, value);
	if (total && pm_scan_decimal(&total, &value))
		pm_levels_set(level, full ? PM_PRESSURE_STALL_FULL : PM_PRESSURE_STALL_SOME, value);
}

void pm_levels_parse_stall(struct pm_pressure_level *level, const char *text)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "some ", 5) == 0)
			parse_stall_line(level, line, false);
		else if (strncmp(line, "full ", 5) == 0)
			parse_stall_line(level, line, true);
	}
}
