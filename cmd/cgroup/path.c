/* SPDX-License-Identifier: MIT */
#include "cgroup/path.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

int cgroup_path_read(const char *word, struct pm_cgroup_levels *levels, struct pm_error *error)
{
	struct pm_cgroup_levels own;
	struct pm_process *process;

	if (access(word, F_OK) == 0)
		return pm_cgroup_levels_read_folder(word, levels, error);

	/* The last level of this process is the root of the hierarchy that it sees. */
	if (pm_process_open(NULL, getpid(), &process, error) < 0)
		return -1;
	int result = pm_cgroup_levels_read(process, NULL, &own, error);
	pm_process_close(process);
	if (result < 0)
		return -1;

	char *folder = NULL;
	if (own.count > 0) {
		struct text path = { 0 };
		text_string(&path, own.items[own.count - 1].folder);
		if (*word != '/')
			text_char(&path, '/');
		text_string(&path, word);
		folder = alloc_string(text_terminate(&path));
		text_deinit(&path);
	}
	pm_cgroup_levels_deinit(&own);

	result = pm_cgroup_levels_read_folder(folder ? folder : word, levels, error);
	free(folder);
	return result;
}
