/* SPDX-License-Identifier: MIT */
/*
 * fdinfo has a line for each value, `pos:<tab>123` (decimal) and `flags:<tab>0100002` (octal, as in
 * open(2)). Some types of files append lines of their own.
 */
#include "files/fdinfo.h"

#include <fcntl.h>
#include <string.h>

#include "base/number.h"

/* O_PATH of Linux, which fcntl.h may hide. */
#ifndef O_PATH
#define O_PATH 010000000
#endif

/** Returns the value of a line that starts with a key; NULL if there is none. */
static const char *find(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return line + length + strspn(line + length, "\t ");
		if (*line == '\0')
			break;
	}

	return NULL;
}

/** Parses octal digits. A value that does not fit in 32 bits is not valid. */
static bool parse_octal(const char *text, uint64_t *value)
{
	uint64_t number = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '7'; at++) {
		number = number << 3 | (uint64_t)(*at - '0');
		if (number > UINT32_MAX)
			return false;
	}

	*value = number;
	return at > text && (*at == '\n' || *at == '\0');
}

bool pm_fdinfo_parse(const char *text, struct pm_fdinfo *info)
{
	const char *offset_text = find(text, "pos:"), *flags_text = find(text, "flags:");
	uint64_t offset, flags;

	if (!offset_text || !flags_text || !pm_scan_decimal(&offset_text, &offset) ||
	    (*offset_text != '\n' && *offset_text != '\0') || !parse_octal(flags_text, &flags))
		return false;

	bool only_path = (flags & O_PATH) != 0;
	info->offset = offset;
	info->writable = !only_path && (flags & O_ACCMODE) != O_RDONLY;

	return true;
}
