/* SPDX-License-Identifier: MIT */
#include "shell/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <procmem/maps.h>
#include <procmem/number.h>

#include "base/alloc.h"
#include "base/report.h"
#include "commands.h"

/** What a command wants with a number. */
enum use {
	USE_BYTES,  /**< dump: what was found */
	USE_VALUES, /**< x: an address, with which it does sums itself */
	USE_PLACE, /**< the others: an address means the region around it, also when it has grown */
};

/**
 * Reads "#3" or "#r2".
 * @return what it names, NULL with `error` filled where there is nothing; `at` is moved behind it
 */
static const struct result *read_number(const struct results *results, const char **at,
                                        bool *is_region, struct pm_error *error)
{
	char digits[24];
	uint64_t number = 0;
	const char *begin = *at + 1;
	*is_region = *begin == 'r';
	begin += *is_region;

	size_t length = strspn(begin, "0123456789");
	if (length < sizeof digits) {
		memcpy(digits, begin, length);
		digits[length] = '\0';
		if (pm_parse_decimal(digits, SIZE_MAX, &number, NULL) < 0)
			number = 0;
	}

	*at = begin + length;
	const struct result *result = *is_region ? results_region(results, (size_t)number)
	                                         : results_hit(results, (size_t)number);
	if (!result && *is_region)
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "there is no #r%.*s: %zu regions have a number (map lists them, and "
		             "regions too)",
		             (int)length, begin, results_region_count(results));
	else if (!result)
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "there is no #%.*s: the last search found %zu hits (hits lists them)",
		             (int)length, begin, results_hit_count(results));

	return result;
}

static bool is_number(const char *word)
{
	size_t letter = word[0] == '#' && word[1] == 'r';
	return word[0] == '#' && word[1 + letter] >= '0' && word[1 + letter] <= '9';
}

/* What may stand behind a number: a distance, or a distance and a length. */
enum { TERMS_MAX = 2 };

/** Numbers with signs that stand behind "#3". */
struct terms {
	uint64_t values[TERMS_MAX];
	bool minus[TERMS_MAX];
	size_t count; /* more than TERMS_MAX: there were more */
};

/**
 * Reads "-0x10+64".
 * @return false where it is something else, or nothing
 */
static bool read_terms(const char *word, struct terms *terms)
{
	*terms = (struct terms){ 0 };
	while (*word == '+' || *word == '-') {
		bool minus = *word++ == '-';
		size_t length = strcspn(word, "+-");
		char *number = strndup(word, length);
		uint64_t value;
		bool good = number && pm_parse_size(number, &value, NULL) == 0;

		free(number);
		if (!good)
			return false;

		if (terms->count < TERMS_MAX) {
			terms->values[terms->count] = value;
			terms->minus[terms->count] = minus;
		}

		terms->count++;
		word += length;
	}

	return terms->count > 0 && *word == '\0';
}

/**
 * Adds a place beside a result: #3-16 reaches from 16 bytes before it to its end where bytes are
 * meant, #3+16+64 has 64.
 */
static int put_beside(const char *word, const struct terms *terms, const struct result *result,
                      bool bytes, struct text *text, struct pm_error *error)
{
	uint64_t distance = terms->values[0], end = result->end;
	uint64_t address = terms->minus[0] ? result->start - distance : result->start + distance;
	bool is_beyond = terms->minus[0] ? distance > result->start
	                                 : distance > UINT64_MAX - result->start;

	if (terms->count > TERMS_MAX || (terms->count == TERMS_MAX && terms->minus[1]))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is too much: a distance and a length can stand there, "
		                    "as in #3-16+64",
		                    word);
	if (is_beyond)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' goes beyond the addresses that there are", word);

	text_format(text, "0x%" PRIx64, address);
	if (terms->count == TERMS_MAX)
		text_format(text, "+%" PRIu64, terms->values[1]);
	else if (bytes && end > address)
		text_format(text, "+%" PRIu64, end - address);

	return 0;
}

/**
 * Whether a number behind - is the address of an end, as listings print it. One of digits only
 * would be terabytes as a distance.
 */
static bool is_end(const char *number, uint64_t start)
{
	char *end;
	return strtoull(number, &end, 16) > start && *end == '\0';
}

/**
 * Makes the word that a number stands for.
 * @return 0 or -1
 */
static int replace(const struct shell *shell, const char *whole, enum use use, struct text *text,
                   struct pm_error *error)
{
	bool is_region;
	struct terms terms;
	const char *word = whole;
	const struct result *result = read_number(shell->results, &word, &is_region, error);

	if (!result)
		return -1;

	bool bytes = use == USE_BYTES && !is_region && result->end > result->start;
	bool has_terms = use != USE_VALUES && read_terms(word, &terms);
	/* One that is added is a length, and behind - can stand the address of an end. */
	if (has_terms && (terms.count > 1 || (terms.minus[0] && terms.values[0] <= result->start &&
	                                      !is_end(word + 1, result->start))))
		return put_beside(whole, &terms, result, bytes, text, error);

