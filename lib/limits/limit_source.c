/* SPDX-License-Identifier: MIT */
#include "limits/limit_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"

/**
 * Maximum size in bytes of the files of /proc that are read here. meminfo has a few thousand bytes.
 */
enum { FILE_MAX = 1 << 16 };

void pm_limit_remove(struct pm_headroom *headroom, enum pm_limit_kind kind)
{
	size_t kept = 0;
	for (size_t i = 0; i < headroom->count; i++) {
		if (headroom->limits[i].kind == kind)
			continue;
		if (kept < i)
			headroom->limits[kept] = headroom->limits[i];
		kept++;
	}

	headroom->count = kept;
}

/** Returns whether a limit comes before another limit in pm_headroom.limits. */
static bool is_before(const struct pm_limit *limit, const struct pm_limit *other)
{
	if (limit->kind != other->kind)
		return limit->kind < other->kind;
	return pm_limit_left(limit) < pm_limit_left(other);
}

static void remove_at(struct pm_headroom *headroom, size_t at)
{
	struct pm_limit *limits = headroom->limits;
	memmove(&limits[at], &limits[at + 1], (headroom->count - at - 1) * sizeof *limits);
	headroom->count--;
}

struct pm_limit *pm_limit_insert(struct pm_headroom *headroom, const struct pm_limit *limit)
{
	struct pm_limit *limits = headroom->limits;
	size_t at = 0, same = 0, last = 0;

	for (size_t i = 0; i < headroom->count; i++) {
		if (limits[i].kind == limit->kind) {
			same++;
			last = i;
		}
		if (!is_before(limit, &limits[i]))
			at = i + 1;
	}

	if (same >= PM_LIMIT_LEVELS) {
		if (at > last)
			return NULL;
		remove_at(headroom, last);
	}

	memmove(&limits[at + 1], &limits[at], (headroom->count - at) * sizeof *limits);
	limits[at] = *limit;
	limits[at].counts = limit->kind >= PM_LIMIT_MAPPINGS;
	headroom->count++;

	return &limits[at];
}

struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                              uint64_t used, const char *source)
{
	struct pm_limit limit = { .kind = kind, .max = max, .used = used };

	snprintf(limit.source, sizeof limit.source, "%s", source);
	pm_limit_remove(headroom, kind);

	return pm_limit_insert(headroom, &limit);
}

char *pm_limit_file(const char *root, const char *path)
{
	char *whole, *text;
	if (asprintf(&whole, "%s/%s", root, path) < 0)
		return NULL;

	int fd = open(whole, O_RDONLY | O_CLOEXEC);
	free(whole);
	if (fd < 0)
		return NULL;

	int result = pm_read_all(fd, FILE_MAX, &text, NULL, NULL);
	close(fd);

	if (result < 0)
		return NULL;
	return text;
}

bool pm_limit_soft(const char *limits, const char *name, uint64_t *max)
{
	const char *line = strstr(limits, name);
	if (!line)
		return false;
	line += strlen(name);
	line += strspn(line, " ");
	return pm_scan_decimal(&line, max);
}
