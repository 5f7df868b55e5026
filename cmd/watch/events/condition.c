/* SPDX-License-Identifier: MIT */
#include "watch/events/condition.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/region.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/text.h"

static const char *const names[CONDITION_SUBJECTS] = {
	"rss",     "anon",     "file", "shmem", "swap", "size",   "threads",
	"regions", "headroom", "grow", "rate",  "kind", "region",
};

/** Copies a text without spaces and tabs. */
static char *copy_without_spaces(const char *text)
{
	char *copy = alloc_string(text), *to = copy;
	for (const char *from = copy; *from; from++)
		if (*from != ' ' && *from != '\t')
			*to++ = *from;
	*to = '\0';
	return copy;
}

/** Parses the list of kinds after `kind:`. */
static int parse_kinds(const char *list, unsigned *kinds, struct pm_error *error)
{
	char *copy = alloc_string(list), *rest = copy, *name;
	int result = 0;
	while (result == 0 && (name = strsep(&rest, ","))) {
		enum pm_kind kind;
		result = pm_kind_parse(name, &kind, error);
		if (result == 0)
			*kinds |= 1u << kind;
	}

	free(copy);
	return result;
}

/** Parses the subject: the word before '<' or '>'. */
static int parse_subject(struct condition *condition, const char *word, struct pm_error *error)
{
	static const char kind[] = "kind:";
	if (strncmp(word, kind, sizeof kind - 1) == 0) {
		condition->subject = CONDITION_KIND;
		return parse_kinds(word + sizeof kind - 1, &condition->kinds, error);
	}

	for (int i = 0; i < CONDITION_SUBJECTS; i++)
		if (i != CONDITION_KIND && strcmp(word, names[i]) == 0) {
			condition->subject = (enum condition_subject)i;
			return 0;
		}

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%s' cannot be compared: use rss, anon, file, shmem, swap, size, "
	                    "threads, regions, headroom, grow, rate, kind:KIND or region",
	                    word);
}

/**
 * Parses the time after the slash: the period of `grow>200M/60s`, or the unit of time of
 * `rate>10M/h`.
 */
static int parse_time(struct condition *condition, const char *text, struct pm_error *error)
{
	condition->seconds = condition->subject == CONDITION_RATE;
	if (!text)
		return 0;
	if (condition->subject != CONDITION_GROW && condition->subject != CONDITION_RATE)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "only grow and rate can have a time after a slash; %s cannot",
		                    names[condition->subject]);
	if (!*text)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the time after the slash is missing");

	struct text whole = { 0 };

	/* A unit without a number means one: `10M/h` is `10M/1h`. */
	if (*text < '0' || *text > '9')
		text_char(&whole, '1');
	text_string(&whole, text);

	int result = delta_parse_duration(text_terminate(&whole), &condition->seconds, error);
	text_deinit(&whole);

	return result;
}

/** Parses a percentage: `15%` or `0.5%`. */
static int parse_percent(const char *text, double *value, struct pm_error *error)
{
	char digits[16];
	size_t length = strlen(text) - 1, whole = strspn(text, "0123456789");
	size_t point = text[whole] == '.', part = 0;

	if (point)
		part = strspn(text + whole + 1, "0123456789");

	if (whole == 0 || (point && part == 0) || whole + point + part != length ||
	    length >= sizeof digits)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a percentage", text);

	memcpy(digits, text, length);
	digits[length] = '\0';
	*value = strtod(digits, NULL);

	if (*value > 100)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%s' is too high: a percentage is a share of the memory limit, so it is "
			"at most 100%%",
			text);

	return 0;
}

/**
 * Sets the error for an empty value in a list.
 * @param rest the text after the empty value; NULL if this value is the last one
 */
