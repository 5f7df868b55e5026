/* SPDX-License-Identifier: MIT */
/*
 * Each table is an array of entries, whose size and layout are variables, too. An entry whose name
 * is NULL ends the table. Names are in constant data, which the target itself may never have
 * touched: the context reads such pages from the file.
 */
#include "runtimes/vm_structs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	/* JDK 17 has 788 fields, 768 types and 484 constants; JDK 25 has fewer. */
	ENTRIES_MAX = 8192,
	/* JDK 17 and 25: 16 to 48 bytes. */
	STRIDE_MAX = 256,
	/* Names of JDK 17 have less than 100 characters. */
	NAME_SIZE = 256,
	NAMES_MAX = 1 << 21,
};

static const uint64_t OFFSET_MAX = 1 << 20;
static const uint64_t SIZE_MAX_OF_TYPE = 1 << 24;

struct type {
	const char *name;
	uint64_t size;
};

struct constant {
	const char *name;
	int64_t value;
};

struct pm_vm_structs {
	struct pm_vm_field *fields;
	struct type *types;
	struct constant *constants;
	size_t field_count, field_capacity;
	size_t type_count, type_capacity;
	size_t constant_count, constant_capacity;
	char *names; /* NUL-terminated, one after the other */
	size_t name_bytes, name_capacity;
	uint64_t last_name; /* address of the name that was read last, and its place in `names` */
	size_t last_place;
	bool complete;
};

/** A table in the target. Numbers are bytes. */
struct table {
	uint64_t address;
	uint64_t stride;
	uint64_t offsets[5]; /* of the members of an entry, by the order of enum pm_vm_variable */
};

/** Reads an entry. Until all names are read, a name is the place in `names` as a number. */
typedef int add_entry(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                      const struct table *table, const unsigned char *entry,
                      struct pm_error *error);

