/* SPDX-License-Identifier: MIT */
#include "proc/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/lines.h"
#include "base/number.h"

/* Indices of fields in a line: mount ID, parent ID, major:minor, root, mount point, mount options,
 * and then any number of optional fields. */
enum { FIELD_ID = 0, FIELD_DEVICE = 2, FIELD_ROOT = 3, FIELD_POINT = 4, FIELD_OPTIONAL = 6 };

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/**
 * Decodes escapes in place. The kernel replaces spaces, newlines and some other bytes by `\` and
 * three octal digits (mangle() in fs/proc_namespace.c).
 */
static void unescape(char *text)
{
	char *to = text;
	for (const char *from = text; *from != '\0'; to++) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}

	*to = '\0';
}

/** Parses a device like "0:25". Returns 0, which is not a device, if the text is something else. */
static uint64_t parse_device(const char *text)
{
	uint64_t major, minor;

	if (!pm_scan_decimal(&text, &major) || *text++ != ':' || !pm_scan_decimal(&text, &minor) ||
	    *text != '\0' || major > UINT32_MAX || minor > UINT32_MAX)
		return 0;

	return makedev((unsigned)major, (unsigned)minor);
}

bool pm_mount_parse(char *line, struct pm_mount *mount)
{
	char *fields[FIELD_OPTIONAL], *rest = line;
	for (size_t i = 0; i < FIELD_OPTIONAL; i++)
		if (!(fields[i] = strsep(&rest, " ")))
			return false;

	char *word;
	while ((word = strsep(&rest, " ")) && strcmp(word, "-") != 0) {
	}

	char *type = strsep(&rest, " ");
	char *source = strsep(&rest, " ");
	if (!source || !rest)
		return false;

	unescape(fields[FIELD_ROOT]);
	unescape(fields[FIELD_POINT]);
	*mount = (struct pm_mount){ .device = parse_device(fields[FIELD_DEVICE]),
		                    .root = fields[FIELD_ROOT],
		                    .point = fields[FIELD_POINT],
		                    .type = type,
		                    .options = rest };

	const char *id = fields[FIELD_ID];
	pm_scan_decimal(&id, &mount->id);

	return true;
}

const char *pm_mount_option(const struct pm_mount *mount, const char *name, size_t *length)
{
	size_t name_length = strlen(name);
	for (const char *at = mount->options; *at != '\0';) {
		size_t option = strcspn(at, ",");
		if (option >= name_length && memcmp(at, name, name_length) == 0 &&
		    (option == name_length || at[name_length] == '=')) {
			size_t skipped = name_length + (option > name_length);
			*length = option - skipped;
			return at + skipped;
		}
		at += option + (at[option] == ',');
	}

	return NULL;
}

int pm_mounts_visit_file(int fd, pm_mount_visitor *visit, void *context, struct pm_error *error)
{
	struct pm_lines lines;
	char *line;
	size_t length;
	int result = pm_lines_init(&lines, fd, error);

	while (result == 0 && (result = pm_lines_next(&lines, &line, &length, error)) > 0) {
		struct pm_mount mount;
		result = 0;
		if (pm_mount_parse(line, &mount))
			result = visit(context, &mount, error);
	}

	pm_lines_deinit(&lines);
	return result;
}

int pm_mounts_visit(const char *proc_root, pm_mount_visitor *visit, void *context,
                    struct pm_error *error)
{
	char *path;
	if (asprintf(&path, "%s/self/mountinfo", proc_root) < 0)
		return pm_error_out_of_memory(error);

	int fd = open(path, O_RDONLY | O_CLOEXEC), cause = errno;
	free(path);
	if (fd < 0 && (cause == ENOENT || cause == ENOTDIR))
		return 0;
	if (fd < 0)
		return pm_error_set(error, PM_ERROR_IO, cause, "cannot open %s/self/mountinfo: %s",
		                    proc_root, strerror(cause));

	int result = pm_mounts_visit_file(fd, visit, context, error);
	close(fd);

	return result;
}
