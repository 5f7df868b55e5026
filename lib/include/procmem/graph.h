/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The graph of memory: which chunk of malloc points to which, and the roots, which are the memory
 * outside of malloc and the registers that point to chunks.
 *
 * A word that contains an address inside a chunk in use is a pointer to this chunk, whatever the
 * type of the word is. Addresses in the middle of a chunk count, too. So a number that looks like
 * an address, or a stale word that the program no longer uses, can keep a chunk reachable. Pointers
 * that are stored in another form (compressed, encrypted, or in the kernel only) are not found.
 * Words are searched at multiples of 8 bytes. The header of a chunk is not part of the chunk. The
 * address of a header counts only in registers and near stack pointers, because functions of malloc
 * use such addresses.
 *
 * The pointers are not stored: each search (leaks.h, retained.h, refs.h) scans the memory again. A
 * graph takes about 8 bytes of memory for each chunk. A search takes more while it runs.
 */
#ifndef PROCMEM_GRAPH_H
#define PROCMEM_GRAPH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/copy.h>
#include <procmem/error.h>
#include <procmem/heap.h>
#include <procmem/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of a root. */
enum pm_root_kind {
	PM_ROOT_GLOBAL = 0,   /**< a global variable of the program or of a library */
	PM_ROOT_STATIC,       /**< a static variable: its symbol is local to a source file */
	PM_ROOT_THREAD_LOCAL, /**< thread-local data of a thread */
	PM_ROOT_MODULE_DATA,  /**< data of the program or of a library that has no symbol */
	PM_ROOT_LIBC,      /**< data of libc, of the dynamic linker, or of the runtime libraries of
	                      the compiler, with or without a symbol */
	PM_ROOT_STACK,     /**< the stack of a thread */
	PM_ROOT_REGISTER,  /**< the registers of a thread */
	PM_ROOT_ANONYMOUS, /**< other memory, such as that of another allocator */
	PM_ROOT_KIND_COUNT /**< number of kinds */
};

/**
 * The level of a root. Chunks that are reachable from several roots are attributed to a root of the
 * lowest level: the words of higher levels are more often stale.
 */
enum pm_root_level {
	PM_LEVEL_VARIABLES = 1, /**< variables with symbols, and thread-local data of the program */
	PM_LEVEL_DATA,          /**< other data of the program and its libraries */
	PM_LEVEL_LIBC,          /**< PM_ROOT_LIBC, and thread-local data of libraries */
	PM_LEVEL_STACKS,        /**< stacks */
	PM_LEVEL_OTHER,         /**< registers and other memory */
};

/** A root: memory outside of malloc, or the registers of a thread. */
struct pm_root {
	uint8_t kind;  /**< enum pm_root_kind */
	uint8_t level; /**< enum pm_root_level */
	pid_t thread;  /**< TID, for a stack, thread-local data and registers; 0 if not known */
	const char *thread_name; /**< name of the thread; "" if not known */
	/** Name of the symbol as in the file, which may contain any bytes; "" if there is none */
	const char *name;
	/** Name of the mapped file; for PM_ROOT_ANONYMOUS, the name of the region; may be "" */
	const char *module;
	/**
	 * First address of the memory; 0 for registers. In data of a file that no symbol covers,
	 * neighbouring words that point to chunks are one root. There are at most 1024 of these
	 * roots. All further such words of a file are one root. `start` is the address of the first
	 * word
	 */
	uint64_t start;
	uint64_t end;      /**< address after the last byte; 0 for registers */
	uint64_t pointers; /**< number of words that point to chunks in use */
};

/** Options of a graph. If all fields are zero, the defaults are used. */
struct pm_graph_options {
	/**
	 * Maximum number of bytes that the graph and one search together may take; 0 means no
	 * limit. 60 bytes a chunk are assumed and, for pm_retained_tree_find(), 4 bytes for each
	 * pointer between chunks that the root holds
	 */
	uint64_t memory_max;
	/** Cancellation flag: PM_ERROR_CANCELLED when non-zero. NULL if there is none */
	const volatile sig_atomic_t *cancel;
};

/**
 * A graph; opaque. Only one thread at a time may use it.
 */
struct pm_graph;

/**
 * Finds the roots.
 *
 * @param copy     the copy, after pm_copy_take(); must outlive the graph
 * @param heap     the heap in this copy; must outlive the graph
 * @param symbols  the symbols of the process, which give names to roots; must outlive the graph.
 *                 NULL: roots in data of files have no names
 * @param options  the options, or NULL; the structure is copied
 * @param graph    receives the graph; release with pm_graph_close()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_graph_open(struct pm_copy *copy, const struct pm_heap *heap,
                            struct pm_symbols *symbols, const struct pm_graph_options *options,
                            struct pm_graph **graph, struct pm_error *error);

/**
 * Releases a graph.
 * @param graph  a graph or NULL
 */
PM_PUBLIC void pm_graph_close(struct pm_graph *graph);

/**
 * Returns the roots that point to chunks.
 *
 * @param graph  the graph
 * @param count  receives the number of roots
 * @return       the roots; valid until the next call of pm_refs_find(), pm_refs_tree_find() or
 *               pm_graph_close()
 */
PM_PUBLIC const struct pm_root *pm_graph_roots(const struct pm_graph *graph, size_t *count);

/**
 * Returns the bytes outside of malloc that were searched for pointers.
 * @param graph  the graph
 * @return       bytes
 */
PM_PUBLIC uint64_t pm_graph_root_bytes(const struct pm_graph *graph);

/**
 * Returns the name of a kind, as in JSON: "global", "static", "thread_local", "module_data",
 * "libc", "stack", "register" or "anonymous".
 * @param kind  the kind
 * @return      a constant text
 */
PM_PUBLIC const char *pm_root_kind_name(enum pm_root_kind kind);

#ifdef __cplusplus
}
#endif

#endif
