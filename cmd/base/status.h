/* SPDX-License-Identifier: MIT */
/** @file The exit statuses of commands. */
#ifndef CMD_BASE_STATUS_H
#define CMD_BASE_STATUS_H

/** Exit statuses of all commands. */
enum status {
	STATUS_OK = 0,      /**< success */
	STATUS_NOTHING = 1, /**< nothing matched, or the result that the command documents for 1 */
	STATUS_ERROR = 2,   /**< wrong usage, no such target, no permission, the target exited, or
	                       the output failed */
};

#endif
