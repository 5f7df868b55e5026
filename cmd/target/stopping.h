/* SPDX-License-Identifier: MIT */
/**
 * @file
 * `--stop`, where a session may hold the target stopped already: a process has one tracer, so a
 * second stop would be refused.
 */
#ifndef CMD_TARGET_STOPPING_H
#define CMD_TARGET_STOPPING_H

#include <stdbool.h>

#include <procmem/stop.h>

/**
 * Stops a process for a command: by the stop that the session holds, or a new one.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   as pm_stop_begin()
 * @param stop     where to store the stop; end it with stopping_end()
 * @param error    as pm_stop_begin()
 * @return         0 or -1
 */
int stopping_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                   struct pm_stop **stop, struct pm_error *error);

/**
 * Whether the session holds this process stopped.
 * @param process it
 * @return true or false
 */
bool stopping_holds(const struct pm_process *process);

/**
 * Ends a command's stop; one that the session holds goes on.
 * @param stop the stop or NULL
 * @return as pm_stop_end(); 0 where it goes on
 */
uint64_t stopping_end(struct pm_stop *stop);

/**
 * Tells on stderr how long a command's stop held the target up.
 * @param nanoseconds as stopping_end()
 * @param threads how many there were
 */
void stopping_report(uint64_t nanoseconds, size_t threads);

/**
 * Stops a process until stopping_release(), for a session. Nothing is held yet.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   as pm_stop_begin()
 * @param error    as pm_stop_begin()
 * @return         0 or -1
 */
int stopping_hold(struct pm_process *process, const volatile sig_atomic_t *cancel,
                  struct pm_error *error);

/**
 * Lets it run on.
 * @return as pm_stop_end(), 0 where nothing was held
 */
uint64_t stopping_release(void);

/**
 * The stop that is held.
 * @return it, NULL for none
 */
const struct pm_stop *stopping_held(void);

#endif
