/* SPDX-License-Identifier: MIT */
#include "recording/process_id.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"

bool pm_process_id_equal(const struct pm_process_id *one, const struct pm_process_id *other)
{
	return one->pid == other->pid && one->start_ticks == other->start_ticks &&
	       strcmp(one->boot_id, other->boot_id) == 0;
}

int pm_process_id_copy(const struct pm_process_id *from, struct pm_process_id *copy,
                       struct pm_error *error)
{
	char *command = NULL;

	if (from->command) {
		command = strdup(from->command);
		if (!command)
			return pm_error_out_of_memory(error);
	}

	*copy = *from;
	copy->command = command;
	return 0;
}

void pm_process_id_deinit(struct pm_process_id *id)
{
	free(id->command);
	*id = (struct pm_process_id){ 0 };
}

/**
 * Reads the ID of this boot. PID and start time identify a process only together with the boot ID,
 * because the start time is counted from the boot.
 * @param root     directory of procfs
 * @param boot_id  receives the ID, or "" if it cannot be read; has room for PM_BOOT_ID_SIZE bytes
 */
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
	if (length < 0)
		length = 0;

	boot_id[length] = '\0';
	boot_id[strcspn(boot_id, "\n")] = '\0';
}

int pm_process_id_read(struct pm_process *process, struct pm_process_id *id, struct pm_error *error)
{
	struct pm_process_info info;
	struct pm_process_id read = { .pid = pm_process_pid(process) };

	if (pm_process_read_info(process, &info, error) < 0 ||
	    pm_process_read_command(process, &read.command, error) < 0)
		return -1;

	read.start_ticks = info.start_ticks;
	memcpy(read.comm, info.comm, sizeof read.comm);
	read_boot_id(pm_process_root(process), read.boot_id);
	if (gethostname(read.host, sizeof read.host) < 0)
		read.host[0] = '\0';
	read.host[sizeof read.host - 1] = '\0';

	*id = read;
	return 0;
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

/**
 * Reads the process identity stored in a recording.
 * @return 1 if an identity is stored, 0 if not, -1 on errors
 */
static int find(const struct pm_database *database, struct pm_process_id *id,
                struct pm_error *error)
{
	static const char sql[] =
		"SELECT pid, start_ticks, boot_id, host, comm, command FROM run LIMIT 1";
	sqlite3_stmt *statement;
	struct pm_process_id read = { 0 };

	if (pm_database_prepare(database, sql, &statement, error) < 0)
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
			*id = read;
	}

	sqlite3_finalize(statement);
	return result;
}

int pm_process_id_load(const struct pm_database *database, struct pm_process_id *id,
                       struct pm_error *error)
{
	int found = find(database, id, error);

	if (found < 0)
		return -1;
	if (found > 0)
		return 0;

	return pm_error_set(error, PM_ERROR_FORMAT, 0,
	                    "%s has no samples; if a program wrote to the original while you "
	                    "copied it, copy the file ORIGINAL-wal, too, to %s-wal",
	                    database->path, database->path);
}

static int store(const struct pm_database *database, const struct pm_process_id *id,
                 struct pm_error *error)
{
	const char *const texts[] = { id->boot_id, id->host, id->comm, id->command };
	sqlite3_stmt *statement;

	if (pm_database_prepare(database, "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)", &statement,
	                        error) < 0)
		return -1;

	pm_bind(statement, 1, (uint64_t)id->pid);
	pm_bind(statement, 2, id->start_ticks);
	for (int i = 0; i < 4; i++)
		sqlite3_bind_text(statement, 3 + i, texts[i], -1, SQLITE_STATIC);

	int result = pm_statement_finish(database, statement, error);
	sqlite3_finalize(statement);

	return result;
}

/** Stores an identity, or compares it with the one that is stored already. */
static int claim(const struct pm_database *database, const struct pm_process_id *id,
                 struct pm_error *error)
{
	struct pm_process_id stored = { 0 };
	int found = find(database, &stored, error);
	int result = 0;

	if (found < 0)
		return -1;
	if (found == 0)
		return store(database, id, error);

	if (!pm_process_id_equal(&stored, id))
		result = pm_error_set(
			error, PM_ERROR_FORMAT, 0,
			"%s is a recording of another process (%s, PID %d): choose another file",
			database->path, stored.comm, (int)stored.pid);

	pm_process_id_deinit(&stored);
	return result;
}

int pm_process_id_claim(const struct pm_database *database, const struct pm_process_id *id,
                        struct pm_error *error)
{
	/* In a transaction, so that two programs cannot both find no identity and store one. */
	if (pm_database_run(database, "BEGIN IMMEDIATE", error) < 0)
		return -1;
	if (claim(database, id, error) == 0 && pm_database_run(database, "COMMIT", error) == 0)
		return 0;

	sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}
