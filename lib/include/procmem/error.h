/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The one error type of the library.
 *
 * Every function that can fail returns 0 (or, for iterators, 1 for an item and 0 at the end) and -1
 * on failure, and takes a `struct pm_error *` as its last parameter. The caller owns that
 * structure; the library fills it on failure and leaves it alone on success. It never has to be
 * released, and it may be NULL where the caller does not want to know. Output parameters are
 * untouched on failure.
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

/** What sort of failure it was, for callers that act on it. */
enum pm_error_kind {
	PM_ERROR_NONE = 0,  /**< no failure was recorded */
	PM_ERROR_USAGE,     /**< an argument or a text given by the user makes no sense */
	PM_ERROR_NOT_FOUND, /**< no such process, thread, region or file */
	PM_ERROR_AMBIGUOUS, /**< a name fits several processes */
	PM_ERROR_ACCESS,    /**< the kernel refused; the text says which rule did and what helps */
	PM_ERROR_GONE, /**< the target exited, called exec, or its PID belongs to another process
	                  now */
	PM_ERROR_NO_MEMORY, /**< the target has no user memory: a kernel thread or a zombie */
	PM_ERROR_FORMAT,    /**< a text or file is not what it should be (truncated, binary, unknown
	                       version) */
	PM_ERROR_IO,        /**< reading or writing a file failed */
	PM_ERROR_UNREADABLE,  /**< bytes of the target that the kernel will not give; `address` is
	                         the first */
	PM_ERROR_UNSUPPORTED, /**< this kernel or this build lacks what is needed */
	PM_ERROR_CANCELLED,   /**< the caller's cancel flag was set */
	PM_ERROR_RESOURCES,   /**< out of memory, file descriptors or the like in our own process */
};

/** Size of pm_error.text in bytes, the terminating NUL included. */
#define PM_ERROR_TEXT_SIZE 1024

/** One failure, in the caller's storage. */
struct pm_error {
	enum pm_error_kind kind;       /**< what sort of failure */
	int os_errno;                  /**< errno of the call that failed, 0 where none did */
	pid_t pid;                     /**< process it is about, 0 for none */
	uint64_t address;              /**< address in the target it is about, 0 for none */
	char text[PM_ERROR_TEXT_SIZE]; /**< one sentence, no newline, says why and what would help
	                                */
};

/**
 * Fills an error; meant for the library itself and for readers that callers write.
 *
 * @param error     where to store it; NULL is allowed and does nothing
 * @param kind      what sort of failure
 * @param os_errno  errno of the failing call, or 0; it is not appended to the text
 * @param format    printf format of the sentence; longer text is cut at PM_ERROR_TEXT_SIZE - 1
 * bytes
 * @return          always -1, so that `return pm_error_set(...)` reads well
 */
PM_PUBLIC int pm_error_set(struct pm_error *error, enum pm_error_kind kind, int os_errno,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * Puts words before the sentence of an error that is already filled ("cannot read maps: " + text).
 *
 * @param error   a filled error, or NULL
 * @param format  printf format of the words, the separating ": " included
 * @return        always -1
 */
PM_PUBLIC int pm_error_prefix(struct pm_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
