/* SPDX-License-Identifier: MIT */
/* What somebody writes first: how many regions does this process have? */
#include <procmem/procmem.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_error error;
	pm_regions_init(&regions);
	if (pm_process_open(NULL, getpid(), &process, &error) < 0 || pm_maps_read(process, PM_MAPS, &regions, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	printf("%zu regions\n", regions.count);
	pm_process_close(process);
	pm_regions_deinit(&regions);
	return 0;
}
