/* SPDX-License-Identifier: MIT */
#include "heap/roots.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/demangle.h>

/** Returns the name of a file without its directories. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/** Adds the thread of a root: "4712 worker". */
static void put_thread(const struct pm_root *root, struct text *text)
{
	if (root->thread > 0)
		text_format(text, "%d", (int)root->thread);
	else
		text_string(text, "a thread");
	if (root->thread_name[0])
		text_format(text, " %s", root->thread_name);
}

/** Adds data without a symbol: "data of shop at 5622607f7100". */
static void put_place(const struct pm_root *root, struct text *text)
{
	text_string(text, "data");
	if (root->module[0])
		text_format(text, " of %s", base_name(root->module));
	text_format(text, " at %" PRIx64, root->start);
}

void heap_roots_name(const struct pm_root *root, struct text *text)
{
	char name[PM_DEMANGLED_SIZE];

	if (root->name[0]) {
		pm_demangle(root->name, name, sizeof name);
		text_string(text, name);
	} else if (root->kind == PM_ROOT_STACK) {
		text_string(text, "stack of ");
		put_thread(root, text);
	} else if (root->kind == PM_ROOT_REGISTER) {
		text_string(text, "registers of ");
		put_thread(root, text);
	} else if (root->kind == PM_ROOT_THREAD_LOCAL) {
		text_string(text, "thread-local data of ");
		put_thread(root, text);
	} else if (root->kind == PM_ROOT_ANONYMOUS) {
		text_format(text, "%" PRIx64 "-%" PRIx64, root->start, root->end);
	} else {
		put_place(root, text);
	}
}

/** Returns the kind of a root in words. */
static const char *kind_words(const struct pm_root *root)
{
	switch ((enum pm_root_kind)root->kind) {
	case PM_ROOT_THREAD_LOCAL:
		return "thread-local";
	case PM_ROOT_MODULE_DATA:
	case PM_ROOT_LIBC:
		return "data";
	case PM_ROOT_ANONYMOUS:
		return "other memory";
	default:
		return pm_root_kind_name((enum pm_root_kind)root->kind);
	}
}

/** Returns whether a root is data of a file without a symbol. */
static bool is_place(const struct pm_root *root)
{
	return !root->name[0] && (root->kind == PM_ROOT_MODULE_DATA || root->kind == PM_ROOT_LIBC);
}

void heap_roots_put(const struct pm_root *root, struct text *text)
{
	heap_roots_name(root, text);
	if (root->kind == PM_ROOT_STACK || root->kind == PM_ROOT_REGISTER)
		return;
	if (root->kind == PM_ROOT_THREAD_LOCAL && !root->name[0])
		return;

	if (is_place(root)) {
		text_string(text, "  (");
		text_grouped(text, root->pointers);
		text_format(text, " word%s)", text_plural(root->pointers));
		return;
	}

	text_format(text, "  (%s", kind_words(root));
	if (root->module[0])
		text_format(text, ", %s", base_name(root->module));
	if (root->kind == PM_ROOT_THREAD_LOCAL && root->name[0]) {
		text_string(text, ", ");
		put_thread(root, text);
	}
	text_char(text, ')');
}
