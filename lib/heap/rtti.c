/* SPDX-License-Identifier: MIT */
/*
 * Itanium C++ ABI, 2.5.2 and 2.9.5. An object contains the address of the first function in the
 * vtable of its class. Two words are before that address: the offset of the object within the
 * complete object, which is 0 at the start of a chunk, and a pointer to the type_info of the class.
 * A type_info is an object, too: it contains a pointer to the vtable of its own class, such as
 * __si_class_type_info, and a pointer to the mangled name of the class.
 */
#include "heap/rtti.h"

#include <string.h>

#include <procmem/demangle.h>

#include "base/minmax.h"

enum {
	WORD = sizeof(uint64_t),
	HEADER = 16,          /* bytes of a vtable before its first function */
	NAME_MAX_SIZE = 1024, /* longest mangled name that is accepted, with its NUL */
};

static bool is_file(const struct pm_rtti *rtti, uint64_t address)
{
	const struct pm_address_range *range = pm_address_map_find(rtti->map, address);
	return range && (range->use & PM_ADDRESS_FILE);
}

static bool is_code(const struct pm_rtti *rtti, uint64_t address)
{
	const struct pm_address_range *range = pm_address_map_find(rtti->map, address);
	return range && (range->use & (PM_ADDRESS_CODE | PM_ADDRESS_MAYBE_CODE));
}

/**
 * Reads bytes of a mapped file from memory or, if they are in a page that the target has not
 * touched and cannot have modified, from the file.
 * @return 1; 0 if they cannot be read; -1 on error
 */
static int read_bytes(const struct pm_rtti *rtti, uint64_t address, void *buffer, size_t size,
                      struct pm_error *error)
{
	int found = pm_heap_window_peek(rtti->window, address, buffer, size, error);
	if (found != 0)
		return found;

	const struct pm_address_range *range = pm_address_map_find(rtti->map, address);
	if (!rtti->files || !range || !(range->use & PM_ADDRESS_FILE) ||
	    (range->use & PM_ADDRESS_WRITABLE))
		return 0;

	size_t done = 0;
	if (pm_reader_read(rtti->files, address, buffer, size, &done, NULL) < 0)
		return 0;
	return done == size;
}

/**
 * Reads the words of a vtable that are before its address, and its first function.
 * @param info  receives the address of the type_info
 */
static int read_vtable(const struct pm_rtti *rtti, uint64_t vtable, uint64_t *info,
                       struct pm_error *error)
{
	uint64_t words[3];
	if (vtable % WORD != 0 || vtable < HEADER || !is_file(rtti, vtable - HEADER))
		return 0;

	int found = read_bytes(rtti, vtable - HEADER, words, sizeof words, error);
	if (found <= 0)
		return found;

	/* The destructor of an abstract class can be 0. */
	bool has_shape = words[0] == 0 && words[1] % WORD == 0 && is_file(rtti, words[1]) &&
	                 (words[2] == 0 || is_code(rtti, words[2]));
	if (!has_shape)
		return 0;

	*info = words[1];
	return 1;
}

/**
 * Reads the address of the name in a type_info.
 * @param name  receives the address
 */
static int read_info(const struct pm_rtti *rtti, uint64_t info, uint64_t *name,
                     struct pm_error *error)
{
	uint64_t words[2];
	int found = read_bytes(rtti, info, words, sizeof words, error);
	if (found <= 0)
		return found;

	if (words[0] % WORD != 0 || !is_file(rtti, words[0]) || !is_file(rtti, words[1]))
		return 0;

	*name = words[1];
	return 1;
}

static bool is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
	return name[0] && strspn(name, allowed) == strlen(name);
}

/**
 * Reads a mangled name.
 * @param text  receives the NUL-terminated name; room for NAME_MAX_SIZE bytes
 */
static int read_name(const struct pm_rtti *rtti, uint64_t address, char *text,
                     struct pm_error *error)
{
	/* A read must not reach into the next page, which may not be readable. */
	const size_t step = 64;
	size_t size = 0;

	while (size < NAME_MAX_SIZE) {
		size_t more = (size_t)pm_min(step - (address + size) % step, NAME_MAX_SIZE - size);
		int found = read_bytes(rtti, address + size, text + size, more, error);
		if (found <= 0)
			return found;
		if (memchr(text + size, '\0', more))
			return 1;
		size += more;
	}

	return 0;
}

int pm_rtti_find(const struct pm_rtti *rtti, uint64_t vtable, char *name, size_t size,
                 struct pm_error *error)
{
	char mangled[NAME_MAX_SIZE];
	uint64_t info, address;

	int found = read_vtable(rtti, vtable, &info, error);
	if (found > 0)
		found = read_info(rtti, info, &address, error);
	if (found > 0)
		found = read_name(rtti, address, mangled, error);
	if (found <= 0)
		return found;

	/* A star before the name means that names of this class must not be compared as texts. */
	const char *start = mangled;
	if (*start == '*')
		start++;
	if (!is_name(start))
		return 0;

	return pm_demangle_type(start, name, size);
}
