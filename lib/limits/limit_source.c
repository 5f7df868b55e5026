/* SPDX-License-Identifier: MIT */
#include "limits/limit_source.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

/**
 * Maximum size in bytes of the files of /proc that are read here. meminfo has a few thousand bytes.
 */
enum { FILE_MAX = 1 << 16 };

struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                              uint64_t used, const char *source, ...)
{
	size_t at = 0;
	/*
	 * The array has room for one limit of each kind, so a limit of the same kind is replaced.
	 */
	while (at < headroom->count && headroom->limits[at].kind != kind)
		at++;

	struct pm_limit *limit = &headroom->limits[at];
	headroom->count += at == headroom->count;
	*limit = (struct pm_limit){
		.kind = kind, .counts = kind >= PM_LIMIT_MAPPINGS, .max = max, .used = used
	};

	va_list arguments;
	va_start(arguments, source);
	vsnprintf(limit->source, sizeof limit->source, source, arguments);
	va_end(arguments);

	return limit;
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
