/* SPDX-License-Identifier: MIT */
/*
 * The sequences are those of ECMA-48 (ESC [ parameters final) and the older ESC O final, as xterm,
 * the console of Linux, rxvt, tmux and screen send them, and those of terminfo. Reports of the
 * mouse are SGR (ESC [ < button ; column ; line M), or, from terminals that only know the older
 * form, ESC [ M and three bytes. See https://invisible-island.net/xterm/ctlseqs/ctlseqs.html.
 *
 * Once ESC [ or ESC O has been received, the rest is awaited for as long as it takes. Thus a slow
 * line does not turn an arrow key into the Escape key.
 */
#include "view/terminal_keys.h"

#include <string.h>
#include <wchar.h>

enum { ESC = 27, FIRST_PRINTABLE = 32, DELETE = 127 };

/* Highest value of a parameter, to avoid an overflow. No screen has that many columns. */
enum { PARAMETER_MAX = 99999, PARAMETERS = 3 };

void terminal_keys_add(struct terminal_keys *keys, const char *sequence, uint32_t key)
{
	if (!sequence || *sequence == '\0' || keys->named_count == TERMINAL_KEYS_NAMED_MAX)
		return;

	size_t length = strlen(sequence);
	bool control = length == 1 && (unsigned char)*sequence < FIRST_PRINTABLE;
	/* ESC alone is the Escape key. A longer sequence starts with it. */
	if (length >= TERMINAL_KEYS_SEQUENCE_MAX || control == (*sequence == ESC))
		return;

	struct terminal_keys_named *named = &keys->named[keys->named_count++];
	memcpy(named->bytes, sequence, length + 1);
	named->key = key;
}

char *terminal_keys_room(struct terminal_keys *keys, size_t *room)
{
	*room = sizeof keys->bytes - keys->length;
	return keys->bytes + keys->length;
}

bool terminal_keys_has_escape(const struct terminal_keys *keys)
{
	return keys->length == 1 && keys->bytes[0] == ESC;
}

/** Removes decoded bytes. @return the key that they were */
static uint32_t consume(struct terminal_keys *keys, size_t length, uint32_t key)
{
	keys->length -= length;
	memmove(keys->bytes, keys->bytes + length, keys->length);
	return key;
}

/**
 * Decodes a sequence of terminfo.
 * @param partial  receives whether the bytes are the beginning of such a sequence
 * @return         the key; TERMINAL_NO_KEY if there is none
 */
static uint32_t next_named(struct terminal_keys *keys, bool *partial)
{
	*partial = false;

	for (size_t i = 0; i < keys->named_count; i++) {
		const struct terminal_keys_named *named = &keys->named[i];
		size_t length = strlen(named->bytes);

		if (keys->length >= length && memcmp(keys->bytes, named->bytes, length) == 0)
			return consume(keys, length, named->key);
		if (keys->length < length && memcmp(keys->bytes, named->bytes, keys->length) == 0)
			*partial = true;
	}

	return TERMINAL_NO_KEY;
}

/** Returns the key of the last byte of ESC [ … and ESC O …, or of ESC [ [ … of Linux. */
static uint32_t key_of_final(char final, bool linux_console)
{
	switch (final) {
	case 'A':
		return linux_console ? TERMINAL_F1 : TERMINAL_UP;
	case 'B':
		return linux_console ? TERMINAL_F2 : TERMINAL_DOWN;
	case 'C':
		return linux_console ? TERMINAL_F3 : TERMINAL_OTHER;
	case 'D':
		return linux_console ? TERMINAL_F4 : TERMINAL_OTHER;
	case 'E':
		return linux_console ? TERMINAL_F5 : TERMINAL_OTHER;

	case 'H':
		return TERMINAL_HOME;
	case 'F':
		return TERMINAL_END;
	case 'P':
	case 'Q':
	case 'R':
	case 'S':
		return TERMINAL_F1 + (uint32_t)(final - 'P');
	default:
		return TERMINAL_OTHER;
	}
}

/** Returns the key of ESC [ number ~. */
static uint32_t key_of_number(int number)
{
	switch (number) {
	case 1:
	case 7:
		return TERMINAL_HOME;
	case 4:
	case 8:
		return TERMINAL_END;
	case 5:
		return TERMINAL_PAGE_UP;
	case 6:
		return TERMINAL_PAGE_DOWN;
	default:
		break;
	}

	/* 16 is not a key. */
	if (number >= 11 && number <= 15)
		return TERMINAL_F1 + (uint32_t)(number - 11);
	if (number >= 17 && number <= 21)
		return TERMINAL_F6 + (uint32_t)(number - 17);
	return TERMINAL_OTHER;
}

/** Returns the event of a button, whose number also contains modifiers. */
static uint32_t key_of_button(int button)
{
	enum { MODIFIERS = 4 | 8 | 16, WHEEL = 64 };

	switch (button & ~MODIFIERS) {
	case 0:
		return TERMINAL_CLICK;
	case WHEEL:
		return TERMINAL_WHEEL_UP;
	case WHEEL + 1:
		return TERMINAL_WHEEL_DOWN;
	default:
		return TERMINAL_RELEASE;
	}
}

