/* SPDX-License-Identifier: MIT */
/** @file The build information that the Go linker writes into a program. Private. */
#ifndef PM_RUNTIMES_GO_BUILDINFO_H
#define PM_RUNTIMES_GO_BUILDINFO_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/runtimes.h>

/** What the build information says. Texts can contain any bytes. */
struct pm_go_buildinfo {
	char version[PM_RUNTIME_TEXT_SIZE]; /**< such as "go1.19.8"; "" before Go 1.18 */
	char path[PM_RUNTIME_TEXT_SIZE];    /**< import path of the main package; "" if not known */
	/** Module and its version, such as "example.com/server v1.2.3"; "" if not known */
	char module[PM_RUNTIME_TEXT_SIZE];
};

/**
 * Parses the section .go.buildinfo.
 *
 * @param bytes  the section, or its start
 * @param size   number of bytes
 * @param info   receives what it says; texts are "" if they are missing or not valid
 * @return       false if this is not build information of Go; `info` is then unchanged
 */
bool pm_go_buildinfo_parse(const void *bytes, size_t size, struct pm_go_buildinfo *info);

#endif
