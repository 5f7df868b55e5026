/* SPDX-License-Identifier: MIT */
/**
 * @file Opens the SQLite database of a recording, checks its format version, runs statements and
 * reports errors. Private.
 */
#ifndef PM_RECORDING_DATABASE_H
#define PM_RECORDING_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include <procmem/error.h>

/** An open database. */
struct pm_database {
	sqlite3 *handle;  /**< connection */
	char *path;       /**< path of the file, for error messages; owned */
	bool made;        /**< pm_database_create() has created the file */
	bool has_samples; /**< the file has a sample: set by the recorder */
};

/**
 * Opens a recording for reading.
 *
 * @param database  filled; release with pm_database_close()
 * @param path      the file
 * @param error     PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT, PM_ERROR_IO
 * @return          0 or -1
 */
int pm_database_open(struct pm_database *database, const char *path, struct pm_error *error);

/**
 * Opens a recording for writing; creates the tables if the file is missing or empty.
 *
 * @param database  filled; release with pm_database_close()
 * @param path      the file
 * @param error     PM_ERROR_FORMAT, PM_ERROR_IO
 * @return          0 or -1
 */
int pm_database_create(struct pm_database *database, const char *path, struct pm_error *error);

/**
 * Closes a database. If pm_database_create() has created the file, and the file has no samples, the
 * file is removed.
 * @param database an open or zeroed database
 */
void pm_database_close(struct pm_database *database);

/**
 * Describes the last failure of SQLite in `error`.
 *
 * @param database  the database
 * @param doing     the failed operation, as a verb for the message: "open", "read", "write" or
 *                  "use"
 * @param error     filled
 * @return          -1
 */
int pm_database_failed(const struct pm_database *database, const char *doing,
                       struct pm_error *error);

/**
 * Runs statements that return no rows.
 *
 * @param database  the database
 * @param sql       one or more statements
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          0 or -1
 */
int pm_database_run(const struct pm_database *database, const char *sql, struct pm_error *error);

/**
 * Compiles a statement.
 *
 * @param database   the database
 * @param sql        one statement
 * @param statement  receives the statement; release with sqlite3_finalize()
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
int pm_database_prepare(const struct pm_database *database, const char *sql,
                        sqlite3_stmt **statement, struct pm_error *error);

/**
 * Checks whether a table exists. Recordings made by early versions of procmem lack some tables.
 *
 * @param database  the database
 * @param name      name of the table
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          1 if the table exists, 0 if not, -1 on errors
 */
int pm_database_has_table(const struct pm_database *database, const char *name,
                          struct pm_error *error);

/**
 * Runs a statement that returns no rows, then resets the statement and clears its parameters.
 *
 * @param database   the database
 * @param statement  a compiled statement, all parameters bound
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
int pm_statement_finish(const struct pm_database *database, sqlite3_stmt *statement,
                        struct pm_error *error);

/**
 * Runs a statement until its next row.
 *
 * @param database   the database
 * @param statement  a compiled statement
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           1 if there is a row, 0 after the last row, -1 on errors
 */
int pm_statement_next(const struct pm_database *database, sqlite3_stmt *statement,
                      struct pm_error *error);

/**
 * Binds an unsigned number to a parameter. SQLite has only signed 64-bit integers: values of 2^63
 * and more are stored as negative numbers.
 *
 * @param statement  the statement
 * @param column     index of the parameter, from 1
 * @param value      the number
 */
static inline void pm_bind(sqlite3_stmt *statement, int column, uint64_t value)
{
	sqlite3_bind_int64(statement, column, (sqlite3_int64)value);
}

/**
 * Returns a number from a column that was stored by pm_bind().
 *
 * @param statement  the statement, at a row
 * @param column     index of the column, from 0
 * @return           the number
 */
static inline uint64_t pm_column(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

/**
 * Returns the text of a column.
 *
 * @param statement  the statement, at a row
 * @param column     index of the column, from 0
 * @return           the text, or "" if the column is NULL; valid until the statement moves to the
 *                   next row
 */
static inline const char *pm_column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return text ? text : "";
}

#endif
