/* SPDX-License-Identifier: MIT */
#include "stack/function_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <procmem/demangle.h>

/** Removes a suffix from a name. @return whether the name had it */
static bool remove_suffix(char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	if (length <= tail || strcmp(name + length - tail, suffix) != 0)
		return false;
	name[length - tail] = '\0';
	return true;
}

/** Removes " [clone .cold]" and similar, and what follows the arguments of a method. */
static void remove_suffixes(char *name)
{
	char *clone = strstr(name, " [clone ");

	if (clone)
		*clone = '\0';
	while (remove_suffix(name, " const") || remove_suffix(name, " volatile") ||
	       remove_suffix(name, " &&") || remove_suffix(name, " &"))
		;
}

/** Removes the arguments: the last pair of parentheses, except that of "operator()". */
static void remove_arguments(char *name)
{
	size_t at = strlen(name);
	size_t depth = 0;

	if (at == 0 || name[at - 1] != ')')
		return;

	while (at > 0) {
		at--;
		depth += name[at] == ')';
		if (name[at] == '(' && --depth == 0)
			break;
	}

	bool is_operator = at >= 8 && strncmp(name + at - 8, "operator", 8) == 0 &&
	                   strcmp(name + at, "()") == 0;
	if (depth == 0 && at > 0 && !is_operator)
		name[at] = '\0';
}

/** Finds the name after the return type, which only functions of templates have. */
static const char *skip_return_type(const char *name)
{
	const char *start = name;
	int depth = 0;

	/* "operator new", "operator<", "operator unsigned long": nothing after it is a type. */
	for (const char *at = name; *at && strncmp(at, "operator", 8) != 0; at++) {
		depth += *at == '<' || *at == '(' || *at == '{' || *at == '[';
		depth -= *at == '>' || *at == ')' || *at == '}' || *at == ']';
		if (*at == ' ' && depth == 0 && at[1] != '\0')
			start = at + 1;
	}
	return start;
}

void pm_function_name(const char *name, char *buffer, size_t size)
{
	if (!pm_demangle(name, buffer, size) || remove_suffix(buffer, "..."))
		return;

	remove_suffixes(buffer);
	remove_arguments(buffer);

	const char *start = skip_return_type(buffer);
	memmove(buffer, start, strlen(start) + 1);
}
