/* SPDX-License-Identifier: MIT */
#include "files/sysv_segments.h"

#include <string.h>

#include "base/number.h"

/** Fields of a line (named in the first line of the file). */
enum field {
	KEY,
	ID,
	PERMS,
	SIZE,
	CPID,
	LPID,
	ATTACHED,
	UID,
	GID,
	CUID,
	CGID,
	ATIME,
	DTIME,
	CTIME,
	RSS,
	SWAP,
	FIELDS
};

/** Parses the fields of a line. The key and some IDs are printed as signed numbers. */
static bool parse_fields(const char *at, uint64_t *fields, bool *negative_key)
{
	for (int i = 0; i < FIELDS; i++) {
		at += strspn(at, " ");
		bool negative = *at == '-';
		at += negative;
		if (!pm_scan_decimal(&at, &fields[i]))
			return false;
		if (i == KEY)
			*negative_key = negative;
	}

	return true;
}

bool pm_sysv_segments_next(const char **text, struct pm_sysv_segment *segment)
{
	while (**text != '\0') {
		uint64_t fields[FIELDS];
		bool negative = false;
		bool parsed = parse_fields(*text, fields, &negative);

		const char *end = strchr(*text, '\n');
		*text = end ? end + 1 : *text + strlen(*text);
		if (!parsed || fields[KEY] > (uint64_t)INT32_MAX + negative)
			continue;

		uint64_t bytes;
		if (__builtin_add_overflow(fields[RSS], fields[SWAP], &bytes))
			bytes = UINT64_MAX;
		int64_t key = (int64_t)fields[KEY];
		*segment = (struct pm_sysv_segment){ .key = (int32_t)(negative ? -key : key),
			                             .id = fields[ID],
			                             .size = fields[SIZE],
			                             .attached = fields[ATTACHED],
			                             .bytes = bytes };
		return true;
	}

	return false;
}
