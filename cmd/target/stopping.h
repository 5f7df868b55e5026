/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stopping a target for a command (--stop) or for a session. A process can have only one tracer: if
 * the session holds the target stopped, its commands share that stop.
 */
#ifndef CMD_TARGET_STOPPING_H
#define CMD_TARGET_STOPPING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/stop.h>

/**
 * Stops a process for a command. If the session already holds the process stopped, that stop is
 * used.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   as for pm_stop_begin()
 * @param stop     receives the stop; end it with stopping_end()
 * @param error    as for pm_stop_begin()
 * @return         0 or -1
 */
int stopping_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                   struct pm_stop **stop, struct pm_error *error);

/** The processes that share the memory of a stopped process, and that were not stopped. */
struct stopping_others {
	size_t count; /**< number of processes */
	pid_t first;  /**< PID of one of them; 0 if there is none */
	/**
	 * PM_ERROR_NONE if the processes were found out. Otherwise the reason why not; the other
	 * members are 0.
	 */
	struct pm_error unknown;
};

/**
 * Finds the processes that share the memory of a process. Call it before the process is stopped,
 * because the search takes time.
 * @param process  the process
 * @return         the processes, or the reason why they cannot be found out
 */
struct stopping_others stopping_find_others(struct pm_process *process);

/**
 * Reports on stderr that other processes may have changed the memory, or that this is not known.
 * Has no effect if it is known that there are no such processes.
 * @param others  the processes
 */
void stopping_report_others(const struct stopping_others *others);

/**
 * Returns whether the session holds a process stopped.
 * @param process  the process
 * @return         true if the session holds it stopped
 */
bool stopping_holds(const struct pm_process *process);

/**
 * Ends the stop of a command; a stop that the session holds continues.
 * @param stop  the stop, or NULL
 * @return      duration of the stop in nanoseconds; 0 if the session continues the stop
 */
uint64_t stopping_end(struct pm_stop *stop);

/**
 * Reports on stderr how long a command has stopped its target.
 * @param nanoseconds  the result of stopping_end()
 * @param threads      number of threads that were stopped
 */
void stopping_report(uint64_t nanoseconds, size_t threads);

/**
 * Reports on stderr that a stop has taken longer than the user allows. Has no effect otherwise.
 * @param nanoseconds  the duration of all stops
 * @param max_ns       the duration that is allowed, in nanoseconds; 0: any
 */
void stopping_report_excess(uint64_t nanoseconds, uint64_t max_ns);

/**
 * Stops a process for a session, until stopping_release(). The session must not hold another
 * process stopped.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   as for pm_stop_begin()
 * @param error    as for pm_stop_begin()
 * @return         0 or -1
 */
int stopping_hold(struct pm_process *process, const volatile sig_atomic_t *cancel,
                  struct pm_error *error);

/**
 * Ends the stop of the session.
 * @return  duration of the stop in nanoseconds; 0 if there was none
 */
uint64_t stopping_release(void);

/**
 * Returns the stop of the session.
 * @return  the stop, or NULL if there is none
 */
const struct pm_stop *stopping_held(void);

#endif
