/* SPDX-License-Identifier: MIT */
#include "recording/stored_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/** @return 1: there is a run; 0: none yet; -1: an error */
static int find_run(const struct pm_database *database, struct pm_process_id *run,
                    struct pm_error *error)
{
	sqlite3_stmt *statement;
	struct pm_process_id read = { 0 };

	if (pm_database_prepare(
		    database,
		    "SELECT pid, start_ticks, boot_id, host, comm, command FROM run LIMIT 1",
		    &statement, error) < 0)
		return -1;

	int result = pm_statement_next(database, statement, error);
	if (result > 0) {
		read.pid = (pid_t)sqlite3_column_int(statement, 0);
		read.start_ticks = pm_column(statement, 1);
		copy_text(read.boot_id, sizeof read.boot_id, pm_column_text(statement, 2));
		copy_text(read.host, sizeof read.host, pm_column_text(statement, 3));
		copy_text(read.comm, sizeof read.comm, pm_column_text(statement, 4));
		read.command = strdup(pm_column_text(statement, 5));
		if (!read.command)
			result = pm_error_out_of_memory(error);
		else
			*run = read;
	}

	sqlite3_finalize(statement);
	return result;
}

int pm_stored_process_read(const struct pm_database *database, struct pm_process_id *run,
                           struct pm_error *error)
{
	int found = find_run(database, run, error);
	if (found != 0)
		return found < 0 ? -1 : 0;
	return pm_error_set(
		error, PM_ERROR_FORMAT, 0,
		"%s has no samples yet; one that was copied while it was written needs its %s-wal",
		database->path, database->path);
}

static int write_run(const struct pm_database *database, const struct pm_process_id *run,
                     struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(database, "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)", &statement,
	                        error) < 0)
		return -1;

	const char *const texts[] = { run->boot_id, run->host, run->comm, run->command };
	pm_bind(statement, 1, (uint64_t)run->pid);
	pm_bind(statement, 2, run->start_ticks);

	for (int i = 0; i < 4; i++)
		sqlite3_bind_text(statement, 3 + i, texts[i], -1, SQLITE_STATIC);

	int result = pm_statement_finish(database, statement, error);
	sqlite3_finalize(statement);

	return result;
}

int pm_stored_process_claim(const struct pm_database *database, const struct pm_process_id *run,
                            struct pm_error *error)
{
	struct pm_process_id stored = { 0 };
	int found = find_run(database, &stored, error);
	if (found <= 0)
		return found < 0 ? -1 : write_run(database, run, error);

	bool same = pm_process_id_equal(&stored, run);
	free((char *)stored.command);
	if (same)
		return 0;

	return pm_error_set(
		error, PM_ERROR_FORMAT, 0,
		"%s is a recording of another process (%s, PID %d): choose another file",
		database->path, stored.comm, (int)stored.pid);
}
