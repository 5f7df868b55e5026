/* SPDX-License-Identifier: MIT */
/**
 * @file The SQLite database behind recordings: opening, the format's version, statements, errors.
 * Private.
 */
#ifndef PM_RECORDING_DATABASE_H
#define PM_RECORDING_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include <procmem/error.h>

/** An open database. */
struct pm_database {
	sqlite3 *handle; /**< SQLite's */
	char *path;      /**< for errors; owned */
};

/**
 * Opens a recording for reading.
 * @param database filled; release with pm_database_close()
 * @return 0 or -1
 */
int pm_database_open(struct pm_database *database, const char *path, struct pm_error *error);

/**
 * Opens a recording for writing; makes it where there is none or the file is empty.
 * @return 0 or -1
 */
int pm_database_create(struct pm_database *database, const char *path, struct pm_error *error);

/** Closes it. Harmless on a zeroed one. */
void pm_database_close(struct pm_database *database);

/**
 * Fills an error from what SQLite says about the last call.
 * @return -1
 */
int pm_database_failed(const struct pm_database *database, const char *doing,
                       struct pm_error *error);

/**
 * Runs statements that give nothing back.
 * @return 0 or -1
 */
int pm_database_run(const struct pm_database *database, const char *sql, struct pm_error *error);

/**
 * Compiles a statement.
 * @param statement where to store it; release with sqlite3_finalize()
 * @return 0 or -1
 */
int pm_database_prepare(const struct pm_database *database, const char *sql,
                        sqlite3_stmt **statement, struct pm_error *error);

/**
 * Whether there is a table: files of the first versions lack some.
 * @param name of it
 * @return 1, 0 or -1
 */
int pm_database_has_table(const struct pm_database *database, const char *name,
                          struct pm_error *error);

/**
 * Runs a statement that gives nothing back, and makes it ready for the next time.
 * @return 0 or -1
 */
int pm_statement_finish(const struct pm_database *database, sqlite3_stmt *statement,
                        struct pm_error *error);

/**
 * Fetches the next row.
 * @return 1: there is one; 0: no more; -1: an error
 */
int pm_statement_next(const struct pm_database *database, sqlite3_stmt *statement,
                      struct pm_error *error);

/**
 * Binds an unsigned number: SQLite's integers have 64 bits with a sign, addresses above 2^63 become
 * negative.
 * @param column from 1
 */
static inline void pm_bind(sqlite3_stmt *statement, int column, uint64_t value)
{
	sqlite3_bind_int64(statement, column, (sqlite3_int64)value);
}

/**
 * The reverse.
 * @param column from 0
 */
static inline uint64_t pm_column(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

/**
 * Text of a column.
 * @param column from 0
 * @return "" for NULL; valid until the next row
 */
static inline const char *pm_column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return text ? text : "";
}

#endif
