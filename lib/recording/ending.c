/* SPDX-License-Identifier: MIT */
/* How the process ended, where who recorded it has seen that. */
#include "recording/open_recording.h"

#include <stdio.h>

int pm_recording_ending(struct pm_recording *recording, char why[PM_ENDING_TEXT_SIZE],
                        struct pm_error *error)
{
	static const char sql[] =
		"SELECT why FROM ending WHERE sample = (SELECT max(number) FROM sample)";
	sqlite3_stmt *statement;
	int result = pm_database_has_table(&recording->database, "ending", error);

	if (result <= 0)
		return result;
	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;

	result = pm_statement_next(&recording->database, statement, error);
	if (result > 0)
		snprintf(why, PM_ENDING_TEXT_SIZE, "%s", pm_column_text(statement, 0));
	sqlite3_finalize(statement);

	return result;
}
