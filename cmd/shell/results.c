/* SPDX-License-Identifier: MIT */
#include "shell/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <procmem/maps.h>
#include <procmem/number.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "commands.h"

/** How a command uses the number of a result. */
enum use {
	USE_BYTES,  /* dump: the bytes of a hit */
	USE_VALUES, /* x: an address; x parses the offsets after it */
	USE_PLACE, /* other commands: an address, which selects the region that contains it, even if
	              the bounds of the region have changed */
};

/**
 * Parses "#3" or "#r2".
 *
 * @param at         advanced to the end of the number
 * @param is_region  receives true for the number of a region, false for the number of a hit
 * @return           the result; NULL if there is no result with this number; then `error` is set
 */
static const struct result *read_number(const struct results *results, const char **at,
                                        bool *is_region, struct pm_error *error)
{
	char digits[24];
	uint64_t number = 0;
	const char *start = *at + 1;

	*is_region = *start == 'r';
	start += *is_region;

	size_t length = strspn(start, "0123456789");
	if (length < sizeof digits) {
		memcpy(digits, start, length);
		digits[length] = '\0';
		if (pm_parse_decimal(digits, SIZE_MAX, &number, NULL) < 0)
			number = 0;
	}

	const struct result *result = *is_region ? results_region(results, (size_t)number)
	                                         : results_hit(results, (size_t)number);

	*at = start + length;
	if (!result && *is_region)
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "there is no #r%.*s: 'regions' lists the %zu region%s a number",
		             (int)length, start, results_region_count(results),
		             results_region_count(results) == 1 ? " that has" : "s that have");
	else if (!result)
		pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"there is no #%.*s: the last search found %zu hit%s ('hits' lists them)",
			(int)length, start, results_hit_count(results),
			text_plural(results_hit_count(results)));

	return result;
}

static bool is_number(const char *word)
{
	size_t letter = word[0] == '#' && word[1] == 'r';
	return word[0] == '#' && word[1 + letter] >= '0' && word[1 + letter] <= '9';
}

/* What can follow a number: an offset, or an offset and a length. */
enum { TERMS_MAX = 2 };

/** The signed numbers after "#3". */
struct terms {
	uint64_t values[TERMS_MAX];
	bool minus[TERMS_MAX];
	size_t count; /* number of terms; can exceed TERMS_MAX, but no more than TERMS_MAX terms are
	                 stored */
};

/**
 * Parses the terms after a number, such as "-0x10+64".
 * @return false if the word is empty or is not a list of terms
 */
static bool read_terms(const char *word, struct terms *terms)
{
	*terms = (struct terms){ 0 };
	while (*word == '+' || *word == '-') {
		bool minus = *word++ == '-';
		size_t length = strcspn(word, "+-");
		char *number = strndup(word, length);
		uint64_t value;
		bool valid = number && pm_parse_size(number, &value, NULL) == 0;

		free(number);
		if (!valid)
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
 * Adds a range or an address relative to a result. If `bytes` is true, #3-16 is the range from 16
 * bytes before the hit to its end. #3+16+64 is the range of 64 bytes that starts 16 bytes after the
 * start of the hit. If `bytes` is false, #3-16 is only an address.
 */
static int put_relative(const char *word, const struct terms *terms, const struct result *result,
                        bool bytes, struct text *text, struct pm_error *error)
{
	uint64_t offset = terms->values[0];
	uint64_t address = result->start + offset;
	bool overflows = address < offset;

	if (terms->minus[0]) {
		address = result->start - offset;
		overflows = offset > result->start;
	}

	if (terms->count > TERMS_MAX || (terms->count == TERMS_MAX && terms->minus[1]))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' has too many terms: only an offset and a length can "
		                    "follow the number, as in #3-16+64",
		                    word);
	if (overflows)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is outside of the address space", word);

	text_format(text, "0x%" PRIx64, address);
	if (terms->count == TERMS_MAX)
		text_format(text, "+%" PRIu64, terms->values[1]);
	else if (bytes && result->end > address)
		text_format(text, "+%" PRIu64, result->end - address);

	return 0;
}

/**
 * Checks whether a number after '-' is an end address in hexadecimal, as listings print it, instead
 * of an offset: a number greater than the start address cannot be subtracted from it.
 */
static bool is_end(const char *number, uint64_t start)
{
	char *end;
	return strtoull(number, &end, 16) > start && *end == '\0';
}

/**
 * Adds the end of a range such as #1-#3.
 * @param whole  the whole word, for errors
 * @param word   the part after '-'
 * @return       0 or -1
 */
static int put_end(const struct shell *shell, const char *whole, const char *word,
                   struct text *text, struct pm_error *error)
{
	bool is_region;
	const struct result *result = read_number(shell->results, &word, &is_region, error);

	if (!result)
		return -1;
	if (*word)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' has too many terms: a range has only two, as in #1-#3 "
		                    "(from hit 1 to hit 3)",
		                    whole);

	text_format(text, "-0x%" PRIx64, result->end);
	return 0;
}

