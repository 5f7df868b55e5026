/* SPDX-License-Identifier: MIT */
#include "recording/database.h"

#include <procmem/recording.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "recording/stored_detail.h"

/* "pmem" in the file's header tells file(1) and us whose database it is. */
enum { APPLICATION_ID = 0x706d656d, BUSY_MS = 2000 };

/* docs/RECORDING.md explains every column. */
static const char schema[] =
	"CREATE TABLE run (pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL, boot_id TEXT NOT "
	"NULL, host TEXT NOT NULL, comm TEXT NOT NULL,"
	" command TEXT NOT NULL);"
	"CREATE TABLE sample (number INTEGER PRIMARY KEY, time REAL NOT NULL, wall_ns INTEGER NOT "
	"NULL, fresh INTEGER NOT NULL,"
	" size INTEGER NOT NULL, rss INTEGER NOT NULL, anon INTEGER NOT NULL, file INTEGER NOT "
	"NULL, shmem INTEGER NOT NULL,"
	" swap INTEGER NOT NULL, pte INTEGER NOT NULL, threads INTEGER NOT NULL);"
	"CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);"
	"CREATE TABLE region (id INTEGER PRIMARY KEY, first_sample INTEGER NOT NULL, until_sample "
	"INTEGER, start_address INTEGER NOT NULL,"
	" end_address INTEGER NOT NULL, perms INTEGER NOT NULL, offset INTEGER NOT NULL, "
	"device_major INTEGER NOT NULL,"
	" device_minor INTEGER NOT NULL, inode INTEGER NOT NULL, deleted INTEGER NOT NULL, "
	"vm_flags INTEGER NOT NULL, kind TEXT NOT NULL,"
	" proof INTEGER NOT NULL, thread INTEGER NOT NULL, arena INTEGER NOT NULL, mapping INTEGER "
	"NOT NULL, detail INTEGER NOT NULL,"
	" why INTEGER NOT NULL);"
	"CREATE TABLE size (region INTEGER NOT NULL, sample INTEGER NOT NULL, rss INTEGER NOT "
	"NULL, swap INTEGER NOT NULL,"
	" PRIMARY KEY (region, sample)) WITHOUT ROWID;"
	"CREATE TABLE smaps (region INTEGER NOT NULL, sample INTEGER NOT NULL, name TEXT NOT NULL, "
	"bytes INTEGER NOT NULL,"
	" PRIMARY KEY (region, sample, name)) WITHOUT ROWID;"
	"CREATE INDEX region_until ON region (until_sample, first_sample);";

/* What was added to the first form of the format: files of before have it not, and get it when they
 * are continued. */
static const char later_schema[] =
	"CREATE TABLE IF NOT EXISTS headroom (sample INTEGER NOT NULL, name TEXT NOT NULL, max "
	"INTEGER NOT NULL, used INTEGER NOT NULL,"
	" reclaimable INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (sample, name)) "
	"WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS ending (sample INTEGER PRIMARY KEY, why TEXT NOT "
	"NULL);" PM_STORED_DETAIL_SCHEMA;

int pm_database_failed(const struct pm_database *database, const char *doing,
                       struct pm_error *error)
{
	int code = sqlite3_errcode(database->handle),
	    cause = sqlite3_system_errno(database->handle);
	if (code == SQLITE_NOMEM)
		return pm_error_out_of_memory(error);
	if (code == SQLITE_NOTADB)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is no recording of procmem",
		                    database->path);

	/* SQLITE_ERROR: our statements are constant, so it is the tables that are not as we made
	 * them. */
	if (code == SQLITE_CORRUPT || code == SQLITE_ERROR)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is damaged; `sqlite3 %s .recover` saves what is left",
		                    database->path, database->path);

	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return pm_error_set(error, PM_ERROR_IO, EBUSY, "another program is writing to %s",
		                    database->path);
	if (code == SQLITE_FULL || cause == ENOSPC || cause == EDQUOT)
		return pm_error_set(
			error, PM_ERROR_IO, ENOSPC,
			"cannot %s %s: the disk is full; what was recorded before stays readable",
			doing, database->path);

	return pm_error_set(error, cause == ENOENT ? PM_ERROR_NOT_FOUND : PM_ERROR_IO, cause,
	                    "cannot %s %s: %s%s%s", doing, database->path,
	                    sqlite3_errmsg(database->handle), cause ? ": " : "",
	                    cause ? strerror(cause) : "");
}

int pm_database_run(const struct pm_database *database, const char *sql, struct pm_error *error)
{
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK
	               ? 0
	               : pm_database_failed(database, "use", error);
}

int pm_database_prepare(const struct pm_database *database, const char *sql,
                        sqlite3_stmt **statement, struct pm_error *error)
{
	if (sqlite3_prepare_v2(database->handle, sql, -1, statement, NULL) != SQLITE_OK)
		return pm_database_failed(database, "use", error);
	return 0;
}

int pm_statement_finish(const struct pm_database *database, sqlite3_stmt *statement,
                        struct pm_error *error)
{
	int result = sqlite3_step(statement) == SQLITE_DONE
	                     ? 0
	                     : pm_database_failed(database, "write", error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result;
}

int pm_statement_next(const struct pm_database *database, sqlite3_stmt *statement,
                      struct pm_error *error)
{
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : pm_database_failed(database, "read", error);
}

int pm_database_has_table(const struct pm_database *database, const char *name,
                          struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(database, "SELECT 1 FROM sqlite_master WHERE name = ?", &statement,
	                        error) < 0)
		return -1;

	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	int result = pm_statement_next(database, statement, error);
	sqlite3_finalize(statement);
	return result;
}

