/* SPDX-License-Identifier: MIT */
/** @file The state of a session, which all files of `procmem shell` use. */
#ifndef CMD_SHELL_SESSION_H
#define CMD_SHELL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "base/status.h"
#include "target/target.h"
#include "view/results.h"

/** A session. */
struct shell {
	struct out *out;         /**< output of the session; borrowed */
	struct results *results; /**< the hits and regions that have numbers; owned */
	/** Target of the commands; without a target, its `word` is NULL. */
	struct target target;
	char *word;              /**< the TARGET that is added to commands: a PID or an absolute
	                            path; owned */
	char *name;              /**< name of the target, escaped; owned */
	struct text *defaults;   /**< options of `set` for each command, each NUL-terminated; NULL
	                            until the first `set`; owned */
	struct examine *examine; /**< format and position of `x`; NULL until `x` is used for the
	                            first time; owned */
	bool interactive;        /**< commands are typed at a prompt */
	bool keep_going;         /**< -k: continue after an error */
	bool quit;               /**< the session ends */
	unsigned sources;        /**< nesting of `source` */
	bool reads_input;        /**< commands come from standard input, which is not a terminal */
	enum status status;      /**< exit status of the last statement */
	/** The function shell_run_file(), which `source` calls through this pointer. */
	bool (*run_file)(struct shell *shell, const char *path);
};

#endif