/** Makes the word that replaces a word such as #3 or #r2+16. @return 0 or -1 */
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
	/* A single number after '+' is a length, and a single number after '-' can be an end
	 * address. Only other terms are offsets. */
	bool is_offset = has_terms && terms.minus[0] && terms.values[0] <= result->start &&
	                 !is_end(word + 1, result->start);

	if (has_terms && (terms.count > 1 || is_offset))
		return put_relative(whole, &terms, result, bytes, text, error);

	text_format(text, "0x%" PRIx64, result->start);
	if (word[0] == '-' && is_number(word + 1))
		return put_end(shell, whole, word + 1, text, error);
	if (*word == '\0' && bytes)
		text_format(text, "+%" PRIu64, result->end - result->start);

	/* Lengths are decimal, but after an address they are often typed in hexadecimal. */
	uint64_t length;

	if (strncmp(word, "+0x", 3) == 0 && pm_parse_address(word + 1, &length, NULL) == 0)
		text_format(text, "+%" PRIu64, length);
	else
		text_string(text, word);

	return 0;
}

static enum use use_of(const char *command)
{
	if (strcmp(command, "dump") == 0)
		return USE_BYTES;
	if (strcmp(command, "x") == 0 || strncmp(command, "x/", 2) == 0)
		return USE_VALUES;
	return USE_PLACE;
}

/**
 * Replaces one word of a statement by one or more words.
 *
 * @param words  the strings; now owned by the statement
 * @param count  number of strings
 */
static void replace_by(struct shell_statement *statement, size_t at, char **words, size_t count)
{
	size_t rest = statement->count - at - 1;

	statement->words = alloc_array(statement->words, statement->count + count,
	                               sizeof *statement->words);
	statement->quoted = alloc_array(statement->quoted, statement->count + count,
	                                sizeof *statement->quoted);
	free(statement->words[at]);

	/* The moved words include the NULL at the end. */
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
 * Adds the first address of a range that is still mapped.
 * @return false if no part of the range is mapped
 */
static bool put_place(const struct pm_region_range *range, const struct pm_regions *now,
                      struct text *address)
{
	size_t index = pm_regions_index(now, range->range.start);

	if (index >= now->count || now->items[index].start >= range->range.end)
		return false;

	text_format(address, "0x%" PRIx64,
	            pm_max_size(now->items[index].start, range->range.start));
	return true;
}

/**
 * Makes a word for each region of a row that covers several regions. Regions that were unmapped
 * since the row was printed are skipped.
 *
 * @param words  receives the words, and the array; the caller releases them
 * @return       number of words. It is 0 if the word is not the number of such a row, if the
 *               command is `x`, which takes only one address, if the target is not a process whose
 *               regions can be read, or if none of the regions of the row is still mapped. The
 *               caller then uses the address of the displayed region
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
		report_note(
			"left out %zu of the %zu regions of %s: unmapped since the row was printed",
			result->range_count - count, result->range_count, number);

	return count;
}

/** Replaces the number in one word. @return number of words that replace it, -1 on failure */
static int replace_word(const struct shell *shell, struct shell_statement *statement, size_t at,
                        enum use use, struct pm_error *error)
{
	struct text single = { 0 };
	char **words = NULL;
	size_t count = name_all(shell, statement->words[at], use, &words);
	int status = 0;

	if (count == 0) {
		status = replace(shell, statement->words[at], use, &single, error);
		words = alloc_array(words, 1, sizeof *words);
		words[0] = alloc_string(text_terminate(&single));
		count = 1;
	}

	if (status == 0)
		replace_by(statement, at, words, count);
	else
		free(words[0]);
	text_deinit(&single);
	free(words);

	return status < 0 ? -1 : (int)count;
}

/** Checks whether a command can have a REGION or an ADDRESS. */
static bool takes_regions(const char *name)
{
	const struct command *command = commands_find(name);
	if (!command || !command->spec)
		return true;

	return strstr(command->spec->operands, "REGION") ||
	       strstr(command->spec->operands, "ADDRESS");
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
			                    "%s cannot use %s: this command takes no regions", name,
			                    word);

		int count = replace_word(shell, statement, i, use, error);
		if (count < 0)
			return -1;
		i += (size_t)count - 1;
	}

	return 0;
}
