/* SPDX-License-Identifier: MIT */
#include "target/root_text.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/demangle.h>

#include "base/utf8.h"

/**
 * Returns the name of a register.
 * @param position  position in struct user_regs_struct of x86-64; higher positions are vector
 *                  registers
 */
static const char *register_name(uint64_t position)
{
	static const char *const names[PM_COPY_REGISTERS] = {
		"r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10",    "r9",
		"r8",  "rax", "rcx", "rdx", "rsi", "rdi", "",    "rip",    "cs",
		"",    "rsp", "ss",  "fs",  "gs",  "ds",  "es",  "fs_sel", "gs_sel",
	};
	return position < PM_COPY_REGISTERS ? names[position] : "vector";
}

static void put_escaped(struct text *text, const char *string)
{
	utf8_escape(text, string, strlen(string));
}

static void put_symbol(const struct pm_root *root, struct text *text)
{
	char name[PM_DEMANGLED_SIZE];
	pm_demangle(root->name, name, sizeof name);
	put_escaped(text, name);
}

static void put_thread(const struct pm_root *root, struct text *text)
{
	text_format(text, " of thread %d", (int)root->thread);
	if (root->thread_name[0])
		text_char(text, ' ');
	put_escaped(text, root->thread_name);
}

static void put_offset(uint64_t offset, struct text *text)
{
	if (offset > 0)
		text_format(text, " +0x%" PRIx64, offset);
}

/** Adds a variable, or data without a name. */
static void put_variable(const struct pm_root *root, const char *word, uint64_t offset,
                         struct text *text)
{
	text_string(text, word);
	if (root->name[0]) {
		text_char(text, ' ');
		put_symbol(root, text);
		put_offset(offset, text);
	}
	if (root->kind == PM_ROOT_THREAD_LOCAL)
		put_thread(root, text);
	if (root->module[0]) {
		const char *slash = strrchr(root->module, '/');
		text_string(text, " in ");
		put_escaped(text, slash && slash[1] ? slash + 1 : root->module);
	}
}

void root_text(const struct pm_root *root, uint64_t offset, struct text *text)
{
	switch ((enum pm_root_kind)root->kind) {
	case PM_ROOT_GLOBAL:
		put_variable(root, "global", offset, text);
		break;
	case PM_ROOT_STATIC:
		put_variable(root, "static", offset, text);
		break;
	case PM_ROOT_THREAD_LOCAL:
		put_variable(root, "thread-local", offset, text);
		break;
	case PM_ROOT_MODULE_DATA:
	case PM_ROOT_LIBC:
		put_variable(root, root->name[0] ? "variable" : "data", offset, text);
		break;

	case PM_ROOT_STACK:
		text_string(text, "stack");
		put_thread(root, text);
		break;
	case PM_ROOT_REGISTER:
		text_format(text, "register %s", register_name(offset / 8));
		put_thread(root, text);
		break;
	default:
		text_format(text, "memory %" PRIx64 "-%" PRIx64 " ", root->start, root->end);
		put_escaped(text, root->module);
		put_offset(offset, text);
	}
}

void root_text_json(const struct pm_root *root, struct json *json)
{
	char name[PM_DEMANGLED_SIZE];

	json_put(json, "kind", json_text(pm_root_kind_name((enum pm_root_kind)root->kind)));
	if (root->name[0]) {
		pm_demangle(root->name, name, sizeof name);
		json_put(json, "symbol", json_text(name));
	}
	if (root->module[0])
		json_put(json, "module", json_text(root->module));
	if (root->thread > 0)
		json_put(json, "thread", json_number((uint64_t)root->thread));
}