/** Parses numbers separated by semicolons. Missing ones are 0. */
static void parse_parameters(const char *bytes, size_t length, int *parameters)
{
	size_t at = 0;

	memset(parameters, 0, PARAMETERS * sizeof *parameters);
	for (size_t i = 0; i < length && at < PARAMETERS; i++) {
		if (bytes[i] == ';')
			at++;
		else if (bytes[i] >= '0' && bytes[i] <= '9' && parameters[at] < PARAMETER_MAX)
			parameters[at] = parameters[at] * 10 + (bytes[i] - '0');
	}
}

/** Decodes ESC [ M and three bytes: button, column, line, each plus 32. */
static uint32_t next_old_mouse(struct terminal_keys *keys)
{
	enum { LENGTH = 6, BIAS = 32 };
	const unsigned char *report = (const unsigned char *)keys->bytes + 3;

	if (keys->length < LENGTH)
		return TERMINAL_NO_KEY;

	int button = report[0] - BIAS, column = report[1] - BIAS, line = report[2] - BIAS;
	keys->mouse = (struct terminal_point){ .row = line - 1, .column = column - 1 };
	/* The number of a released button is 3. */
	return consume(keys, LENGTH, key_of_button(button));
}

/** Decodes a complete sequence ESC [ … final of some length. */
static uint32_t decode_sequence(struct terminal_keys *keys, size_t length)
{
	int parameters[PARAMETERS];
	const char *body = keys->bytes + 2;
	char final = keys->bytes[length - 1];

	if (*body != '<') {
		parse_parameters(body, length - 3, parameters);
		return final == '~' ? key_of_number(parameters[0]) : key_of_final(final, false);
	}

	parse_parameters(body + 1, length - 4, parameters);
	/* With m, the button was released. */
	if (final != 'M')
		return final == 'm' ? TERMINAL_RELEASE : TERMINAL_OTHER;

	keys->mouse = (struct terminal_point){ .row = parameters[2] - 1,
		                               .column = parameters[1] - 1 };
	return key_of_button(parameters[0]);
}

/** Decodes a sequence that starts with ESC [. */
static uint32_t next_sequence(struct terminal_keys *keys)
{
	size_t at = 2;

	if (keys->length > 2 && keys->bytes[2] == '[') {
		if (keys->length == 3)
			return TERMINAL_NO_KEY;
		return consume(keys, 4, key_of_final(keys->bytes[3], true));
	}
	if (keys->length > 2 && keys->bytes[2] == 'M')
		return next_old_mouse(keys);

	while (at < keys->length && keys->bytes[at] >= ' ' && keys->bytes[at] < '@')
		at++;

	if (at == keys->length) {
		/* No key has such a long sequence. */
		bool full = keys->length == sizeof keys->bytes;
		return full ? consume(keys, at, TERMINAL_OTHER) : TERMINAL_NO_KEY;
	}

	/* Another byte cannot be part of a sequence: drop what is before it. */
	if (keys->bytes[at] < '@' || keys->bytes[at] == DELETE)
		return consume(keys, at, TERMINAL_OTHER);
	return consume(keys, at + 1, decode_sequence(keys, at + 1));
}

/** Decodes a sequence of a key, or the Escape key. */
static uint32_t next_escape(struct terminal_keys *keys, bool late)
{
	if (keys->length == 1)
		return late ? consume(keys, 1, TERMINAL_ESCAPE) : TERMINAL_NO_KEY;
	if (keys->bytes[1] == '[')
		return next_sequence(keys);
	if (keys->bytes[1] != 'O')
		return consume(keys, 1, TERMINAL_ESCAPE);
	if (keys->length == 2)
		return TERMINAL_NO_KEY;

	/* Enter of the numeric keypad. */
	if (keys->bytes[2] == 'M')
		return consume(keys, 3, TERMINAL_ENTER);
	return consume(keys, 3, key_of_final(keys->bytes[2], false));
}

/** Decodes a character. */
static uint32_t next_character(struct terminal_keys *keys)
{
	mbstate_t state = { 0 };
	wchar_t character = 0;
	size_t length = mbrtowc(&character, keys->bytes, keys->length, &state);

	if (length == (size_t)-2) /* incomplete; a character has at most MB_LEN_MAX (16) bytes */
		return TERMINAL_NO_KEY;
	if (length == (size_t)-1 || length == 0)
		return consume(keys, 1, TERMINAL_OTHER);
	/* glibc decodes more than Unicode has. Such a value would be taken for a key. */
	if ((uint32_t)character >= TERMINAL_UP)
		return consume(keys, length, TERMINAL_OTHER);
	if (character == '\r')
		return consume(keys, length, TERMINAL_ENTER);

	/* The Backspace key sends 8 or 127, depending on the terminal. */
	if (character == '\b' || character == DELETE)
		return consume(keys, length, TERMINAL_BACKSPACE);
	return consume(keys, length, (uint32_t)character);
}

uint32_t terminal_keys_next(struct terminal_keys *keys, bool late)
{
	bool partial;

	if (keys->length == 0)
		return TERMINAL_NO_KEY;

	uint32_t key = next_named(keys, &partial);
	if (key != TERMINAL_NO_KEY)
		return key;
	/* A sequence such as ESC N, which no other form covers, is complete when it is late. */
	if (partial && !late)
		return TERMINAL_NO_KEY;

	return keys->bytes[0] == ESC ? next_escape(keys, late) : next_character(keys);
}