static int read_pragma(const struct pm_database *database, const char *sql, int64_t *value,
                       struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	int result = pm_statement_next(database, statement, error);
	if (result > 0)
		*value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result > 0 ? 0 : -1;
}

/**
 * Whether it is a recording of a version that we know.
 * @param made where to store false for an empty database
 */
static int check_format(const struct pm_database *database, bool *made, struct pm_error *error)
{
	int64_t application = 0, version = 0;
	if (read_pragma(database, "PRAGMA application_id", &application, error) < 0 ||
	    read_pragma(database, "PRAGMA user_version", &version, error) < 0)
		return -1;

	*made = application != 0 || version != 0;
	if (!*made)
		return 0;
	if (application != APPLICATION_ID)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is no recording of procmem, but another database",
		                    database->path);
	if (version > PM_RECORDING_VERSION)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s was written by a newer procmem (format %lld, known is %d): "
		                    "use that one",
		                    database->path, (long long)version, PM_RECORDING_VERSION);

	return 0;
}

static int open_handle(struct pm_database *database, const char *path, int flags,
                       struct pm_error *error)
{
	*database = (struct pm_database){ .path = strdup(path) };
	if (!database->path)
		return pm_error_out_of_memory(error);
	if (sqlite3_open_v2(path, &database->handle, flags, NULL) != SQLITE_OK)
		return pm_database_failed(database, "open", error);

	/* The file may come from elsewhere. Recordings have neither views nor triggers: nothing in
	 * a file is to be run. */
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_extended_result_codes(database->handle, 0);
	sqlite3_busy_timeout(database->handle, BUSY_MS);

	return 0;
}

int pm_database_open(struct pm_database *database, const char *path, struct pm_error *error)
{
	bool made;

	if (access(path, R_OK) < 0) {
		int cause = errno;
		*database = (struct pm_database){ 0 };
		return pm_error_set(error, cause == ENOENT ? PM_ERROR_NOT_FOUND : PM_ERROR_IO,
		                    cause, "cannot open %s: %s", path, strerror(cause));
	}

	if (open_handle(database, path, SQLITE_OPEN_READONLY, error) == 0 &&
	    check_format(database, &made, error) == 0) {
		if (made)
			return 0;
		pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is no recording of procmem", path);
	}

	pm_database_close(database);
	return -1;
}

/** Makes the tables, all or nothing. */
static int make_schema(const struct pm_database *database, struct pm_error *error)
{
	char marks[128];
	snprintf(marks, sizeof marks,
	         "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION_ID,
	         PM_RECORDING_VERSION);
	if (pm_database_run(database, "BEGIN IMMEDIATE", error) == 0 &&
	    pm_database_run(database, schema, error) == 0 &&
	    pm_database_run(database, marks, error) == 0)
		return 0;

	sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int say_no_file(const char *path, mode_t mode, struct pm_error *error)
{
	const char *what = S_ISDIR(mode)    ? "a directory"
	                   : S_ISFIFO(mode) ? "a named pipe"
	                   : S_ISSOCK(mode) ? "a socket"
	                                    : "a device";

	return pm_error_set(error, PM_ERROR_IO, EINVAL,
	                    "cannot write %s: it is %s, and a recording is a database, which needs "
	                    "a regular file; name a new one",
	                    path, what);
}

/** Makes the file where there is none: SQLite would give it to everybody whom the umask allows. */
static int make_file(const char *path, struct pm_error *error)
{
	struct stat status = { 0 };
	/* Neither a pipe that nobody reads nor a terminal is to be waited for. */
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	              0600),
	    cause = errno;
	bool known = fd < 0 ? stat(path, &status) == 0 : fstat(fd, &status) == 0;

	if (fd >= 0)
		close(fd);

	/* What a link leads to says more than that it is one: /dev/stdout. */
	if (known && !S_ISREG(status.st_mode))
		return say_no_file(path, status.st_mode, error);
	if (fd >= 0)
		return 0;

	return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: %s", path,
	                    cause == ELOOP ? "it is a symbolic link; name the file itself"
	                                   : strerror(cause));
}

/*
 * What others see while we write: readers do not wait for us with a write-ahead log, and it goes
 * into the file itself every 64 pages, so that a copy of the file alone lacks little. That comes
 * after the tables: the mark by which the file is known must be in itself.
 */
static const char writing[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 64";

int pm_database_create(struct pm_database *database, const char *path, struct pm_error *error)
{
	bool made;

	*database = (struct pm_database){ 0 };
	if (make_file(path, error) < 0)
		return -1;

	if (open_handle(database, path, SQLITE_OPEN_READWRITE, error) == 0 &&
	    check_format(database, &made, error) == 0 &&
	    (made || make_schema(database, error) == 0) &&
	    pm_database_run(database, later_schema, error) == 0 &&
	    pm_database_run(database, writing, error) == 0)
		return 0;

	pm_database_close(database);
	return -1;
}

void pm_database_close(struct pm_database *database)
{
	sqlite3_close(database->handle);
	free(database->path);
	*database = (struct pm_database){ 0 };
}

bool pm_recording_is(const char *path)
{
	/* The database's header: a magic text, and the application's mark at offset 68, big-endian
	 * (sqlite.org/fileformat2.html). */
	unsigned char header[100];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;

	ssize_t got = pm_read(fd, header, sizeof header);
	close(fd);

	return got == (ssize_t)sizeof header && memcmp(header, "SQLite format 3", 16) == 0 &&
	       memcmp(header + 68, "pmem", 4) == 0;
}
