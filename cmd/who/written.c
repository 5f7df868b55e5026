/* SPDX-License-Identifier: MIT */
#include "who/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>
#include <procmem/process_list.h>

#include "base/alloc.h"

/* Growth in bytes from which an equal number of written bytes is not taken for chance. */
static const uint64_t grown_min = 1024;

/* Limits of the written bytes, as parts of the growth: a process can write to other files, too. */
static const double least = 0.8, most = 1.25;

/** Reads the number from a line of /proc/PID/io if it is that of wchar. */
static bool parse_wchar(char *line, uint64_t *bytes)
{
	static const char name[] = "wchar: ";
	const size_t length = sizeof name - 1;

	if (strncmp(line, name, length) != 0)
		return false;

	line[strcspn(line, "\n")] = '\0';
	return pm_parse_decimal(line + length, UINT64_MAX, bytes, NULL) == 0;
}

static bool read_bytes(pid_t pid, uint64_t *bytes)
{
	char path[32], line[64];
	bool known = false;

	snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!known && fgets(line, sizeof line, file))
		known = parse_wchar(line, bytes);
	fclose(file);
	return known;
}

void who_written_read(struct who_written_list *list)
{
	struct pm_process_list processes = { 0 };

	*list = (struct who_written_list){ 0 };
	if (pm_process_list_read(&processes, NULL) < 0)
		return;

	list->items = alloc_array(NULL, processes.count + 1, sizeof *list->items);
	for (size_t i = 0; i < processes.count && list->count < WHO_WRITTEN_MAX; i++) {
		const struct pm_process_row *row = &processes.items[i];
		struct who_written *item = &list->items[list->count];

		*item = (struct who_written){ .pid = row->pid, .start_ticks = row->start_ticks };
		memcpy(item->comm, row->comm, sizeof item->comm);
		if (!row->kernel_thread && row->pid != getpid() &&
		    read_bytes(row->pid, &item->bytes))
			list->count++;
	}
	pm_process_list_deinit(&processes);
}

size_t who_written_match(const struct who_written_list *before,
                         const struct who_written_list *after, uint64_t grown,
                         struct who_written found[static WHO_WRITTEN_FOUND])
{
	size_t count = 0;

	if (grown < grown_min)
		return 0;
	/* Both lists ascend by PID. */
	for (size_t i = 0, old = 0; i < after->count && count < WHO_WRITTEN_FOUND; i++) {
		const struct who_written *item = &after->items[i];

		while (old < before->count && before->items[old].pid < item->pid)
			old++;
		if (old == before->count || before->items[old].pid != item->pid ||
		    before->items[old].start_ticks != item->start_ticks ||
		    before->items[old].bytes > item->bytes)
			continue;

		uint64_t bytes = item->bytes - before->items[old].bytes;
		if ((double)bytes < (double)grown * least || (double)bytes > (double)grown * most)
			continue;
		found[count] = *item;
		found[count++].bytes = bytes;
	}
	return count;
}

void who_written_deinit(struct who_written_list *list)
{
	free(list->items);
	*list = (struct who_written_list){ 0 };
}