/* By enum pm_vm_variable. */
static const char *const variable_names[PM_VM_VARIABLE_COUNT] = {
	[PM_VM_STRUCTS] = "gHotSpotVMStructs",
	[PM_VM_STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[PM_VM_STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[PM_VM_STRUCT_FIELD] = "gHotSpotVMStructEntryFieldNameOffset",
	[PM_VM_STRUCT_IS_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[PM_VM_STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[PM_VM_STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[PM_VM_TYPES] = "gHotSpotVMTypes",
	[PM_VM_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[PM_VM_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[PM_VM_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[PM_VM_INTS] = "gHotSpotVMIntConstants",
	[PM_VM_INT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
	[PM_VM_INT_NAME] = "gHotSpotVMIntConstantEntryNameOffset",
	[PM_VM_INT_VALUE] = "gHotSpotVMIntConstantEntryValueOffset",
	[PM_VM_LONGS] = "gHotSpotVMLongConstants",
	[PM_VM_LONG_STRIDE] = "gHotSpotVMLongConstantEntryArrayStride",
	[PM_VM_LONG_NAME] = "gHotSpotVMLongConstantEntryNameOffset",
	[PM_VM_LONG_VALUE] = "gHotSpotVMLongConstantEntryValueOffset",
};

bool pm_vm_structs_find(struct pm_runtimes_context *context, const struct pm_region *library,
                        struct pm_vm_variables *variables)
{
	struct pm_runtime_symbol symbols[PM_VM_VARIABLE_COUNT];

	for (size_t i = 0; i < PM_VM_VARIABLE_COUNT; i++)
		symbols[i] = (struct pm_runtime_symbol){ .name = variable_names[i] };
	if (pm_runtime_find_symbols(context, library, symbols, PM_VM_VARIABLE_COUNT) !=
	    PM_VM_VARIABLE_COUNT)
		return false;

	for (size_t i = 0; i < PM_VM_VARIABLE_COUNT; i++)
		variables->addresses[i] = symbols[i].address;
	return true;
}

static uint64_t word_at(const unsigned char *entry, uint64_t offset)
{
	uint64_t word;

	memcpy(&word, entry + offset, sizeof word);
	return word;
}

static uint32_t number_at(const unsigned char *entry, uint64_t offset)
{
	uint32_t number;

	memcpy(&number, entry + offset, sizeof number);
	return number;
}

/** Returns whether a text can be a name of C++. */
static bool is_name(const char *text)
{
	if (text[0] == '\0')
		return false;
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/**
 * Reads a name, and appends it to `names`.
 * @param place  receives its place; unchanged if the function does not return 1
 * @return       1; 0 if it cannot be read, or is not a name; -1 if memory is exhausted
 */
static int add_name(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                    uint64_t address, size_t *place, struct pm_error *error)
{
	char text[NAME_SIZE];

	if (address == structs->last_name) {
		*place = structs->last_place;
		return 1;
	}

	if (!pm_runtime_read_text(context, address, text, sizeof text) || !is_name(text))
		return 0;

	size_t size = strlen(text) + 1;
	if (size == sizeof text || structs->name_bytes + size > NAMES_MAX)
		return 0;
	if (pm_array_reserve(&structs->names, &structs->name_capacity, structs->name_bytes, size, 1,
	                     error) < 0)
		return -1;

	memcpy(structs->names + structs->name_bytes, text, size);
	*place = structs->last_place = structs->name_bytes;
	structs->last_name = address;
	structs->name_bytes += size;
	return 1;
}

/** A place in `names`, stored in a pointer until `names` no longer moves. */
static const char *as_pointer(size_t place)
{
	return (const char *)(uintptr_t)place; // NOLINT(performance-no-int-to-ptr)
}

static int add_field(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                     const struct table *table, const unsigned char *entry, struct pm_error *error)
{
	size_t type = 0, name = 0;
	struct pm_vm_field field = {
		.is_static = number_at(entry, table->offsets[2]) != 0,
		.offset = word_at(entry, table->offsets[3]),
		.address = word_at(entry, table->offsets[4]),
	};

	if (!field.is_static && field.offset >= OFFSET_MAX)
		return 0;

	int result = add_name(context, structs, word_at(entry, table->offsets[0]), &type, error);
	if (result == 1) {
		/* The fields of a type follow each other: the name of the type is kept. */
		uint64_t address = structs->last_name;
		result = add_name(context, structs, word_at(entry, table->offsets[1]), &name,
		                  error);
		structs->last_name = address;
		structs->last_place = type;
	}
	if (result != 1)
		return result;

	if (pm_array_reserve(&structs->fields, &structs->field_capacity, structs->field_count, 1,
	                     sizeof field, error) < 0)
		return -1;
	field.type = as_pointer(type);
	field.name = as_pointer(name);
	structs->fields[structs->field_count++] = field;
	return 1;
}

static int add_type(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                    const struct table *table, const unsigned char *entry, struct pm_error *error)
{
	size_t name = 0;
	struct type type = { .size = word_at(entry, table->offsets[1]) };

	/* Types of which only the name is known have size 0. */
	if (type.size > SIZE_MAX_OF_TYPE)
		return 0;

	int result = add_name(context, structs, word_at(entry, table->offsets[0]), &name, error);
	if (result != 1)
		return result;

	if (pm_array_reserve(&structs->types, &structs->type_capacity, structs->type_count, 1,
	                     sizeof type, error) < 0)
		return -1;
	type.name = as_pointer(name);
	structs->types[structs->type_count++] = type;
	return 1;
}

static int add_constant(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                        const struct table *table, int64_t value, const unsigned char *entry,
                        struct pm_error *error)
{
	size_t name = 0;
	int result = add_name(context, structs, word_at(entry, table->offsets[0]), &name, error);

	if (result != 1)
		return result;
	if (pm_array_reserve(&structs->constants, &structs->constant_capacity,
	                     structs->constant_count, 1, sizeof *structs->constants, error) < 0)
		return -1;

	structs->constants[structs->constant_count++] = (struct constant){ .name = as_pointer(name),
		                                                           .value = value };
	return 1;
}

static int add_int(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                   const struct table *table, const unsigned char *entry, struct pm_error *error)
{
	int32_t value = (int32_t)number_at(entry, table->offsets[1]);

	return add_constant(context, structs, table, value, entry, error);
}

static int add_long(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                    const struct table *table, const unsigned char *entry, struct pm_error *error)
{
	int64_t value = (int64_t)word_at(entry, table->offsets[1]);

	return add_constant(context, structs, table, value, entry, error);
}

/**
 * Reads the variables that describe a table.
 *
 * @param variables  the addresses of all variables
 * @param first      the variable with the address of the table; its stride and the offsets follow
 * @param count      number of members of an entry
 * @return           false if the variables do not describe a table
 */
static bool find_table(struct pm_runtimes_context *context, const struct pm_vm_variables *variables,
                       enum pm_vm_variable first, size_t count, struct table *table)
{
	const uint64_t *addresses = variables->addresses + first;

	if (!pm_runtime_read_word(context, addresses[0], &table->address) || table->address == 0 ||
	    !pm_runtime_read_word(context, addresses[1], &table->stride) ||
	    table->stride < sizeof(uint64_t) || table->stride > STRIDE_MAX)
		return false;

	for (size_t i = 0; i < count; i++)
		if (!pm_runtime_read_word(context, addresses[2 + i], &table->offsets[i]) ||
		    table->offsets[i] > table->stride - sizeof(uint64_t))
			return false;

	return true;
}

/**
 * Reads the entries of a table.
 * @return 1 if all were read; 0 if an entry could not be read, or was not valid; -1
 */
static int read_entries(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                        const struct table *table, add_entry *add, struct pm_error *error)
{
	unsigned char entry[STRIDE_MAX] = { 0 };
	int complete = 1;

	structs->last_name = 0;
	for (uint64_t i = 0; i < ENTRIES_MAX; i++) {
		uint64_t address = table->address + i * table->stride;

		if (!pm_runtime_read(context, address, entry, (size_t)table->stride))
			return 0;
		if (word_at(entry, table->offsets[0]) == 0)
			return complete;

		int result = add(context, structs, table, entry, error);
		if (result < 0)
			return -1;
		complete = complete && result > 0;
	}

	return 0;
}

static int by_field(const void *left, const void *right)
{
	const struct pm_vm_field *a = left, *b = right;
	int result = strcmp(a->type, b->type);

	return result != 0 ? result : strcmp(a->name, b->name);
}

static int by_type(const void *left, const void *right)
{
	const struct type *a = left, *b = right;
	return strcmp(a->name, b->name);
}

static int by_constant(const void *left, const void *right)
{
	const struct constant *a = left, *b = right;
	return strcmp(a->name, b->name);
}

/** Replaces places in `names` by pointers, and sorts. */
static void make_index(struct pm_vm_structs *structs)
{
	const char *names = structs->names;

	for (size_t i = 0; i < structs->field_count; i++) {
		struct pm_vm_field *field = &structs->fields[i];
		field->type = names + (uintptr_t)field->type;
		field->name = names + (uintptr_t)field->name;
	}
	for (size_t i = 0; i < structs->type_count; i++)
		structs->types[i].name = names + (uintptr_t)structs->types[i].name;
	for (size_t i = 0; i < structs->constant_count; i++)
		structs->constants[i].name = names + (uintptr_t)structs->constants[i].name;

	if (structs->field_count > 0)
		qsort(structs->fields, structs->field_count, sizeof *structs->fields, by_field);
	if (structs->type_count > 0)
		qsort(structs->types, structs->type_count, sizeof *structs->types, by_type);
	if (structs->constant_count > 0)
		qsort(structs->constants, structs->constant_count, sizeof *structs->constants,
		      by_constant);
}

static int read_tables(struct pm_runtimes_context *context, struct pm_vm_structs *structs,
                       const struct pm_vm_variables *variables, struct pm_error *error)
{
	static const struct {
		enum pm_vm_variable first;
		size_t members;
		add_entry *add;
	} tables[] = {
		{ PM_VM_STRUCTS, 5, add_field },
		{ PM_VM_TYPES, 2, add_type },
		{ PM_VM_INTS, 2, add_int },
		{ PM_VM_LONGS, 2, add_long },
	};

	structs->complete = true;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		struct table table = { 0 };
		int result = 0;

		if (find_table(context, variables, tables[i].first, tables[i].members, &table))
			result = read_entries(context, structs, &table, tables[i].add, error);
		if (result < 0)
			return -1;
		structs->complete = structs->complete && result > 0;
	}

	return 0;
}

int pm_vm_structs_open(struct pm_runtimes_context *context, const struct pm_vm_variables *variables,
                       struct pm_vm_structs **structs, struct pm_error *error)
{
	struct pm_vm_structs *made = calloc(1, sizeof *made);

	if (!made)
		return pm_error_out_of_memory(error);

	int result = read_tables(context, made, variables, error);
	if (result < 0 || made->field_count == 0 || made->type_count == 0) {
		pm_vm_structs_close(made);
		made = NULL;
	}
	if (result < 0)
		return -1;

	if (made)
		make_index(made);
	*structs = made;
	return 0;
}

void pm_vm_structs_close(struct pm_vm_structs *structs)
{
	if (!structs)
		return;

	free(structs->fields);
	free(structs->types);
	free(structs->constants);
	free(structs->names);
	free(structs);
}

bool pm_vm_structs_complete(const struct pm_vm_structs *structs)
{
	return structs->complete;
}

const struct pm_vm_field *pm_vm_structs_field(const struct pm_vm_structs *structs, const char *type,
                                              const char *name)
{
	const struct pm_vm_field key = { .type = type, .name = name };

	if (structs->field_count == 0)
		return NULL;
	return bsearch(&key, structs->fields, structs->field_count, sizeof key, by_field);
}

bool pm_vm_structs_size(const struct pm_vm_structs *structs, const char *type, uint64_t *size)
{
	const struct type key = { .name = type }, *found = NULL;

	if (structs->type_count > 0)
		found = bsearch(&key, structs->types, structs->type_count, sizeof key, by_type);
	if (!found || found->size == 0)
		return false;

	*size = found->size;
	return true;
}

bool pm_vm_structs_constant(const struct pm_vm_structs *structs, const char *name, int64_t *value)
{
	const struct constant key = { .name = name }, *found = NULL;

	if (structs->constant_count > 0)
		found = bsearch(&key, structs->constants, structs->constant_count, sizeof key,
		                by_constant);
	if (!found)
		return false;

	*value = found->value;
	return true;
}

bool pm_vm_structs_address(const struct pm_vm_structs *structs, uint64_t object, const char *type,
                           const char *name, uint64_t *address)
{
	const struct pm_vm_field *field = pm_vm_structs_field(structs, type, name);

	if (!field || (!field->is_static && (object == 0 || object > UINT64_MAX - field->offset)))
		return false;

	*address = field->is_static ? field->address : object + field->offset;
	return true;
}

bool pm_vm_structs_word(struct pm_runtimes_context *context, const struct pm_vm_structs *structs,
                        uint64_t object, const char *type, const char *name, uint64_t *word)
{
	uint64_t address;

	return pm_vm_structs_address(structs, object, type, name, &address) &&
	       pm_runtime_read_word(context, address, word);
}

bool pm_vm_structs_u32(struct pm_runtimes_context *context, const struct pm_vm_structs *structs,
                       uint64_t object, const char *type, const char *name, uint32_t *number)
{
	uint64_t address;

	return pm_vm_structs_address(structs, object, type, name, &address) &&
	       pm_runtime_read_u32(context, address, number);
}
