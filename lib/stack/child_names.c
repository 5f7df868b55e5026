/* SPDX-License-Identifier: MIT */
/*
 * The function of an address is that of the symbol tables. DWARF adds the functions that were
 * inlined there, and the lines.
 */
#include "stack/child_names.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>
#include <procmem/demangle.h>

#include "stack/function_name.h"

/* Maximum depth of the scopes of an address, and number of DIEs that are visited to find them. */
enum { SCOPES_MAX = 256, DIES_MAX = 4 << 20 };

/** Output that is written. */
struct output {
	char *at;
	size_t left;
	bool full;
};

/** Writes bytes, if the size is not 0. */
static void put(struct output *output, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	if (output->full || size > output->left) {
		output->full = true;
		return;
	}

	memcpy(output->at, bytes, size);
	output->at += size;
	output->left -= size;
}

/** Returns the size of a text with its NUL; 0 for NULL, and for a text that is too long. */
static uint32_t size_of(const char *text, size_t max)
{
	size_t length = text ? strnlen(text, max) : max;

	return length < max ? (uint32_t)length + 1 : 0;
}

/** A place in the source code. */
struct line {
	const char *file; /* NULL if unknown */
	int number;       /* 0 if unknown */
};

/** Writes a frame. */
static void put_frame(struct output *output, const char *function, struct line line,
                      enum pm_frame_source source)
{
	char name[PM_DEMANGLED_SIZE];
	struct pm_stack_named_frame frame = { .source = source };

	if (function)
		pm_function_name(function, name, sizeof name);
	frame.function_size = size_of(function ? name : NULL, sizeof name);
	frame.file_size = size_of(line.file, PM_STACK_PATH_SIZE);
	if (frame.file_size > 0 && line.number > 0)
		frame.line = (uint32_t)line.number;

	put(output, &frame, sizeof frame);
	put(output, name, frame.function_size);
	put(output, line.file, frame.file_size);
}

/** Follows a reference to another entry, if there is one. */
static void follow(Dwarf_Die *die, unsigned reference)
{
	Dwarf_Attribute attribute;
	Dwarf_Die target;

	if (dwarf_attr(die, reference, &attribute) && dwarf_formref_die(&attribute, &target))
		*die = target;
}

/** Tests whether an entry is a scope: its name and "::" come before the names in it. */
static bool is_scope(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/** Writes the name of a function with its namespaces and classes. */
static void put_qualified(Dwarf_Die *function, const char *name, char *buffer, size_t size)
{
	Dwarf_Die declaration = *function;
	Dwarf_Die *scopes = NULL;
	size_t used = 0;

	follow(&declaration, DW_AT_abstract_origin);
	follow(&declaration, DW_AT_specification);
	int count = dwarf_getscopes_die(&declaration, &scopes);

	for (int i = count - 1; i > 0 && used < size; i--) {
		if (!is_scope(&scopes[i]))
			continue;
		const char *scope = dwarf_diename(&scopes[i]);
		used += (size_t)snprintf(buffer + used, size - used,
		                         "%s::", scope ? scope : "(anonymous namespace)");
	}
	if (used < size)
		snprintf(buffer + used, size - used, "%s", name);
	free(scopes);
}

/**
 * Finds the name of a function in DWARF, mangled if possible.
 * @param buffer  receives the name, PM_DEMANGLED_SIZE bytes
 * @return        `buffer`, or NULL if the function has no name
 */
static const char *name_of(Dwarf_Die *die, char *buffer)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (name) {
		snprintf(buffer, PM_DEMANGLED_SIZE, "%s", name);
		return buffer;
	}

	name = dwarf_diename(die);
	if (!name)
		return NULL;
	put_qualified(die, name, buffer, PM_DEMANGLED_SIZE);
	return buffer;
}

/** Returns where an inlined function was called. */
static struct line call_of(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;
	struct line line = { 0 };

	if (dwarf_getsrcfiles(unit, &files, &count) == 0 &&
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &number) == 0 &&
	    number < count)
		line.file = dwarf_filesrc(files, number, NULL, NULL);
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &number) == 0 &&
	    number <= INT32_MAX)
		line.number = (int)number;
	return line;
}

/** Returns the line of an address. */
static struct line line_of(Dwfl_Module *module, uint64_t address)
{
	struct line line = { 0 };
	Dwfl_Line *found = dwfl_module_getsrc(module, address);

	if (found)
		line.file = dwfl_lineinfo(found, NULL, &line.number, NULL, NULL, NULL);
	return line;
}

