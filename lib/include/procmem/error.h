/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The error type of the library.
 *
 * A function that can fail takes a `struct pm_error *` as its last parameter. Such a function
 * returns 0 on success and -1 on failure; an iterator returns 1 for an item, 0 at the end and -1 on
 * failure. The caller owns the structure: the library fills the structure on failure and does not
 * change it on success. The structure need not be released. The pointer may be NULL. Output
 * parameters are unchanged on failure, unless the comment of the function says otherwise.
 */
#ifndef PROCMEM_ERROR_H
#define PROCMEM_ERROR_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the functions that the shared library exports; everything else is hidden. */
#define PM_PUBLIC __attribute__((visibility("default")))

/** The kind of a failure. Callers can handle each kind differently. */
enum pm_error_kind {
	PM_ERROR_NONE = 0,  /**< no failure was recorded */
	PM_ERROR_USAGE,     /**< an argument, or a text from the user, is not valid */
	PM_ERROR_NOT_FOUND, /**< no such process, thread, region or file */
	PM_ERROR_AMBIGUOUS, /**< a name matches several processes */
	PM_ERROR_ACCESS, /**< the kernel refused access; the text says why and how to get access */
	PM_ERROR_GONE,   /**< the target exited or called exec, or its PID was reused */
	PM_ERROR_NO_MEMORY,   /**< the target has no user memory: a kernel thread or a zombie */
	PM_ERROR_FORMAT,      /**< a text or file is truncated, binary or damaged, or has an unknown
	                         version */
	PM_ERROR_IO,          /**< reading or writing a file failed */
	PM_ERROR_UNREADABLE,  /**< some bytes of the target cannot be read; pm_error.address is the
	                         address of the first unreadable byte */
	PM_ERROR_UNSUPPORTED, /**< this kernel or this build lacks a feature */
	PM_ERROR_CANCELLED,   /**< the caller's cancel flag was set */
	PM_ERROR_RESOURCES, /**< the calling process ran out of memory, file descriptors or another
	                       resource */
};

/** Size of pm_error.text in bytes, including the NUL. */
#define PM_ERROR_TEXT_SIZE 1024

/** The description of a failure. The caller owns the structure. */
struct pm_error {
	enum pm_error_kind kind; /**< kind of the failure */
	int os_errno;            /**< errno of the call that failed; 0 if no call failed */
	pid_t pid;               /**< PID of the target; 0 if the failure concerns no process */
	uint64_t address;        /**< address in the target; 0 if the failure concerns no address */
	char text[PM_ERROR_TEXT_SIZE]; /**< one sentence without newline: the reason and a remedy */
};

/**
 * Fills an error. For use by the library, and by programs that implement their own readers.
 *
 * @param error     receives the failure, with `pid` and `address` 0; if NULL, the function only
 *                  returns -1
 * @param kind      kind of the failure
 * @param os_errno  errno of the failing call, or 0 if no call failed. The text of strerror(3) is
 *                  not appended to pm_error.text
 * @param format    printf(3) format of pm_error.text, which is cut if it is longer than
 *                  PM_ERROR_TEXT_SIZE - 1 bytes
 * @return          always -1, for `return pm_error_set(...)`
 */
PM_PUBLIC int pm_error_set(struct pm_error *error, enum pm_error_kind kind, int os_errno,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * Inserts words, such as "cannot read maps: ", before the sentence of a filled error. If the result
 * does not fit, the end of the sentence is cut.
 *
 * @param error   a filled error; if NULL, the function only returns -1
 * @param format  printf(3) format of the words, including the separating ": "
 * @return        always -1
 */
PM_PUBLIC int pm_error_prefix(struct pm_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
