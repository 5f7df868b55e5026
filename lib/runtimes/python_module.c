/* SPDX-License-Identifier: MIT */
/*
 * CPython is libpython, or a program that defines its functions. Its writable data is searched for
 * the version text that Py_GetVersion() returns, and for a pointer to the array of arenas that has
 * the number of entries beside it. So symbols of static variables are not needed; Debian removes
 * them.
 */
#include "runtimes/python_module.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/minmax.h"
#include "reader/mapped_file.h"

enum {
	WORD = 8,
	PAGE = 4096,
	ALIGNMENT = 16, /* of an array that malloc returned */
	LOWEST = 65536, /* lowest address that can be mapped: vm.mmap_min_addr */
	ATTEMPTS_MAX = 3,
	NEAR = 4, /* words between the pointer to the array and its length */
	NEAR_BYTES = NEAR * WORD,
	NEAR_WORDS = 2 * NEAR + 1,
	DATA_MAX = 64 << 20, /* bytes of data that are searched: libpython has 2 MiB */
	BSS_MAX = 16 << 20,  /* bytes of .bss, which can be merged with other memory */
	TEXT = 200,          /* a version text is shorter: its parts are cut */
	MINOR_MAX = 99,
	/* Interpreters of 3.12 and 3.13 that have own arenas */
	INTERPRETERS_MAX = 256,
	INTERPRETER_MAX = 1 << 20, /* struct PyInterpreterState: 0.4 MiB in 3.12 */
	HEAD_12 = 40,              /* _PyRuntime.interpreters.head of 3.12 */
	POOLS_SIZE = 512,          /* struct _obmalloc_pools, before struct _obmalloc_mgmt */
};

/** Parses a number below 100 at `*text`, and moves `*text` after it. Returns -1 if there is none.
 */
static int parse_number(const char **text)
{
	int number = -1;

	while (**text >= '0' && **text <= '9' && number <= MINOR_MAX) {
		number = pm_max_int(number, 0) * 10 + (**text - '0');
		++*text;
	}

	return number <= MINOR_MAX ? number : -1;
}

/**
 * Parses a text of Py_GetVersion(), such as "3.11.2 (main, Apr 28 2025, 14:11:48) [GCC 12.2.0]".
 * @return whether it is such a text
 */
static bool parse_version_text(const char *text, struct pm_python_module *module)
{
	const char *at = text + 2, *end = strchr(text, ' ');

	if (strncmp(text, "3.", 2) != 0 || !end || end - text > 20)
		return false;

	int minor = parse_number(&at);
	if (minor < 0 || *at != '.' || at[1] < '0' || at[1] > '9')
		return false;
	if (!strstr(end, " (") || !strchr(end, '['))
		return false;

	snprintf(module->version, sizeof module->version, "%.*s", (int)(end - text), text);
	module->minor = (unsigned)minor;
	module->free_threaded = strstr(end, "free-threading build") != NULL;
	module->has_text = true;
	return true;
}

/** Sets the version by the name of the file, such as libpython3.8.so.1.0, if it is not known. */
static void set_version_by_name(struct pm_python_module *module)
{
	const char *at = strstr(pm_runtime_last_part(module->file->mapping), "python3.");

	if (module->minor > 0 || !at)
		return;

	at += strlen("python3.");
	int minor = parse_number(&at);
	if (minor <= 0)
		return;

	snprintf(module->version, sizeof module->version, "3.%d", minor);
	module->minor = (unsigned)minor;
	module->free_threaded = module->free_threaded || (minor >= 13 && *at == 't');
}

/**
 * Finds a mapped file by the start of its name. In a core file, no region has an inode.
 * @param no  start of names that are not meant; NULL if there are none
 */
static const struct pm_region *find_named(const struct pm_runtimes_context *context,
                                          const char *start, const char *no)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		const char *name = pm_runtime_last_part(region->mapping);

		if (region->mapping[0] == '/' && strncmp(name, start, strlen(start)) == 0 &&
		    (!no || strncmp(name, no, strlen(no)) != 0))
			return region;
	}

	return NULL;
}

/** Returns whether the process maps a file of Python, such as math.cpython-311-x86_64-linux-gnu.so.
 */
static bool maps_python(const struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].mapping[0] == '/' &&
		    strstr(regions->items[i].mapping, "python"))
			return true;

	return false;
}

/**
 * Finds the file: libpython, a program of this name, or one that defines the functions. What a name
 * suggests is checked by the data. libpython3.so has only references to another library.
 */
static const struct pm_region *find_file(struct pm_runtimes_context *context)
{
	struct pm_runtime_symbol symbols[] = { { .name = "_PyRuntime" },
		                               { .name = "Py_GetVersion" } };
	const struct pm_region *file = find_named(context, "libpython3.", "libpython3.so");

	if (!file)
		file = find_named(context, "python3", NULL);
	if (file)
		return file;

	/* To search the symbols of a program takes long: 70 ms in node. Programs that contain
	 * CPython load extension modules. */
	if (!maps_python(context))
		return NULL;
	file = pm_runtime_find_program(context);
	if (file && pm_runtime_find_symbols(context, file, symbols, 2) == 2)
		return file;

	return NULL;
}

