/* SPDX-License-Identifier: MIT */
#include "proc/process_stat.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/number.h"

enum { FIELD_STATE = 3, FIELD_START_TIME = 22 };

/** The fields to parse, by their numbers in proc_pid_stat(5). */
static const struct {
	int field;
	size_t offset; /* offset of the member in struct pm_process_stat */
} fields[] = {
	{ 4, offsetof(struct pm_process_stat, parent) },
	{ 5, offsetof(struct pm_process_stat, group) },
	{ 6, offsetof(struct pm_process_stat, session) },
	{ 9, offsetof(struct pm_process_stat, flags) },
	{ 14, offsetof(struct pm_process_stat, user_ticks) },
	{ 15, offsetof(struct pm_process_stat, system_ticks) },
	{ 16, offsetof(struct pm_process_stat, children_user_ticks) },
	{ 17, offsetof(struct pm_process_stat, children_system_ticks) },
	{ 20, offsetof(struct pm_process_stat, threads) },
	{ FIELD_START_TIME, offsetof(struct pm_process_stat, start_ticks) },
	{ 26, offsetof(struct pm_process_stat, start_code) },
	{ 28, offsetof(struct pm_process_stat, start_stack) },
	{ 47, offsetof(struct pm_process_stat, start_brk) },
};

static void store_field(struct pm_process_stat *stat, int field, uint64_t value)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].field == field)
			memcpy((char *)stat + fields[i].offset, &value, sizeof value);
}

bool pm_process_stat_parse(const char *text, size_t length, struct pm_process_stat *stat)
{
	/* The name is the text between the first `(` and the last `)`. It may itself contain
	 * spaces, newlines and brackets. */
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	if (!open || !close || close < open || close[1] != ' ' || close[2] == '\0')
		return false;

	*stat = (struct pm_process_stat){ .state = close[2] };
	size_t comm_length = pm_min_size((size_t)(close - open - 1), sizeof stat->comm - 1);
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

int pm_process_stat_read(const struct pm_procfs *procfs, const char *name,
                         struct pm_process_stat *stat)
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
