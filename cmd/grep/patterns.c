/* SPDX-License-Identifier: MIT */
#include "grep/patterns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
	READ_SIZE = 64 * 1024,
	FILE_MAX = 64 * 1024 * 1024, /* maximum size of a file of patterns in bytes; a larger one
	                                was probably named by mistake */
};

static void add_one(struct grep_patterns *patterns, const char *bytes, size_t length)
{
	text_bytes(&patterns->bytes, bytes, length);
	if (patterns->count == patterns->capacity) {
		patterns->capacity = patterns->capacity * 2 + 4;
		patterns->ends = alloc_array(patterns->ends, patterns->capacity,
		                             sizeof *patterns->ends);
	}

	patterns->ends[patterns->count++] = patterns->bytes.length;
}

void grep_patterns_add(struct grep_patterns *patterns, const char *bytes, size_t length)
{
	const char *newline;
	patterns->given = true;
	while ((newline = memchr(bytes, '\n', length))) {
		size_t first = (size_t)(newline - bytes);
		add_one(patterns, bytes, first);
		bytes += first + 1;
		length -= first + 1;
	}

	add_one(patterns, bytes, length);
}

/** Reads a file to its end. */
static int read_all(int fd, const char *path, struct text *content, struct pm_error *error)
{
	for (;;) {
		ssize_t length = read(fd, text_room(content, READ_SIZE), READ_SIZE);
		if (length == 0)
			return 0;

		if (length > 0)
			content->length += (size_t)length;
		else if (errno != EINTR)
			return pm_error_set(error, PM_ERROR_IO, errno, "cannot read %s: %s", path,
			                    strerror(errno));

		if (content->length > FILE_MAX)
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"%s is larger than %d MiB, the maximum size of a file of patterns",
				path, FILE_MAX >> 20);
	}
}

int grep_patterns_add_file(struct grep_patterns *patterns, const char *path, struct pm_error *error)
{
	struct text content = { 0 };
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, errno, "cannot open %s: %s", path,
		                    strerror(errno));

	int result = read_all(fd, path, &content, error);
	patterns->given = true;

	if (result == 0 && content.length > 0) {
		/* Ignore the newline at the end of the file. It ends the last pattern, and does
		 * not start an empty one. */
		bool ended = content.bytes[content.length - 1] == '\n';
		grep_patterns_add(patterns, content.bytes, content.length - ended);
	}

	if (!is_stdin)
		close(fd);
	text_deinit(&content);

	return result;
}

/** Returns the pattern with the given index. */
static struct pm_pattern pattern_at(const struct grep_patterns *patterns, size_t index)
{
	size_t start = index > 0 ? patterns->ends[index - 1] : 0;
	size_t length = patterns->ends[index] - start;
	struct pm_pattern pattern = { .text = "", .length = length };

	if (length > 0)
		pattern.text = patterns->bytes.bytes + start;
	return pattern;
}

int grep_patterns_compile(const struct grep_patterns *patterns, unsigned flags,
                          struct pm_scanner **scanner, struct pm_error *error)
{
	struct pm_pattern *items = alloc_array(NULL, patterns->count, sizeof *items);
	for (size_t i = 0; i < patterns->count; i++) {
		items[i] = pattern_at(patterns, i);
		items[i].flags = flags;
	}

	int result = pm_pattern_scanner_create(items, patterns->count, scanner, error);
	free(items);
	return result;
}

bool grep_patterns_have_anchors(const struct grep_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++) {
		const struct pm_pattern pattern = pattern_at(patterns, i);
		bool ends = pattern.length > 1 && pattern.text[pattern.length - 1] == '$' &&
		            pattern.text[pattern.length - 2] != '\\';
		if (ends || (pattern.length > 0 && pattern.text[0] == '^'))
			return true;
	}
	return false;
}

void grep_patterns_deinit(struct grep_patterns *patterns)
{
	text_deinit(&patterns->bytes);
	free(patterns->ends);
	*patterns = (struct grep_patterns){ 0 };
}