/** Returns the largest number near a pointer that can be a number of entries and is below a limit;
 * 0 if there is none. */
static uint32_t next_count(const uint64_t *near, uint32_t limit)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < NEAR_WORDS; i++) {
		const uint32_t numbers[] = { (uint32_t)near[i], (uint32_t)(near[i] >> 32) };

		/* The word in the middle is the pointer. */
		for (size_t j = 0; i != NEAR && j < 2; j++)
			if (numbers[j] < limit && numbers[j] > largest &&
			    pm_python_arenas_is_count(numbers[j]))
				largest = numbers[j];
	}

	return largest;
}

/**
 * Checks a word for the pointer to the array of arenas. The number of entries is the next word in a
 * structure since 3.12. Before, both are static variables, which compilers place near each other.
 *
 * @param word  the word
 * @param near  the words from NEAR words before it to NEAR words after it
 */
static void check_word(struct pm_runtimes_context *context, uint64_t word, const uint64_t *near,
                       struct pm_python_arenas *arenas)
{
	if (word < LOWEST || word % ALIGNMENT != 0)
		return;

	/* Other numbers near the pointer can be such a number, too: the largest one with which all
	 * entries are valid is that of the array. The process can change an entry concurrently. */
	for (int strict = 1; strict >= 0; strict--)
		for (uint32_t count = next_count(near, UINT32_MAX); count > 0;
		     count = next_count(near, count))
			if (pm_python_arenas_add(context, word, count, strict, arenas))
				return;
}

/** Checks whether a version text is at an address, unless it is known. */
static void check_text(struct pm_runtimes_context *context, uint64_t address, uint64_t word,
                       struct pm_python_module *module)
{
	char start[WORD], text[TEXT];

	memcpy(start, &word, WORD);
	if (module->has_text || start[0] != '3' || start[1] != '.' || start[2] < '0' ||
	    start[2] > '9')
		return;
	if (pm_runtime_read_text(context, address, text, sizeof text))
		parse_version_text(text, module);
}

static uint64_t word_at(const unsigned char *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, WORD);
	return word;
}

/** Copies the words around a word. Those that cannot be read are 0. */
static void copy_near(struct pm_runtimes_context *context, const unsigned char *bytes, size_t size,
                      size_t offset, uint64_t address, uint64_t *near)
{
	for (size_t i = 0; i < NEAR_WORDS; i++) {
		/* The offset wraps around before the first word. */
		size_t at = offset + i * WORD - NEAR_BYTES;

		near[i] = 0;
		if (at < size)
			near[i] = word_at(bytes, at);
		else
			pm_runtime_read_word(context, address + i * WORD - NEAR_BYTES, &near[i]);
	}
}

/** Searches words for the version text and the array of arenas. */
static void search_words(struct pm_runtimes_context *context, const unsigned char *bytes,
                         size_t size, uint64_t address, struct pm_python_module *module)
{
	uint64_t near[NEAR_WORDS];

	for (size_t i = 0; i < size; i += WORD) {
		uint64_t word = word_at(bytes, i);

		if (word == 0)
			continue;
		check_text(context, address + i, word, module);
		if (word % ALIGNMENT != 0 || !pm_regions_find(context->source->regions, word))
			continue;
		copy_near(context, bytes, size, i, address + i, near);
		check_word(context, word, near, &module->arenas);
	}
}

/** Searches a range of memory for the version text and the array of arenas. */
static void search(struct pm_runtimes_context *context, uint64_t start, uint64_t end,
                   struct pm_python_module *module)
{
	uint64_t at = start;

	while (!pm_runtime_ends(context)) {
		const void *bytes;

		at = pm_runtime_next_present(context, at, end);
		if (at >= end)
			break;

		size_t size = pm_runtime_read_ahead(context, at, end, &bytes) / WORD * WORD;
		search_words(context, bytes, size, at, module);
		at = size > 0 ? at + size : (at / PAGE + 1) * PAGE;
	}
}

/** Searches the writable data of the file, and the .bss after it. */
static void search_data(struct pm_runtimes_context *context, struct pm_python_module *module)
{
	const struct pm_regions *regions = context->source->regions;
	const struct pm_region *file = module->file;
	uint64_t end = 0, left = DATA_MAX;

	for (size_t i = 0; i < regions->count && left > 0; i++) {
		const struct pm_region *region = &regions->items[i];
		bool same = region->inode == file->inode &&
		            region->device_major == file->device_major &&
		            region->device_minor == file->device_minor &&
		            strcmp(region->mapping, file->mapping) == 0;
		bool bss = region->mapping[0] != '/' && region->start == end;
		uint64_t size = pm_min(pm_region_size(region), bss ? BSS_MAX : left);

		if (same || bss)
			end = same ? region->end : 0;
		if ((!same && !bss) || !(region->perms & PM_PERM_WRITE))
			continue;
		search(context, region->start, region->start + size, module);
		left -= pm_min(size, left);
	}
}

