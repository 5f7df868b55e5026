/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The names of temporary files, which are removed if a signal ends the program.
 */
#ifndef CMD_BASE_TEMPORARY_NAMES_H
#define CMD_BASE_TEMPORARY_NAMES_H

/**
 * Creates a temporary file as mkostemp(3) does, with O_CLOEXEC, and remembers its name. Any signal
 * that would end the program, except SIGKILL, then removes the file first. At most a few names are
 * remembered; the commands never have more temporary files.
 *
 * @param name  the template; receives the name
 * @return      a descriptor, or -1 with errno set
 */
int temporary_names_create(char *name);

/**
 * Forgets a name, because the file was renamed or removed.
 * @param name  the name; has no effect if it is not remembered
 */
void temporary_names_forget(const char *name);

/**
 * Sets the action of a signal: the temporary files are removed, and the signal ends the program.
 * May be called by a signal handler.
 * @param number  the signal
 */
void temporary_names_guard(int number);

#endif
