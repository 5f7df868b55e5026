/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The mapped files in the child process: it asks the parent for descriptors, and gives the files to
 * libdw. Private.
 */
#ifndef PM_STACK_CHILD_FILES_H
#define PM_STACK_CHILD_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "stack/child_rules.h"
#include "stack/protocol.h"
#include "symbols/elf_symbols.h"

struct pm_child_files;

/** A mapped file. */
struct pm_child_file {
	struct pm_child_files *files;  /**< the list that contains it */
	uint32_t number;               /**< number of the module */
	bool asked;                    /**< whether the parent was asked for the file */
	bool asked_debug;              /**< whether the parent was asked for the debug file */
	bool vdso;                     /**< whether it is the vDSO */
	bool read;                     /**< whether `symbols` is filled */
	bool mapped;                   /**< whether it is in the newest list */
	int fd;                        /**< the file; -1 if there is none */
	int debug_fd;                  /**< the debug file; -1 if there is none */
	struct pm_build_id id;         /**< of the file; size 0: none, or not read yet */
	struct pm_elf_symbols symbols; /**< of both files */
};

/** All mapped files. */
struct pm_child_files {
	int socket;                   /**< of the child */
	Dwfl *dwfl;                   /**< the mapped files in libdw */
	Dwfl_Callbacks callbacks;     /**< of libdw */
	Elf *vdso;                    /**< the vDSO of this process; NULL if there is none */
	void *thread;                 /**< state of child_unwind.c */
	struct pm_child_rules rules;  /**< used by child_unwind.c */
	struct pm_child_file **items; /**< the mapped files, by ascending number; owned */
	size_t count;                 /**< number of items */
};

/**
 * Prepares the files. There are none.
 * @param files   filled
 * @param socket  of the child
 * @return        false without memory
 */
bool pm_child_files_init(struct pm_child_files *files, int socket);

/**
 * Replaces the list of mapped files. Files that are still mapped stay open, the others are closed.
 * @param files    the files
 * @param modules  the list
 * @param count    number of items
 * @return         false without memory
 */
bool pm_child_files_report(struct pm_child_files *files, const struct pm_stack_module *modules,
                           size_t count);

/**
 * Finds the file of a module of libdw.
 * @param module  the module
 * @return        the file, whose symbols were read
 */
const struct pm_child_file *pm_child_files_of(Dwfl_Module *module);

/**
 * Releases the files, and closes them.
 * @param files  the files
 */
void pm_child_files_deinit(struct pm_child_files *files);

#endif
