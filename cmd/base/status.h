/* SPDX-License-Identifier: MIT */
/** @file What a command ends with. */
#ifndef CMD_BASE_STATUS_H
#define CMD_BASE_STATUS_H

/** Exit statuses of all commands. */
enum status {
	STATUS_OK = 0,      /**< done */
	STATUS_NOTHING = 1, /**< nothing matched, or what the command documents for 1 */
	STATUS_ERROR =
		2, /**< wrong usage, no such target, no permission, target gone, output failed */
};

#endif
