/* SPDX-License-Identifier: MIT */
#include "proc/process_handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Fields of proc_pid_stat(5), by the number that the man page gives them. */
enum { FIELD_STATE = 3, FIELD_FLAGS = 9, FIELD_THREADS = 20, FIELD_START_TIME = 22, FIELD_START_STACK = 28, FIELD_START_BRK = 47 };

static void store_field(struct pm_process_stat *stat, int field, uint64_t value)
{
	switch (field) {
	case FIELD_FLAGS:
		stat->flags = value;
		break;
	case FIELD_THREADS:
		stat->threads = value;
		break;
	case FIELD_START_TIME:
		stat->start_ticks = value;
		break;
	case FIELD_START_STACK:
		stat->start_stack = value;
		break;
	case FIELD_START_BRK:
		stat->start_brk = value;
		break;
	default:
		break;
	}
}

bool pm_process_stat_parse(const char *text, size_t length, struct pm_process_stat *stat)
{
	/* The name stands between the first `(` and the last `)`, and may hold blanks, newlines and brackets of its own. */
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	if (!open || !close || close < open || close[1] != ' ' || close[2] == '\0')
		return false;
	*stat = (struct pm_process_stat){ .state = close[2] };
	size_t comm_length = (size_t)(close - open - 1);
	if (comm_length >= sizeof stat->comm)
		comm_length = sizeof stat->comm - 1;
	memcpy(stat->comm, open + 1, comm_length);

	const char *at = close + 3;
	int field = FIELD_STATE + 1;
	for (; *at == ' '; field++) {
		at++;
		if (*at == '-')
			at++;
		uint64_t value;
		if (!pm_scan_decimal(&at, &value))
			break;
		store_field(stat, field, value);
	}
	return field > FIELD_START_TIME;
}

int pm_process_stat_read(const struct pm_procfs *procfs, const char *name, struct pm_process_stat *stat)
{
	char *text;
	size_t length;
	if (pm_procfs_read(procfs, name, &text, &length) < 0)
		return -1;
	bool good = pm_process_stat_parse(text, length, stat);
	free(text);
	if (!good) {
		errno = EPROTO;
		return -1;
	}
	return 0;
}
