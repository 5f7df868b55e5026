/* SPDX-License-Identifier: MIT */
#include "base/shell_word.h"

#include <string.h>

void shell_word_put(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789./_-+:@,=";

	if (*word && word[strspn(word, plain)] == '\0') {
		text_string(text, word);
		return;
	}

	text_char(text, '\'');
	for (; *word; word++)
		if (*word == '\'')
			text_string(text, "'\\''");
		else
			text_char(text, *word);
	text_char(text, '\'');
}
