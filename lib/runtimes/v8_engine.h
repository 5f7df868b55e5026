/* SPDX-License-Identifier: MIT */
/** @file Programs and libraries that contain V8, by the names of mapped files. Private. */
#ifndef PM_RUNTIMES_V8_ENGINE_H
#define PM_RUNTIMES_V8_ENGINE_H

#include <procmem/region.h>

/** What a file with V8 is. */
enum pm_v8_engine {
	PM_V8_ENGINE_NONE = 0, /**< not such a file */
	PM_V8_ENGINE_NODE,     /**< node, or another program without the allocators of Chromium */
	PM_V8_ENGINE_CHROMIUM, /**< Chromium, or a program that contains it, such as Electron */
};

/**
 * Finds the first region that maps a file with V8.
 *
 * @param regions  the regions
 * @param engine   receives what the file is
 * @return         the region; NULL if there is none
 */
const struct pm_region *pm_v8_engine_find(const struct pm_regions *regions,
                                          enum pm_v8_engine *engine);

#endif
