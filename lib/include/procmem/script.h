/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the script or archive that an interpreter runs, from its command line.
 */
#ifndef PROCMEM_SCRIPT_H
#define PROCMEM_SCRIPT_H

#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds the script in the command line of an interpreter: after the name of the program, the first
 * argument that is neither an option nor the value of an option. Examples are `leak.py` in `python3
 * -u leak.py` and `shop.jar` in `java -Xmx1g -jar shop.jar`.
 *
 * The base name of argument 0, the name of the program, decides whether the program is an
 * interpreter. A version after the name is ignored, as in `python3.11`. Only the most frequent
 * options that have a value as the next argument are recognized, such as `-cp` of java and `-W` of
 * python. So the result is a guess. Use it to select a process or to show it to a person, but do
 * not rely on it.
 *
 * @param text       the arguments
 * @param length     length of the arguments in bytes
 * @param separator  byte between two arguments: NUL in /proc/PID/cmdline, a space in the text of
 *                   pm_process_read_command(); in that text an argument that contains spaces counts
 *                   as several arguments
 * @param script     receives the offset of the script in `text`; unchanged if there is no script
 * @return           length of the script in bytes; 0 if there is no script
 */
PM_PUBLIC size_t pm_script_find(const char *text, size_t length, char separator, size_t *script);

#ifdef __cplusplus
}
#endif

#endif
