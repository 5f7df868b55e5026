/* SPDX-License-Identifier: MIT */
/*
 * A recording is an SQLite database with its own application ID and format version. The file may
 * come from an untrusted source: no SQL from the file (views, triggers) is executed, and no
 * statement is built from its contents.
 */
#include "recording/database.h"

#include <procmem/recording.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "recording/stored_chunks.h"
#include "recording/stored_detail.h"
#include "recording/stored_limits.h"
#include "recording/stored_owners.h"
#include "recording/stored_sites.h"
#include "recording/stored_stacks.h"

/* "pmem" in ASCII. SQLite stores this ID in the header of the file; file(1) shows it. */
enum { APPLICATION_ID = 0x706d656d };

/*
 * Maximum time to wait for a lock that another process holds, in milliseconds. A transaction of a
 * recorder takes much less time.
 */
enum { BUSY_MS = 2000 };

/* Time until a statement is repeated that SQLite did not let wait, in milliseconds. */
enum { BUSY_STEP_MS = 5 };

/* Size of the smallest database of SQLite in bytes: one page. */
enum { DATABASE_MIN = 512 };

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

/*
 * Tables that were added after the first release of the format. An older file receives them when
 * samples are added to it.
 */
static const char later_schema[] = PM_STORED_LIMITS_SCHEMA
	"CREATE TABLE IF NOT EXISTS ending (sample INTEGER PRIMARY KEY, why TEXT NOT "
	"NULL);" PM_STORED_DETAIL_SCHEMA PM_STORED_CHUNKS_SCHEMA PM_STORED_STACKS_SCHEMA
		PM_STORED_SITES_SCHEMA PM_STORED_OWNERS_SCHEMA;

/** Returns what a failed write means for earlier samples, as the end of a sentence. */
static const char *consequence(const struct pm_database *database)
{
	return database->has_samples ? "; earlier samples remain readable" : "";
}

/**
 * Checks whether a write failed while the size of files is limited. SQLite does not pass on the
 * error EFBIG. A write to a disk fails for other reasons only if the disk is damaged.
 * @param limit  receives the limit in bytes; unchanged if the function returns false
 */
static bool is_too_large(const struct pm_database *database, unsigned long long *limit)
{
	int code = sqlite3_extended_errcode(database->handle);
	struct rlimit sizes;

	if (code != SQLITE_IOERR_WRITE && code != SQLITE_IOERR_SHMSIZE &&
	    code != SQLITE_IOERR_TRUNCATE)
		return false;
	if (getrlimit(RLIMIT_FSIZE, &sizes) < 0 || sizes.rlim_cur == RLIM_INFINITY)
		return false;

	*limit = sizes.rlim_cur;
	return true;
}

/**
 * Fills an error about a recording that SQLite would have to write before it can be read, although
 * it was opened for reading only.
 * @return -1
 */
static int unrestored(const struct pm_database *database, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0,
	                    "cannot read %s: its last write was interrupted; as a user who may "
	                    "write the file and its directory, run 'sqlite3 %s .tables', which "
	                    "restores the samples before that write from the file beside it",
	                    database->path, database->path);
}

int pm_database_failed(const struct pm_database *database, const char *doing,
                       struct pm_error *error)
{
	int code = sqlite3_errcode(database->handle);
	int cause = sqlite3_system_errno(database->handle);
	const char *path = database->path, *message = sqlite3_errmsg(database->handle);
	unsigned long long limit;
	enum pm_error_kind kind = cause == ENOENT ? PM_ERROR_NOT_FOUND : PM_ERROR_IO;

	if (code == SQLITE_NOMEM)
		return pm_error_out_of_memory(error);
	if (code == SQLITE_NOTADB)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is not a recording of procmem",
		                    path);

	/*
	 * The statements of procmem are correct for the tables of a recording, so SQLITE_ERROR
	 * means that the file has other tables.
	 */
	if (code == SQLITE_CORRUPT || code == SQLITE_ERROR)
		return pm_error_set(
			error, PM_ERROR_FORMAT, 0,
			"%s is damaged; 'sqlite3 %s .recover' prints what can still be read", path,
			path);

	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return pm_error_set(error, PM_ERROR_IO, EBUSY, "another program is writing to %s",
		                    path);
	if (is_too_large(database, &limit))
		return pm_error_set(error, PM_ERROR_IO, EFBIG,
		                    "cannot write %s: this process may write only files of up to "
		                    "%llu bytes: raise this limit (ulimit -f)%s",
		                    path, limit, consequence(database));
	if (code == SQLITE_FULL || cause == ENOSPC || cause == EDQUOT)
		return pm_error_set(error, PM_ERROR_IO, ENOSPC, "cannot %s %s: the disk is full%s",
		                    doing, path, consequence(database));
	if (code == SQLITE_READONLY)
		return unrestored(database, error);

	if (cause == 0)
		return pm_error_set(error, kind, 0, "cannot %s %s: %s", doing, path, message);

	return pm_error_set(error, kind, cause, "cannot %s %s: %s: %s", doing, path, message,
	                    strerror(cause));
}

