/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a chunk contains, determined from its first bytes.
 *
 * A C++ object with virtual functions starts with a pointer to the vtable of its class. The symbol
 * of the vtable gives the name of the class. If there is no symbol, the type information before the
 * vtable (RTTI) gives the name. Other chunks are classified by their bytes: text, pointers, zeros
 * or numbers. Only the first PM_CHUNK_HEAD_SIZE bytes are tested, so these classes do not describe
 * the rest of a large chunk.
 */
#ifndef PROCMEM_CHUNK_TYPE_H
#define PROCMEM_CHUNK_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/chunk_text.h>
#include <procmem/error.h>
#include <procmem/heap.h>
#include <procmem/reader.h>
#include <procmem/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the first bytes of a chunk are. The first rule that applies determines the value. */
enum pm_content {
	PM_CONTENT_UNREAD = 0, /**< they cannot be read, or are not in memory */
	PM_CONTENT_ZEROS,      /**< zeros */
	/** C++ object: the first word points to the vtable of its class; or the first word is a
	 * count, and the second word is such a pointer */
	PM_CONTENT_OBJECT,
	/** The first word points to a variable or constant of a mapped file; or the first word is a
	 * count, and the second word is such a pointer */
	PM_CONTENT_STATIC,
	PM_CONTENT_FUNCTION, /**< the first word points to a function */
	/** Text of at least 4 printable characters (ASCII or UTF-8), up to a NUL or to the end of
	 * the bytes */
	PM_CONTENT_TEXT,
	/**
	 * At least half of the words that are not 0 are addresses of mapped memory. Or the chunk
	 * starts as a node of std::map: a colour of 4 bytes, which is 0 or 1, any 4 bytes, such an
	 * address, and two words that are 0 or such addresses
	 */
	PM_CONTENT_POINTERS,
	/** More than half of the words that are not 0 contain numbers: two integers below 2^24, one
	 * double from 10^-12 to 10^15, or two floats from 10^-6 to 10^7. These limits are
	 * approximate */
	PM_CONTENT_NUMBERS,
	PM_CONTENT_DATA, /**< none of these, such as compressed data */
	PM_CONTENT_COUNT /**< number of values */
};

/** How the name of a type was found. */
enum pm_type_proof {
	PM_TYPE_PROOF_NONE = 0, /**< the type has no name, or the name is a file and an offset */
	PM_TYPE_PROOF_SYMBOL,   /**< by a symbol */
	PM_TYPE_PROOF_RTTI,     /**< by C++ type information in the memory of the target */
};

/**
 * The type of a chunk. Chunks of equal type have the same pointer, which is valid until
 * pm_chunk_types_close().
 */
struct pm_chunk_type {
	uint8_t content; /**< enum pm_content */
	uint8_t proof;   /**< enum pm_type_proof */
	uint8_t word;    /**< offset in bytes of the word that points to the named object: 0 or 8 */
	/**
	 * Name, demangled: of the class (PM_CONTENT_OBJECT), the variable (PM_CONTENT_STATIC) or
	 * the function. Without a symbol, file and offset of a variable or function, such as
	 * "libx.so+0x4d20". "" for other contents. It may contain any bytes except NUL.
	 */
	const char *name;
	/** Path of the file that contains the named class, variable or function
	 * (pm_region.mapping); "" if `name` is "". Valid as long as the regions */
	const char *object;
};

/** Finds types, and stores those that were found; opaque. Only one thread at a time may use it. */
struct pm_chunk_types;

/** Where types are found. */
struct pm_chunk_type_source {
	/** The memory of the target, as for pm_heap_open(); a copy of the structure is stored */
	const struct pm_heap_source *memory;
	/**
	 * The heap. malloc leaves stale pointers to its main arena in chunks; they are not taken
	 * for pointers to a variable. Used only during pm_chunk_types_open(). May be NULL
	 */
	const struct pm_heap *heap;
	struct pm_symbols *symbols; /**< must outlive the types; NULL: only RTTI gives names */
	/**
	 * Reads mapped files (pm_file_reader_open()), to find names in pages that the target has
	 * not touched; must outlive the types. NULL: such names are not found
	 */
	struct pm_reader *files;
};

/**
 * Prepares the search for types. It takes up to 16 MiB of memory, whatever the target contains.
 *
 * @param source  where to find them
 * @param types   receives the handle; release with pm_chunk_types_close()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_chunk_types_open(const struct pm_chunk_type_source *source,
                                  struct pm_chunk_types **types, struct pm_error *error);

/**
 * Releases types.
 * @param types  the types; may be NULL
 */
PM_PUBLIC void pm_chunk_types_close(struct pm_chunk_types *types);

/**
 * Determines the type of a chunk. The time is bounded. Most calls take some nanoseconds, because
 * each value of a first word is looked up only once.
 *
 * @param types  the types
 * @param head   the first bytes of the chunk, as pm_chunk_visitor gets them
 * @param size   number of these bytes; bytes beyond PM_CHUNK_HEAD_SIZE are ignored
 * @param type   receives the type
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_chunk_types_find(struct pm_chunk_types *types, const void *head, size_t size,
                                  const struct pm_chunk_type **type, struct pm_error *error);

/**
 * Returns the text for a type: its name or, if there is none, the name of its content.
 * @param type  the type
 * @return      the text, valid as long as the type
 */
PM_PUBLIC const char *pm_chunk_type_label(const struct pm_chunk_type *type);

/**
 * Returns the name of a content, such as "text" or "zeros".
 * @param content  the content
 * @return         a constant text
 */
PM_PUBLIC const char *pm_content_name(enum pm_content content);

#ifdef __cplusplus
}
#endif

#endif
