/* SPDX-License-Identifier: MIT */
/**
 * @file The time of targets that do a known amount of work in each tenth of a second: by the clock,
 *   or by the command `pass SECONDS`, so that a test does not depend on the speed of the machine.
 */
#ifndef TARGETS_TICKS_H
#define TARGETS_TICKS_H

#include <stdint.h>

enum { TICKS_PER_SECOND = 10 };

/**
 * Chooses that time passes only by the command `pass`. Call it before the threads start.
 * @param threads  number of threads that will call ticks_each()
 */
void ticks_by_command(unsigned threads);

/**
 * Calls a function for each tick, in order. Does not return.
 * @param step  receives the number of the tick; the first is 1
 */
_Noreturn void ticks_each(void (*step)(uint64_t tick));

/**
 * Executes `pass SECONDS`: waits until all threads have done their steps for this time.
 * @return 0: done; 1: another command, or time passes by the clock
 */
int ticks_command(const char *line);

#endif