/** Tests whether a DIE can contain functions, and has no addresses itself. */
static bool is_container(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/** A search for an address. */
struct search {
	uint64_t address;
	size_t left; /* number of DIEs that may still be visited: a damaged file can have a cycle */
};

/**
 * Finds the innermost function or block below a DIE that contains an address.
 * @param depth  DIEs around it
 * @param found  receives the innermost one
 * @return       whether there is one
 */
static bool find_scope(struct search *search, Dwarf_Die *parent, unsigned depth, Dwarf_Die *found)
{
	Dwarf_Die child;

	if (depth == SCOPES_MAX || dwarf_child(parent, &child) != 0)
		return false;

	do {
		if (is_container(&child)) {
			if (find_scope(search, &child, depth + 1, found))
				return true;
		} else if (dwarf_haspc(&child, search->address) > 0) {
			*found = child;
			find_scope(search, &child, depth + 1, found);
			return true;
		}
	} while (search->left > 0 && search->left-- > 0 && dwarf_siblingof(&child, &child) == 0);

	return false;
}

/**
 * Finds the scopes of an address, the innermost first.
 * @return their number; 0 if there is no DWARF
 */
static int scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	Dwarf_Die *found = NULL;
	Dwarf_Die innermost;
	int count = dwarf_getscopes(unit, address, &found);
	bool known = count > 1;

	if (known)
		innermost = found[0];
	free(found);
	/* libdw does not find functions that are defined inside of a namespace, as in Rust. */
	struct search search = { address, DIES_MAX };
	if (!known && !find_scope(&search, unit, 0, &innermost))
		return 0;

	/* Of an inlined function, these are the scopes of its definition. Find those of its call.
	 */
	count = dwarf_getscopes_die(&innermost, scopes);
	return count > 0 ? count : 0;
}

/**
 * Writes the functions that were inlined at an address.
 * @param line    the line of the address; receives the line of the outermost call
 * @param outer   receives the name of the function that contains them, PM_DEMANGLED_SIZE bytes;
 *                unchanged if unknown
 * @return        number of frames written
 */
static uint32_t put_inlined(struct output *output, Dwfl_Module *module, uint64_t address,
                            struct line *line, char *outer)
{
	Dwarf_Addr bias;
	Dwarf_Die *scopes = NULL;
	uint32_t written = 0;
	char name[PM_DEMANGLED_SIZE];
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
	int count = unit ? scopes_at(unit, address - bias, &scopes) : 0;

	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram) {
			name_of(&scopes[i], outer);
			break;
		}
		if (tag != DW_TAG_inlined_subroutine || written == PM_STACK_INLINED_MAX)
			continue;

		put_frame(output, name_of(&scopes[i], name), *line, PM_FRAME_INLINED);
		*line = call_of(unit, &scopes[i]);
		written++;
	}

	free(scopes);
	return written;
}

/** Returns the name of the symbol of an address; NULL if there is none. */
static const char *symbol_of(Dwfl_Module *module, uint64_t address, uint64_t module_address)
{
	GElf_Off offset;
	GElf_Sym found;
	const struct pm_child_file *file = pm_child_files_of(module);

	if (!file)
		return NULL;
	/* The vDSO has few symbols, so that it does not matter that libdw reads all of them. */
	if (file->vdso)
		return dwfl_module_addrinfo(module, address, &offset, &found, NULL, NULL, NULL);

	const struct pm_elf_symbol *symbol = pm_elf_symbols_at(&file->symbols, module_address);
	return symbol ? file->symbols.names + symbol->name : NULL;
}

/** Writes the frames of an address in a mapped file. */
static void put_frames(struct output *output, Dwfl_Module *module, struct pm_stack_named *named)
{
	Dwarf_Addr bias;
	char outer[PM_DEMANGLED_SIZE] = "";

	if (!dwfl_module_getelf(module, &bias))
		return;
	named->module_address = named->address - bias;
	named->known = true;

	struct line line = line_of(module, named->address);
	named->count = put_inlined(output, module, named->address, &line, outer);

	const char *symbol = symbol_of(module, named->address, named->module_address);
	const struct pm_child_file *file = pm_child_files_of(module);
	if (file)
		named->id = file->id;
	if (!symbol && outer[0] != '\0')
		symbol = outer;
	if (symbol) {
		put_frame(output, symbol, line, PM_FRAME_SYMBOL);
		named->count++;
	}
}

size_t pm_child_names_find(struct pm_child_files *files, uint64_t address, char *output,
                           size_t size)
{
	struct pm_stack_named named = { .address = address };
	struct output out = { output, size, false };
	Dwfl_Module *module = dwfl_addrmodule(files->dwfl, address);

	put(&out, &named, sizeof named);
	if (module)
		put_frames(&out, module, &named);
	if (out.full)
		return 0;

	memcpy(output, &named, sizeof named);
	return size - out.left;
}
