/* SPDX-License-Identifier: MIT */
#include "scan/pattern_compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pattern_error.h"
#include "scan/pattern_text.h"
#include "scan/pattern_token.h"

/** Returns the PCRE2 options for the flags of a pattern. */
static uint32_t compile_options(unsigned flags)
{
	uint32_t options = PCRE2_USE_OFFSET_LIMIT;

	/* For a pattern such as ".*x", PCRE2 by default tries only offsets at which a line starts.
	 * It would then miss matches that start after an invalid byte, so PCRE2_NO_DOTSTAR_ANCHOR
	 * turns this off. */
	if (flags & PM_PATTERN_UTF)
		options |= PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF |
		           PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_DOTSTAR_ANCHOR;
	/* A pattern must not switch to UTF-8 with (*UTF): without PM_PATTERN_UTF, windows may end
	 * within a character. */
	else
		options |= PCRE2_NEVER_UTF;

	if (flags & PM_PATTERN_CASELESS)
		options |= PCRE2_CASELESS;
	if (flags & PM_PATTERN_MULTILINE)
		options |= PCRE2_MULTILINE;

	return options;
}

static int compile_error(int code, size_t offset, const struct pm_pattern_text *text,
                         struct pm_error *error)
{
	PCRE2_UCHAR reason[200];
	if (pcre2_get_error_message(code, reason, sizeof reason) < 0)
		reason[0] = '\0';
	return pm_pattern_wrong(text->bytes, text->length, offset, (const char *)reason, error);
}

/** Tests whether the text of a token starts with `start`. */
static bool starts_with(const struct pm_token *token, const char *start)
{
	size_t length = strlen(start);
	return token->length >= length && memcmp(token->text, start, length) == 0;
}

/**
 * Rejects \G, which matches only at the end of the previous match: this position is not known,
 * because each unit is searched separately from the others. Also rejects (*COMMIT), which ends the
 * search of all memory.
 */
static int check_tokens(const struct pm_pattern_text *text, uint32_t options,
                        struct pm_error *error)
{
	struct pm_tokens tokens;
	struct pm_token token;

	pm_tokens_init(&tokens, text->bytes, text->length, options);
	for (pm_tokens_next(&tokens, &token); token.type != PM_TOKEN_END;
	     pm_tokens_next(&tokens, &token)) {
		if (token.type != PM_TOKEN_UNKNOWN)
			continue;
		if (token.length == 2 && starts_with(&token, "\\G"))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "\\G is not supported, because parts of memory are "
			                    "searched in parallel");
		if (starts_with(&token, "(*COMMIT"))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "(*COMMIT) is not supported, because it would end the "
			                    "whole search; use (*PRUNE), which ends only the "
			                    "attempt to match at one position");
	}

	return 0;
}

/** Compiles the text of a pattern. Returns NULL if this fails. */
static pcre2_code *compile(const struct pm_pattern_text *text, uint32_t options,
                           struct pm_error *error)
{
	int reason;
	PCRE2_SIZE offset;

	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	if (!context) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text->bytes, text->length, options, &reason,
	                                 &offset, context);
	pcre2_compile_context_free(context);
	if (!code)
		compile_error(reason, offset, text, error);

	return code;
}

/**
 * Returns the number of bytes at the start of a pattern that are settings, such as "(*UCP)". Verbs
 * that control backtracking are not settings.
 */
static size_t settings_length(const struct pm_pattern_text *text)
{
	static const char *const settings[] = { "ANY", "CR",  "NO", "LIMIT", "UTF",
		                                "UCP", "BSR", "LF", "NUL" };
	size_t at = 0;

	for (;;) {
		const char *start = text->bytes + at, *end = memchr(start, ')', text->length - at);
		bool found = false;

		if (!end || start[0] != '(' || start[1] != '*')
			return at;
		for (size_t i = 0; i < sizeof settings / sizeof *settings && !found; i++)
			found = strncmp(start + 2, settings[i], strlen(settings[i])) == 0;
		if (!found)
			return at;
		at += (size_t)(end - start) + 1;
	}
}

/**
 * If a pattern contains (*SKIP), compiles it again, with a callout at its start. PCRE2 then calls
 * pm_matcher for each offset at which it tries to match. This shows how far (*SKIP) has moved the
 * search, which PCRE2 does not report otherwise.
 * @return 0 or -1
 */
static int add_callout(const struct pm_pattern_text *text, uint32_t options,
                       struct pm_compiled_pattern *pattern, struct pm_error *error)
{
	static const char callout[] = "(?C)";
	struct pm_pattern_text changed = { 0 };

