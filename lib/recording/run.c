/* SPDX-License-Identifier: MIT */
#include <procmem/recording.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

bool pm_process_id_equal(const struct pm_process_id *one, const struct pm_process_id *other)
{
	return one->pid == other->pid && one->start_ticks == other->start_ticks &&
	       strcmp(one->boot_id, other->boot_id) == 0;
}

/** The kernel's name for the time since it started; start times count from there. */
static void read_boot_id(const char *root, char *boot_id)
{
	char path[PATH_MAX];

	boot_id[0] = '\0';
	if ((size_t)snprintf(path, sizeof path, "%s/sys/kernel/random/boot_id", root) >=
	    sizeof path)
		return;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;

	ssize_t length = pm_read(fd, boot_id, PM_BOOT_ID_SIZE - 1);
	close(fd);
	boot_id[length > 0 ? length : 0] = '\0';
	boot_id[strcspn(boot_id, "\n")] = '\0';
}

int pm_process_id_read(struct pm_process *process, struct pm_process_id *run,
                       struct pm_error *error)
{
	struct pm_process_info info;
	struct pm_process_id described = { .pid = pm_process_pid(process) };
	char *command;
	if (pm_process_read_info(process, &info, error) < 0 ||
	    pm_process_read_command(process, &command, error) < 0)
		return -1;

	described.start_ticks = info.start_ticks;
	described.command = command;
	memcpy(described.comm, info.comm, sizeof described.comm);
	read_boot_id(pm_process_root(process), described.boot_id);
	if (gethostname(described.host, sizeof described.host) < 0)
		described.host[0] = '\0';
	described.host[sizeof described.host - 1] = '\0';
	*run = described;

	return 0;
}