	text_format(text, "0x%" PRIx64, result->start);
	if (word[0] == '-' && is_number(word + 1)) {
		word++;
		result = read_number(shell->results, &word, &is_region, error);
		if (!result)
			return -1;
		if (*word)
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"'%.64s' is too much: #1-#3 are all bytes from one to another",
				whole);
		text_format(text, "-0x%" PRIx64, result->end);
	} else if (*word == '\0' && bytes) {
		text_format(text, "+%" PRIu64, result->end - result->start);
	}

	/* Sizes are decimal, but who counts in addresses writes the distance like one. */
	uint64_t distance;
	if (strncmp(word, "+0x", 3) == 0 && pm_parse_address(word + 1, &distance, NULL) == 0)
		text_format(text, "+%" PRIu64, distance);
	else
		text_string(text, word);

	return 0;
}

static enum use use_of(const char *command)
{
	if (strcmp(command, "dump") == 0)
		return USE_BYTES;
	return command[0] == 'x' && (command[1] == '\0' || command[1] == '/') ? USE_VALUES
	                                                                      : USE_PLACE;
}

/**
 * Exchanges one word of a statement for several.
 * @param words as many texts as `count`; the statement takes them
 */
static void exchange(struct shell_statement *statement, size_t at, char **words, size_t count)
{
	size_t rest = statement->count - at - 1;

	statement->words = alloc_array(statement->words, statement->count + count,
	                               sizeof *statement->words);
	statement->quoted = alloc_array(statement->quoted, statement->count + count,
	                                sizeof *statement->quoted);
	free(statement->words[at]);

	/* With the NULL behind the last one. */
	memmove(statement->words + at + count, statement->words + at + 1,
	        (rest + 1) * sizeof *statement->words);
	memmove(statement->quoted + at + count, statement->quoted + at + 1,
	        rest * sizeof *statement->quoted);

	for (size_t i = 0; i < count; i++) {
		statement->words[at + i] = words[i];
		statement->quoted[at + i] = false;
	}

	statement->count += count - 1;
}

/**
 * Adds the address of a row's region, as far as it is still there.
 * @return false where nothing of it is
 */
static bool put_place(const struct pm_region_range *range, const struct pm_regions *now,
                      struct text *address)
{
	size_t index = pm_regions_index(now, range->range.start);
	if (index >= now->count || now->items[index].start >= range->range.end)
		return false;
	uint64_t start = now->items[index].start;
	text_format(address, "0x%" PRIx64, start > range->range.start ? start : range->range.start);
	return true;
}

/**
 * The regions of a row that stands for several, one word for each. The process goes on: some may be
 * unmapped by now, which is no reason to leave out the others.
 *
 * @return  how many; 0: it is no such word, or `x` wants one address, or none is left: the command
 * then says so of the one that was shown
 */
static size_t name_all(const struct shell *shell, const char *word, enum use use, char ***words)
{
	bool is_region;
	struct pm_error error;
	struct pm_regions now;
	const char *number = word;
	size_t count = 0;
	const struct result *result = read_number(shell->results, &word, &is_region, &error);

	if (!result || !is_region || *word || use == USE_VALUES || result->range_count == 0)
		return 0;

	pm_regions_init(&now);
	if (!shell->target.process ||
	    pm_maps_read(shell->target.process, PM_MAPS, &now, NULL) < 0) {
		pm_regions_deinit(&now);
		return 0;
	}

	*words = alloc_array(NULL, result->range_count, sizeof **words);
	for (size_t i = 0; i < result->range_count; i++) {
		struct text address = { 0 };
		if (put_place(&result->ranges[i], &now, &address))
			(*words)[count++] = alloc_string(text_terminate(&address));
		text_deinit(&address);
	}

	pm_regions_deinit(&now);
	if (count > 0 && count < result->range_count)
		report_note("of %s %zu of %zu regions are unmapped by now", number,
		            result->range_count - count, result->range_count);

	return count;
}

/**
 * Makes what one word stands for.
 * @return how many words that are now, -1 on error
 */
static int replace_word(const struct shell *shell, struct shell_statement *statement, size_t at,
                        enum use use, struct pm_error *error)
{
	struct text single = { 0 };
	char **words = NULL;
	size_t count = name_all(shell, statement->words[at], use, &words);
	int replaced = count > 0 ? 0 : replace(shell, statement->words[at], use, &single, error);

	if (count == 0 && replaced == 0) {
		words = alloc_array(words, 1, sizeof *words);
		words[count++] = alloc_string(text_terminate(&single));
	}

	if (replaced == 0)
		exchange(statement, at, words, count);
	text_deinit(&single);
	free(words);

	return replaced < 0 ? -1 : (int)count;
}

/** Whether a command may have a region among its words. */
static bool takes_regions(const char *name)
{
	const struct command *command = commands_find(name);
	return !command || !command->spec || strstr(command->spec->operands, "REGION");
}

int shell_results_replace(const struct shell *shell, struct shell_statement *statement,
                          struct pm_error *error)
{
	const char *name = statement->words[0];
	enum use use = use_of(name);
	for (size_t i = 1; i < statement->count; i++) {
		const char *word = statement->words[i];
		if (statement->quoted[i] || !is_number(word))
			continue;
		if (!takes_regions(name))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "%s has no place for %s: it takes no regions", name,
			                    word);
		int count = replace_word(shell, statement, i, use, error);
		if (count < 0)
			return -1;
		i += (size_t)count - 1;
	}

	return 0;
}
