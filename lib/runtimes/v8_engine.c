/* SPDX-License-Identifier: MIT */
#include "runtimes/v8_engine.h"

#include <string.h>

/** A file: its name, or the start of its name. */
struct file {
	const char *name;
	bool prefix;
	enum pm_v8_engine engine;
};

/* Programs that contain Electron have names of their own, but they map the snapshot of V8. */
static const struct file files[] = {
	{ "node", false, PM_V8_ENGINE_NODE },
	{ "nodejs", false, PM_V8_ENGINE_NODE },
	{ "libnode.so", true, PM_V8_ENGINE_NODE },
	{ "deno", false, PM_V8_ENGINE_NODE },
	{ "d8", false, PM_V8_ENGINE_NODE },
	{ "chromium", false, PM_V8_ENGINE_CHROMIUM },
	{ "chromium-browser", false, PM_V8_ENGINE_CHROMIUM },
	{ "chrome", false, PM_V8_ENGINE_CHROMIUM },
	{ "headless_shell", false, PM_V8_ENGINE_CHROMIUM },
	{ "content_shell", false, PM_V8_ENGINE_CHROMIUM },
	{ "electron", false, PM_V8_ENGINE_CHROMIUM },
	{ "msedge", false, PM_V8_ENGINE_CHROMIUM },
	{ "brave", false, PM_V8_ENGINE_CHROMIUM },
	{ "opera", false, PM_V8_ENGINE_CHROMIUM },
	{ "vivaldi-bin", false, PM_V8_ENGINE_CHROMIUM },
	{ "v8_context_snapshot", true, PM_V8_ENGINE_CHROMIUM },
};

static enum pm_v8_engine engine_of(const char *path)
{
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && path[0] == '/' && i < sizeof files / sizeof *files; i++) {
		const struct file *file = &files[i];

		if (strncmp(name + 1, file->name, strlen(file->name)) == 0 &&
		    (file->prefix || name[1 + strlen(file->name)] == '\0'))
			return file->engine;
	}

	return PM_V8_ENGINE_NONE;
}

const struct pm_region *pm_v8_engine_find(const struct pm_regions *regions,
                                          enum pm_v8_engine *engine)
{
	const char *last = NULL;

	*engine = PM_V8_ENGINE_NONE;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		/* Adjacent regions of one file share the text of its path. */
		if (region->mapping == last)
			continue;
		last = region->mapping;
		*engine = engine_of(region->mapping);
		if (*engine != PM_V8_ENGINE_NONE)
			return region;
	}

	return NULL;
}