	if (!memmem(text->bytes, text->length, "(*SKIP", strlen("(*SKIP")))
		return 0;

	size_t settings = settings_length(text);
	pm_pattern_text_add_bytes(&changed, text->bytes, settings);
	pm_pattern_text_add(&changed, callout);
	pm_pattern_text_add_bytes(&changed, text->bytes + settings, text->length - settings);

	pcre2_code *code = NULL;
	if (changed.failed)
		pm_error_out_of_memory(error);
	else
		code = compile(&changed, options, error);
	pm_pattern_text_deinit(&changed);
	if (!code)
		return -1;

	pcre2_code_free(pattern->code);
	pattern->code = code;
	pattern->callout = settings + strlen(callout);

	return 0;
}

/** Compiles the text of a pattern and adds the result to the list. */
static int add(struct pm_compiled_patterns *compiled, const struct pm_pattern_text *text,
               uint32_t options, struct pm_compiled_pattern pattern, struct pm_error *error)
{
	if (pm_array_reserve(&compiled->items, &compiled->capacity, compiled->count, 1,
	                     sizeof *compiled->items, error) < 0)
		return -1;

	pattern.code = compile(text, options, error);
	if (!pattern.code)
		return -1;

	compiled->items[compiled->count++] = pattern;
	struct pm_compiled_pattern *added = &compiled->items[compiled->count - 1];
	if (check_tokens(text, options, error) < 0 || add_callout(text, options, added, error) < 0)
		return -1;

	/* If this fails, the search works without JIT, but takes ten times as long. It fails if the
	 * kernel forbids memory that is writable and executable, or if PCRE2 does not support JIT
	 * for the processor. */
	pcre2_jit_compile(added->code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
	pm_pattern_shape_learn(text->bytes, text->length, options, &added->shape);

	return 0;
}

/** Adds two forms of a pattern that match UTF-16, one for each byte order. */
static int add_wide(struct pm_compiled_patterns *compiled, const struct pm_pattern_text *text,
                    const struct pm_pattern *pattern, uint32_t number, struct pm_error *error)
{
	uint32_t options = compile_options(pattern->flags &
	                                   (PM_PATTERN_CASELESS | PM_PATTERN_MULTILINE));
	int result = 0;
	for (int big = 0; big < 2 && result == 0; big++) {
		struct pm_pattern_text wide = { 0 };
		struct pm_compiled_pattern made = { .number = number };

		made.encoding = big ? PM_ENCODING_UTF16BE : PM_ENCODING_UTF16LE;
		result = pm_pattern_text_widen(text, options, big, &wide, error);
		if (result == 0)
			result = add(compiled, &wide, options, made, error);
		pm_pattern_text_deinit(&wide);
	}

	return result;
}

int pm_pattern_compile(struct pm_compiled_patterns *compiled, const struct pm_pattern *pattern,
                       uint32_t number, struct pm_error *error)
{
	struct pm_pattern_text text = { 0 };
	bool utf = pattern->flags & PM_PATTERN_UTF;

	if (pattern->length == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "an empty pattern would match everywhere");
	if ((pattern->flags & PM_PATTERN_HEX) && pattern->flags != PM_PATTERN_HEX)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a hexadecimal pattern cannot be combined with options for "
		                    "case, lines or encodings");

	int result = pm_pattern_text_write(pattern, &text, error);
	size_t first = compiled->count;
	if (result == 0) {
		struct pm_compiled_pattern made = { .number = number, .utf = utf };

		made.encoding = utf ? PM_ENCODING_UTF8 : PM_ENCODING_8BIT;
		result = add(compiled, &text, compile_options(pattern->flags), made, error);
	}

	if (result == 0 && (pattern->flags & PM_PATTERN_WIDE))
		result = add_wide(compiled, &text, pattern, number, error);
	if (result == 0 && compiled->count > first + 1) {
		/* If several patterns match at the same address, the match of the first one in the
		 * list is reported. So the 8-bit form is moved to the end, because it may match
		 * only the first letter of a word in UTF-16. */
		struct pm_compiled_pattern narrow = compiled->items[first];
		compiled->items[first] = compiled->items[compiled->count - 1];
		compiled->items[compiled->count - 1] = narrow;
	}

	pm_pattern_text_deinit(&text);
	return result;
}

void pm_compiled_patterns_deinit(struct pm_compiled_patterns *compiled)
{
	for (size_t i = 0; i < compiled->count; i++)
		pcre2_code_free(compiled->items[i].code);
	free(compiled->items);
	*compiled = (struct pm_compiled_patterns){ 0 };
}
