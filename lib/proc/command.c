/* SPDX-License-Identifier: MIT */
#include "proc/command.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/process.h>

#include "base/minmax.h"

int pm_comm_read(const struct pm_procfs *procfs, const char *name, char *comm)
{
	char *text;
	size_t length;
	if (pm_procfs_read(procfs, name, &text, &length) < 0)
		return -1;

	/* Remove only the last newline, which the kernel appended. The name itself may end in
	 * newlines, which must be kept. */
	if (length > 0 && text[length - 1] == '\n')
		length--;

	length = pm_min_size(length, PM_COMM_SIZE - 1);
	memcpy(comm, text, length);
	comm[length] = '\0';
	free(text);

	return 0;
}

int pm_command_read(const struct pm_procfs *procfs, char **text, size_t *length)
{
	return pm_procfs_read_max(procfs, "cmdline", PM_COMMAND_MAX, text, length);
}

void pm_command_join(char *text, size_t length)
{
	while (length > 0 && text[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
}