/** Finds the arenas by the symbols of static variables, which 3.11 and earlier have. */
static void find_by_symbols(struct pm_runtimes_context *context, struct pm_python_module *module)
{
	struct pm_runtime_symbol symbols[] = { { .name = "arenas" }, { .name = "maxarenas" } };
	uint64_t array;
	uint32_t count;

	if (module->arenas.count == 0 && module->minor <= 11 &&
	    pm_runtime_find_symbols(context, module->file, symbols, 2) == 2 &&
	    pm_runtime_read_word(context, symbols[0].address, &array) &&
	    pm_runtime_read_u32(context, symbols[1].address, &count))
		pm_python_arenas_add(context, array, count, false, &module->arenas);
}

/** Searches an interpreter, and the states of allocators that it refers to, for arenas. */
static void search_interpreter(struct pm_runtimes_context *context, uint64_t address, uint64_t size,
                               struct pm_python_module *module)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, address);

	if (!region)
		return;

	uint64_t end = address + pm_min(size, region->end - address);
	search(context, address, end, module);

	/* 3.13: the state of the allocator is a block of its own. */
	for (uint64_t at = address; module->minor >= 13 && at + WORD <= end; at += WORD) {
		uint64_t state, words[2];

		if (pm_runtime_ends(context))
			break;
		if (pm_runtime_read_word(context, at, &state) && state % ALIGNMENT == 0 &&
		    pm_regions_find(context->source->regions, state) &&
		    pm_runtime_read(context, state + POOLS_SIZE, words, sizeof words))
			pm_python_arenas_add(context, words[0], (uint32_t)words[1], false,
			                     &module->arenas);
	}
}

/** Where the fields of interpreters are. */
struct interpreters {
	uint64_t head; /* address of the pointer to the first one */
	uint64_t next; /* offset of the pointer to the next one */
	uint64_t size; /* bytes of an interpreter */
};

/** Reads the offsets that 3.13 has at the start of _PyRuntime: struct _Py_DebugOffsets. */
static bool read_offsets(struct pm_runtimes_context *context, uint64_t runtime,
                         struct interpreters *interpreters)
{
	enum { COOKIE, VERSION, FREE_THREADED, SIZE, FINALIZING, HEAD, ITEM_SIZE, ID, NEXT, WORDS };
	uint64_t words[WORDS];

	if (!pm_runtime_read(context, runtime, words, sizeof words) ||
	    memcmp(&words[COOKIE], "xdebugpy", WORD) != 0)
		return false;
	if (words[HEAD] > INTERPRETER_MAX || words[NEXT] > INTERPRETER_MAX ||
	    words[ITEM_SIZE] > 4 * (uint64_t)INTERPRETER_MAX)
		return false;

	*interpreters = (struct interpreters){ runtime + words[HEAD], words[NEXT],
		                               words[ITEM_SIZE] };
	return true;
}

/** Finds the arenas of interpreters that have their own ones, which is possible since 3.12. */
static void search_interpreters(struct pm_runtimes_context *context,
                                struct pm_python_module *module)
{
	struct pm_runtime_symbol symbol = { .name = "_PyRuntime" };
	struct interpreters interpreters = { 0 };
	uint64_t address;

	if (module->minor < 12 || pm_runtime_find_symbols(context, module->file, &symbol, 1) == 0)
		return;
	if (module->minor == 12)
		interpreters = (struct interpreters){ symbol.address + HEAD_12, 0,
			                              INTERPRETER_MAX };
	else if (!read_offsets(context, symbol.address, &interpreters))
		return;

	if (!pm_runtime_read_word(context, interpreters.head, &address))
		return;
	for (unsigned i = 0; i < INTERPRETERS_MAX && address != 0; i++) {
		/* The main interpreter is in the data of the file, which was searched. */
		bool is_main = address >= symbol.address && address - symbol.address < symbol.size;
		if (!is_main)
			search_interpreter(context, address, interpreters.size, module);
		if (!pm_runtime_read_word(context, address + interpreters.next, &address))
			break;
	}
}

void pm_python_module_read(struct pm_runtimes_context *context, struct pm_python_module *module)
{
	*module = (struct pm_python_module){ .file = find_file(context) };
	if (!module->file)
		return;

	search_data(context, module);
	set_version_by_name(module);
	/* The array can have been moved, or each of its arenas replaced, since its pointer was
	 * read. */
	for (int i = 1; i < ATTEMPTS_MAX && module->arenas.count == 0; i++) {
		if (module->free_threaded || !module->has_text)
			break;
		pm_heap_window_forget(context->window);
		search_data(context, module);
	}
	snprintf(module->proof, sizeof module->proof,
	         "its data refers to an array of arenas, whose pools refer to the array");
	if (!module->free_threaded) {
		find_by_symbols(context, module);
		search_interpreters(context, module);
	}

	pm_python_arenas_sort(&module->arenas);
	module->complete = !pm_runtime_ends(context);

	/* A file of this name that is not CPython, such as a script in another language */
	if (!module->has_text && module->arenas.count == 0)
		module->file = NULL;
}

void pm_python_module_deinit(struct pm_python_module *module)
{
	pm_python_arenas_deinit(&module->arenas);
}
