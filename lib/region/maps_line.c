/* SPDX-License-Identifier: MIT */
#include "region/maps_line.h"

#include <string.h>

#include "base/number.h"

static bool scan_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

static bool scan_perms(const char **at, uint8_t *perms)
{
	const char *p = *at;
	unsigned bits = 0;
	if (p[0] == 'r')
		bits |= PM_PERM_READ;
	else if (p[0] != '-')
		return false;

	if (p[1] == 'w')
		bits |= PM_PERM_WRITE;
	else if (p[1] != '-')
		return false;

	if (p[2] == 'x')
		bits |= PM_PERM_EXEC;
	else if (p[2] != '-')
		return false;

	if (p[3] == 's')
		bits |= PM_PERM_SHARED;
	else if (p[3] != 'p')
		return false;

	*perms = (uint8_t)bits;
	*at = p + 4;

	return true;
}

static bool scan_device(const char **at, struct pm_region *region)
{
	uint64_t major, minor;
	if (!pm_scan_hex(at, &major) || !scan_char(at, ':') || !pm_scan_hex(at, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return false;

	region->device_major = (uint32_t)major;
	region->device_minor = (uint32_t)minor;
	return true;
}

/**
 * Replaces each `\012` by a newline, in place. The newline is the only byte that the kernel escapes
 * (seq_path(m, path, "\n")). Since the kernel does not escape backslashes, a file name that
 * contains the four characters `\012` cannot be distinguished from a file name with a newline. For
 * a living process, maps.c restores the name later.
 * @return the new length in bytes
 */
static size_t unescape(char *name, size_t length)
{
	char *escape = memchr(name, '\\', length);
	if (!escape)
		return length;

	char *to = escape;
	const char *from = escape, *end = name + length;
	while (from < end) {
		if (end - from >= 4 && memcmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}

	*to = '\0';
	return (size_t)(to - name);
}

static void set_name(char *name, size_t length, struct pm_region *region)
{
	static const char suffix[] = " (deleted)";
	enum { SUFFIX_LENGTH = sizeof suffix - 1 };
	length = unescape(name, length);

	/* The kernel appends this suffix to the names of deleted files. For an existing file whose
	 * name really ends with the suffix, maps.c restores the name later. */
	if (length > SUFFIX_LENGTH &&
	    memcmp(name + length - SUFFIX_LENGTH, suffix, SUFFIX_LENGTH) == 0) {
		name[length - SUFFIX_LENGTH] = '\0';
		region->deleted = true;
	}

	region->mapping = name;
}

bool pm_maps_line_parse(char *line, size_t length, struct pm_region *region)
{
	struct pm_region parsed = { .mapping = "", .why = "" };
	const char *at = line;
	if (!pm_scan_hex(&at, &parsed.start) || !scan_char(&at, '-') ||
	    !pm_scan_hex(&at, &parsed.end) || parsed.start >= parsed.end)
		return false;
	if (!scan_char(&at, ' ') || !scan_perms(&at, &parsed.perms) || !scan_char(&at, ' ') ||
	    !pm_scan_hex(&at, &parsed.offset))
		return false;
	if (!scan_char(&at, ' ') || !scan_device(&at, &parsed) || !scan_char(&at, ' ') ||
	    !pm_scan_decimal(&at, &parsed.inode))
		return false;

	if (*at != '\0') {
		if (!scan_char(&at, ' '))
			return false;
		at += strspn(at, " ");
		size_t before = (size_t)(at - line);
		if (before < length)
			set_name(line + before, length - before, &parsed);
	}

	*region = parsed;
	return true;
}
