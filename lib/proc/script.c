/* SPDX-License-Identifier: MIT */
#include <procmem/script.h>

#include <stdbool.h>
#include <string.h>

/** Returns the offset of the end of the argument that starts at the offset `at`. */
static size_t argument_end(const char *text, size_t length, char separator, size_t at)
{
	const char *end = memchr(text + at, separator, length - at);
	if (!end)
		return length;
	return (size_t)(end - text);
}

/**
 * Returns whether an argument is the path of an interpreter. A version may follow the name, as in
 * `python3.11`.
 */
static bool is_interpreter(const char *path, size_t length)
{
	static const char *const names[] = {
		"Rscript", "bash",   "dash", "deno",   "guile", "java", "ksh",
		"lua",     "luajit", "node", "nodejs", "perl",  "php",  "pypy",
		"python",  "ruby",   "sh",   "tclsh",  "wish",  "zsh",
	};
	const char *slash = memrchr(path, '/', length);
	const char *base = slash ? slash + 1 : path;
	size_t base_length = length - (size_t)(base - path);

	while (base_length > 0 && strchr("0123456789.", base[base_length - 1]))
		base_length--;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == base_length && memcmp(names[i], base, base_length) == 0)
			return true;
	return false;
}

/** Returns whether the argument after this option is the value of the option. */
static bool has_value(const char *option, size_t length)
{
	static const char *const names[] = { "-cp",           "-classpath", "--class-path", "-p",
		                             "--module-path", "-W",         "-X",           "-r",
		                             "--require" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && memcmp(names[i], option, length) == 0)
			return true;
	return false;
}

size_t pm_script_find(const char *text, size_t length, char separator, size_t *script)
{
	size_t end = argument_end(text, length, separator, 0);
	if (!is_interpreter(text, end))
		return 0;

	bool is_value = false;
	for (size_t at = end + 1; at < length; at = end + 1) {
		end = argument_end(text, length, separator, at);
		bool is_option = end > at && text[at] == '-';
		if (end > at && !is_option && !is_value) {
			*script = at;
			return end - at;
		}
		is_value = is_option && has_value(text + at, end - at);
	}
	return 0;
}
