/* SPDX-License-Identifier: MIT */
/** @file All readers; the table in runtimes.c defines the order. Private. */
#ifndef PM_RUNTIMES_READERS_H
#define PM_RUNTIMES_READERS_H

#include "runtimes/context.h"

pm_runtime_reader pm_runtime_read_allocators;
pm_runtime_reader pm_runtime_read_chromium;
pm_runtime_reader pm_runtime_read_go;
pm_runtime_reader pm_runtime_read_hotspot;
pm_runtime_reader pm_runtime_read_others;
pm_runtime_reader pm_runtime_read_python;
pm_runtime_reader pm_runtime_read_v8;

#endif