/**
 * Waits before a statement is repeated that found the file locked. SQLite waits by default, but not
 * while another process changes the journal mode: then, it fails at once.
 *
 * @param until  the end of the waiting, on CLOCK_MONOTONIC in nanoseconds
 * @return       false if the last statement did not find the file locked, or if the time is over
 */
static bool await_lock(const struct pm_database *database, uint64_t until)
{
	if ((sqlite3_errcode(database->handle) & 0xff) != SQLITE_BUSY ||
	    pm_clock_ns(CLOCK_MONOTONIC) >= until)
		return false;
	sqlite3_sleep(BUSY_STEP_MS);
	return true;
}

/** Returns until when a locked file is awaited, on CLOCK_MONOTONIC in nanoseconds. */
static uint64_t lock_deadline(void)
{
	return pm_clock_ns(CLOCK_MONOTONIC) + BUSY_MS * UINT64_C(1000000);
}

int pm_database_run(const struct pm_database *database, const char *sql, struct pm_error *error)
{
	uint64_t until = lock_deadline();

	while (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		if (!await_lock(database, until))
			return pm_database_failed(database, "use", error);
	return 0;
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
	int result = 0;

	if (sqlite3_step(statement) != SQLITE_DONE)
		result = pm_database_failed(database, "write", error);

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
	if (code == SQLITE_DONE)
		return 0;
	return pm_database_failed(database, "read", error);
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
	uint64_t until = lock_deadline();
	sqlite3_stmt *statement;
	int result;

	do {
		if (pm_database_prepare(database, sql, &statement, error) < 0) {
			result = -1;
			continue;
		}
		result = pm_statement_next(database, statement, error);
		if (result > 0)
			*value = sqlite3_column_int64(statement, 0);
		sqlite3_finalize(statement);
	} while (result < 0 && await_lock(database, until));
	return result > 0 ? 0 : -1;
}

/**
 * Checks that the database either is empty or is a recording in a supported format version.
 * @param empty  receives whether the database has no tables yet
 * @return       0 or -1
 */
static int check_format(const struct pm_database *database, bool *empty, struct pm_error *error)
{
	int64_t application = 0, version = 0;

	/* Another program may create the tables between these statements, and set both values in
	 * one transaction. If the application ID is read last, it is never older. */
	if (read_pragma(database, "PRAGMA user_version", &version, error) < 0 ||
	    read_pragma(database, "PRAGMA application_id", &application, error) < 0)
		return -1;

	*empty = application == 0 && version == 0;
	if (*empty)
		return 0;

	if (application != APPLICATION_ID)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is not a recording of procmem, but another database",
		                    database->path);
	if (version > PM_RECORDING_VERSION)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s was written by a newer procmem (format %lld; this version "
		                    "supports up to %d): use the newer version",
		                    database->path, (long long)version, PM_RECORDING_VERSION);

	return 0;
}

static int open_handle(struct pm_database *database, const char *path, int flags,
                       struct pm_error *error)
{
	database->path = strdup(path);
	if (!database->path)
		return pm_error_out_of_memory(error);
	if (sqlite3_open_v2(path, &database->handle, flags, NULL) != SQLITE_OK)
		return pm_database_failed(database, "open", error);

	/* The file is untrusted. Recordings have no views and no triggers, so disable both. */
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
	bool empty;

	*database = (struct pm_database){ 0 };
	if (access(path, R_OK) < 0) {
		int cause = errno;
		return pm_error_set(error, cause == ENOENT ? PM_ERROR_NOT_FOUND : PM_ERROR_IO,
		                    cause, "cannot open %s: %s", path, strerror(cause));
	}

	if (open_handle(database, path, SQLITE_OPEN_READONLY, error) == 0 &&
	    check_format(database, &empty, error) == 0) {
		if (!empty)
			return 0;
		pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is not a recording of procmem", path);
	}

	pm_database_close(database);
	return -1;
}

/**
 * Creates the tables in one transaction, so that after a failure the file has either all of them or
 * none. Does nothing if another program has created the tables since the caller found none.
 */
