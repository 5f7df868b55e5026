/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the program of the archive does differently, because it runs with the libraries of the
 * archive.
 */
#ifndef CMD_BASE_OWN_LIBRARIES_H
#define CMD_BASE_OWN_LIBRARIES_H

/**
 * Restores the environment that lib/package/archive/launcher.c changed, and keeps glibc from
 * loading modules of the system, which another version of glibc may need. It must be called first.
 * In other builds it does nothing.
 */
void own_libraries_start(void);

#endif