static int refuse_empty(const struct condition *condition, const char *rest, struct pm_error *error)
{
	if (rest)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a value is missing before the comma");
	if (condition->count > 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a value is missing after the last comma");

	return pm_error_set(error, PM_ERROR_USAGE, 0, "a value is missing after %c",
	                    condition->below ? '<' : '>');
}

static int parse_value(struct condition *condition, const char *text, double *value,
                       struct pm_error *error)
{
	uint64_t number;
	size_t length = strlen(text);
	bool percent = length > 0 && text[length - 1] == '%';
	bool relative = condition->subject == CONDITION_GROW ||
	                condition->subject == CONDITION_RATE;

	if (percent && (condition_counts(condition->subject) || relative))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s cannot be compared with a percentage, because percentages "
		                    "are shares of the memory limit",
		                    names[condition->subject]);
	if (condition->count > 0 && percent != condition->percent)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a list must have either sizes or percentages, not both");

	condition->percent = percent;
	if (percent)
		return parse_percent(text, value, error);

	int result;
	if (condition_counts(condition->subject))
		result = pm_parse_decimal(text, UINT64_MAX, &number, error);
	else
		result = pm_parse_size(text, &number, error);

	if (result == 0)
		*value = (double)number;
	return result;
}

/**
 * Adds a threshold. Thresholds are sorted in the order in which a changing value passes them:
 * ascending for '>', descending for '<'.
 */
static void add_threshold(struct condition *condition, double value, char *text)
{
	condition->thresholds = alloc_array(condition->thresholds, condition->count + 1,
	                                    sizeof *condition->thresholds);

	size_t at = condition->count++;
	for (; at > 0; at--) {
		const struct threshold *before = &condition->thresholds[at - 1];
		if (condition->below && before->value >= value)
			break;
		if (!condition->below && before->value <= value)
			break;
		condition->thresholds[at] = *before;
	}

	condition->thresholds[at] = (struct threshold){ .value = value, .text = text };
}

/** Makes the text of a condition with a single value. The caller frees the text. */
static char *one_text(const char *subject, char sign, const char *value, const char *time)
{
	struct text text = { 0 };

	text_format(&text, "%s%c%s", subject, sign, value);
	if (time)
		text_format(&text, "/%s", time);
	text_terminate(&text);
	return text.bytes;
}

/** Parses the list of values between the comparison and the slash. */
static int parse_values(struct condition *condition, const char *subject, char *list,
                        const char *time, struct pm_error *error)
{
	char *rest = list, *word;

	while ((word = strsep(&rest, ","))) {
		double value = 0;

		if (*word == '\0')
			return refuse_empty(condition, rest, error);
		if (parse_value(condition, word, &value, error) < 0)
			return -1;

		add_threshold(condition, value,
		              one_text(subject, condition->below ? '<' : '>', word, time));
	}

	return 0;
}

/** Parses a condition. The text has no spaces, and is modified. */
static int parse(struct condition *condition, char *text, struct pm_error *error)
{
	char *sign = text + strcspn(text, "<>"), *rest = sign + 1;
	if (*sign == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' contains neither < nor >: write a comparison such as "
		                    "rss>2G, grow>200M/60s or headroom<15%%",
		                    text);

	condition->below = *sign == '<';
	*sign = '\0';

	char *time = strchr(rest, '/');
	if (time)
		*time++ = '\0';
	if (parse_subject(condition, text, error) < 0 || parse_time(condition, time, error) < 0)
		return -1;
	if (condition->below &&
	    (condition->subject == CONDITION_GROW || condition->subject == CONDITION_RATE))
		return pm_error_set(error, PM_ERROR_USAGE, 0, "%s supports only >, not <", text);

	return parse_values(condition, text, rest, time, error);
}

int condition_parse(struct condition *condition, const char *text, struct pm_error *error)
{
	struct condition parsed = { 0 };
	char *copy = copy_without_spaces(text);
	int result = parse(&parsed, copy, error);

	free(copy);
	if (result == 0)
		*condition = parsed;
	else
		condition_deinit(&parsed);

	return result;
}

void condition_deinit(struct condition *condition)
{
	for (size_t i = 0; i < condition->count; i++)
		free(condition->thresholds[i].text);
	free(condition->thresholds);
	*condition = (struct condition){ 0 };
}