static int create_tables(const struct pm_database *database, struct pm_error *error)
{
	char end[128];
	bool empty = true;

	snprintf(end, sizeof end, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
	         APPLICATION_ID, PM_RECORDING_VERSION);
	if (pm_database_run(database, "BEGIN IMMEDIATE", error) == 0 &&
	    check_format(database, &empty, error) == 0) {
		if (!empty)
			return pm_database_run(database, "COMMIT", error);
		if (pm_database_run(database, schema, error) == 0 &&
		    pm_database_run(database, end, error) == 0)
			return 0;
	}

	sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static const char *file_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

/**
 * Fills an error about a file that could not be opened for writing, or is not a regular file.
 * @param cause   errno of open(2); 0 if the file could be opened
 * @param status  the file; NULL if its type is not known
 * @return        -1
 */
static int set_file_error(const char *path, int cause, const struct stat *status,
                          struct pm_error *error)
{
	if (status && !S_ISREG(status->st_mode))
		return pm_error_set(error, PM_ERROR_IO, EINVAL,
		                    "cannot write %s: it is %s, but a recording is a database and "
		                    "must be a regular file; use another file name",
		                    path, file_type(status->st_mode));
	if (cause == ELOOP)
		return pm_error_set(error, PM_ERROR_IO, cause,
		                    "cannot write %s: it is a symbolic link; give the path of the "
		                    "file it points to",
		                    path);

	return pm_error_set(error, PM_ERROR_IO, cause, "cannot write %s: %s", path,
	                    strerror(cause));
}

/**
 * Creates the file if it does not exist, readable only by its owner. SQLite would create a file
 * that all users can read.
 * @param made     receives whether this call has created the file
 * @param foreign  receives whether the file existed already and belongs neither to this user nor to
 *                 root
 */
static int create_file(const char *path, bool *made, bool *foreign, struct pm_error *error)
{
	/*
	 * O_NONBLOCK and O_NOCTTY: open(2) must not wait for the reader of a pipe, and must not
	 * acquire a controlling terminal.
	 */
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	struct stat status = { 0 };
	int fd = open(path, flags | O_EXCL, 0600);
	bool created = fd >= 0;

	if (!created && errno == EEXIST)
		fd = open(path, flags, 0600);

	if (fd < 0) {
		/* For a symbolic link such as /dev/stdout, report the type of its target. */
		int cause = errno;
		bool known = stat(path, &status) == 0;
		return set_file_error(path, cause, known ? &status : NULL, error);
	}

	int result = fstat(fd, &status);
	int cause = errno;
	close(fd);
	if (result < 0)
		return set_file_error(path, cause, NULL, error);
	if (!S_ISREG(status.st_mode))
		return set_file_error(path, 0, &status, error);

	/* SQLite takes a file of one byte for an empty one, and would overwrite it. */
	if (status.st_size > 0 && status.st_size < DATABASE_MIN)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is not a recording of procmem",
		                    path);

	*made = created;
	*foreign = !created && status.st_uid != geteuid() && status.st_uid != 0;
	return 0;
}

/**
 * Refuses to start a recording in a file of another user, who could read it: the names in memory
 * maps can be secrets.
 */
static int refuse_foreign(const char *path, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_ACCESS, EPERM,
	                    "cannot write %s: it is an empty file of another user, who could read "
	                    "the recording; use another file name",
	                    path);
}

/*
 * Use a write-ahead log, so that readers need not wait for the writer. SQLite moves the contents of
 * the log to the file each time that the log has 64 pages, so a copy of the file without the log
 * lacks only the last samples. Enable the log only after the tables were created, because the
 * application ID must be in the file itself.
 */
static const char write_mode[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 64";

int pm_database_create(struct pm_database *database, const char *path, struct pm_error *error)
{
	bool empty, foreign = false;

	*database = (struct pm_database){ 0 };
	if (create_file(path, &database->made, &foreign, error) < 0)
		return -1;

	if (open_handle(database, path, SQLITE_OPEN_READWRITE, error) == 0 &&
	    check_format(database, &empty, error) == 0 &&
	    (!empty || !foreign || refuse_foreign(path, error) == 0) &&
	    (!empty || create_tables(database, error) == 0) &&
	    pm_database_run(database, later_schema, error) == 0 &&
	    pm_database_run(database, write_mode, error) == 0)
		return 0;

	pm_database_close(database);
	return -1;
}

/**
 * Checks whether a file that this program has created contains a sample, which another recorder may
 * have added.
 */
static bool contains_sample(const struct pm_database *database)
{
	sqlite3_stmt *statement;

	if (!database->handle ||
	    pm_database_prepare(database, "SELECT 1 FROM sample LIMIT 1", &statement, NULL) < 0)
		return false;

	bool found = pm_statement_next(database, statement, NULL) > 0;
	sqlite3_finalize(statement);
	return found;
}

/**
 * Removes a file without samples, unless another program has the file open: each open database has
 * a lock on some of the bytes from 2^30 on (sqlite.org/src/file/src/os.h).
 */
static void remove_file(const char *path)
{
	static const char *const endings[] = { "", "-journal", "-wal", "-shm" };
	struct flock lock = { .l_type = F_WRLCK, .l_start = 1 << 30, .l_len = DATABASE_MIN };
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
			char name[PATH_MAX];
			if (snprintf(name, sizeof name, "%s%s", path, endings[i]) < PATH_MAX)
				unlink(name);
		}
	}

	if (fd >= 0)
		close(fd);
}

void pm_database_close(struct pm_database *database)
{
	bool unused = database->made && !database->has_samples && !contains_sample(database);

	sqlite3_close(database->handle);
	if (unused && database->path)
		remove_file(database->path);
	free(database->path);
	*database = (struct pm_database){ 0 };
}
