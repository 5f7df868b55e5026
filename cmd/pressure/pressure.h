/* SPDX-License-Identifier: MIT */
/** @file The options and results of `procmem pressure`. Private to the command. */
#ifndef CMD_PRESSURE_PRESSURE_H
#define CMD_PRESSURE_PRESSURE_H

#include <procmem/oom_log.h>
#include <procmem/pressure.h>
#include <procmem/pressure_signs.h>

#include "cli/command.h"
#include "cli/options.h"

/** The parsed options of `procmem pressure`. */
struct pressure_options {
	double seconds; /**< time between the readings */
	struct output_options output;
};

/** The results of a run of `procmem pressure`. */
struct pressure_report {
	const struct pressure_options *options;
	bool has_target;     /**< a process was given */
	pid_t pid;           /**< its PID */
	const char *name;    /**< its command name */
	const char *command; /**< its command line; empty if it has none */
	enum pm_cgroup_view view;
	struct pm_pressure_reading reading; /**< the later reading */
	struct pm_pressure_change change;   /**< since the earlier reading */
	bool has_log;                       /**< `log` is valid */
	struct pm_oom_log log;
	struct pm_error log_error; /**< why the log cannot be read, if `has_log` is false */
	struct pm_signs signs;
};

/**
 * Runs `procmem pressure`.
 * @see command.run
 */
enum status pressure_run(struct out *out, int argc, char **argv);

/** The command line of `procmem pressure`. */
extern const struct cli_spec pressure_spec;

#endif
