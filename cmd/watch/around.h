/* SPDX-License-Identifier: MIT */
/**
 * @file The processes around a watched process: its descendants, and those that share its memory
 * limit. If one of them grows, the memory that is used up may not be that of the watched process.
 */
#ifndef CMD_WATCH_AROUND_H
#define CMD_WATCH_AROUND_H

#include <procmem/process.h>

#include "base/text.h"

/** The processes around a process; opaque. */
struct watch_around;

/**
 * Starts to observe.
 * @param process  the watched process; must outlive the result
 * @return         the processes; release with watch_around_close()
 */
struct watch_around *watch_around_open(struct pm_process *process);

/**
 * Reads the sizes of the processes, unless they were read a short time ago: at most 0.2 % of a
 * processor is used. A failure is not reported: the watched process itself is still sampled.
 *
 * @param around  the processes; may be NULL
 * @param time    time of the sample, as pm_sample.time
 */
void watch_around_step(struct watch_around *around, double time);

/**
 * Adds which processes grow: "child 4720 worker +1.1M/s; 4711 itself does not grow".
 *
 * @param around  the processes; may be NULL
 * @param text    receives the sentence, escaped
 * @return        true if something was added: a process other than the watched one grows
 */
bool watch_around_describe(const struct watch_around *around, struct text *text);

/**
 * Releases the processes.
 * @param around  the processes; may be NULL
 */
void watch_around_close(struct watch_around *around);

#endif
