/* SPDX-License-Identifier: MIT */
#include "scan/pattern_bytes.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/**
 * Compiles the token alone.
 * @return NULL where PCRE2 does not take it
 */
static pcre2_code *compile(const struct pm_token *token, bool utf)
{
	int code;
	PCRE2_SIZE offset;

	bool as_is = token->literal && (token->text[0] != '\\' || token->length == 1);
	uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | (token->options & PCRE2_CASELESS) |
	                   (utf ? PCRE2_UTF | PCRE2_UCP : 0);
	options |= as_is ? PCRE2_LITERAL : token->options & PCRE2_DOTALL;

	/* These two do not go together; without UTF there is nothing that PCRE2_UCP would change in
	 * a literal. */
	if (as_is)
		options &= ~PCRE2_UCP;

	return pcre2_compile((PCRE2_SPTR)token->text, token->length, options, &code, &offset, NULL);
}

/** Whether a token that matches some characters of ASCII matches no others. */
static bool only_ascii(const struct pm_token *token, const struct pm_byte_set *set)
{
	/* U+017F and U+212A are s and k in another case. */
	if ((token->options & PCRE2_CASELESS) &&
	    (pm_byte_set_has(set, 'k') || pm_byte_set_has(set, 's')))
		return false;
	if (token->literal)
		return true;
	if (token->text[0] != '[' || (token->options & PCRE2_CASELESS))
		return false;

	for (size_t i = 1; i < token->length; i++) {
		unsigned char c = (unsigned char)token->text[i];
		if (c >= 0x80 || c == '\\' || c == '[' || (c == '^' && i == 1))
			return false;
	}

	return true;
}

bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set)
{
	pcre2_code *code = compile(token, utf);
	pcre2_match_data *match = code ? pcre2_match_data_create(1, NULL) : NULL;

	*set = (struct pm_byte_set){ 0 };
	for (unsigned i = 0; match && i < (utf ? 0x80 : 0x100); i++) {
		uint8_t byte = (uint8_t)i;
		if (pcre2_match(code, &byte, 1, 0, 0, match, NULL) >= 0)
			pm_byte_set_add(set, byte);
	}

	bool known = match && pm_byte_set_count(set) > 0 && (!utf || only_ascii(token, set));
	pcre2_match_data_free(match);
	pcre2_code_free(code);

	return known;
}
