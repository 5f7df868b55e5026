/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The description that HotSpot gives of its own data structures: which types have which fields at
 * which offsets, where static fields are, and the values of constants. libjvm.so exports it for the
 * serviceability agent, as variables whose names start with gHotSpotVM (vmStructs.hpp of OpenJDK,
 * the same from JDK 6 to 25). Private.
 *
 * All numbers and names come from the target, and are untrusted: they are bounded, but they can be
 * false. A caller checks what it reads with them.
 */
#ifndef PM_RUNTIMES_VM_STRUCTS_H
#define PM_RUNTIMES_VM_STRUCTS_H

#include "runtimes/context.h"

/** Variables of libjvm.so that describe the tables. */
enum pm_vm_variable {
	PM_VM_STRUCTS,          /**< gHotSpotVMStructs: address of the table of fields */
	PM_VM_STRUCT_STRIDE,    /**< bytes of an entry */
	PM_VM_STRUCT_TYPE,      /**< offsets in an entry: name of the type */
	PM_VM_STRUCT_FIELD,     /**< name of the field */
	PM_VM_STRUCT_IS_STATIC, /**< 32-bit: whether the field is static */
	PM_VM_STRUCT_OFFSET,    /**< offset of a field that is not static */
	PM_VM_STRUCT_ADDRESS,   /**< address of a static field */
	PM_VM_TYPES,            /**< gHotSpotVMTypes: address of the table of types */
	PM_VM_TYPE_STRIDE,      /**< bytes of an entry */
	PM_VM_TYPE_NAME,        /**< offsets in an entry: name of the type */
	PM_VM_TYPE_SIZE,        /**< size of the type in bytes */
	PM_VM_INTS,             /**< gHotSpotVMIntConstants: address of the 32-bit constants */
	PM_VM_INT_STRIDE,       /**< bytes of an entry */
	PM_VM_INT_NAME,         /**< offsets in an entry: name of the constant */
	PM_VM_INT_VALUE,        /**< its value */
	PM_VM_LONGS,            /**< gHotSpotVMLongConstants: address of the 64-bit constants */
	PM_VM_LONG_STRIDE,      /**< bytes of an entry */
	PM_VM_LONG_NAME,        /**< offsets in an entry: name of the constant */
	PM_VM_LONG_VALUE,       /**< its value */
	PM_VM_VARIABLE_COUNT,   /**< number of variables */
};

/** Where the variables are in the target. */
struct pm_vm_variables {
	uint64_t addresses[PM_VM_VARIABLE_COUNT]; /**< by enum pm_vm_variable */
};

/** A field of a type. */
struct pm_vm_field {
	const char *type; /**< name of the type, such as "CollectedHeap" */
	const char *name; /**< name of the field, such as "_reserved" */
	bool is_static;   /**< static: `address` is valid, else `offset` */
	uint64_t offset;  /**< offset in an object of the type, less than 1 MiB */
	uint64_t address; /**< address of the variable; can be any number */
};

struct pm_vm_structs;

/**
 * Finds the variables in .dynsym of libjvm.so.
 *
 * @param context    the context
 * @param library    a region that maps libjvm.so
 * @param variables  receives the addresses
 * @return           false if a variable is missing
 */
bool pm_vm_structs_find(struct pm_runtimes_context *context, const struct pm_region *library,
                        struct pm_vm_variables *variables);

/**
 * Reads the tables.
 *
 * @param context    the context
 * @param variables  where the variables are
 * @param structs    receives the tables, or NULL if they are not valid or cannot be read; release
 *                   with pm_vm_structs_close()
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_vm_structs_open(struct pm_runtimes_context *context, const struct pm_vm_variables *variables,
                       struct pm_vm_structs **structs, struct pm_error *error);

/**
 * Releases the tables.
 * @param structs  the tables; may be NULL
 */
void pm_vm_structs_close(struct pm_vm_structs *structs);

/** Returns whether all four tables were read to their ends. */
bool pm_vm_structs_complete(const struct pm_vm_structs *structs);

/** Returns a field; NULL if the target does not describe it. */
const struct pm_vm_field *pm_vm_structs_field(const struct pm_vm_structs *structs, const char *type,
                                              const char *name);

/**
 * Returns the size of a type.
 * @param size  receives the size in bytes, from 1 to 16 MiB
 * @return      false if the target does not describe the type
 */
bool pm_vm_structs_size(const struct pm_vm_structs *structs, const char *type, uint64_t *size);

/**
 * Returns the value of a constant.
 * @param name   name of a 32-bit or a 64-bit constant, such as "G1HeapRegionType::FreeTag"
 * @param value  receives the value
 * @return       false if the target does not describe the constant
 */
bool pm_vm_structs_constant(const struct pm_vm_structs *structs, const char *name, int64_t *value);

/**
 * Returns the address of a field: that of a static field, or of a field of an object.
 *
 * @param object   address of the object; ignored if the field is static
 * @param address  receives the address
 * @return         false if the target does not describe the field, or if `object` is 0 and the
 *                 field is not static
 */
bool pm_vm_structs_address(const struct pm_vm_structs *structs, uint64_t object, const char *type,
                           const char *name, uint64_t *address);

/**
 * Reads a 64-bit field, such as a pointer.
 * @param object  address of the object; 0 for a static field
 * @return        false if the field is not described, or cannot be read
 */
bool pm_vm_structs_word(struct pm_runtimes_context *context, const struct pm_vm_structs *structs,
                        uint64_t object, const char *type, const char *name, uint64_t *word);

/** Reads a 32-bit field: see pm_vm_structs_word(). */
bool pm_vm_structs_u32(struct pm_runtimes_context *context, const struct pm_vm_structs *structs,
                       uint64_t object, const char *type, const char *name, uint32_t *number);

#endif
