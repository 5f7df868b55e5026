/* SPDX-License-Identifier: MIT */
#include "recording/stored_owners.h"

#include <procmem/minmax.h>

const char pm_stored_owner_insert[] = "INSERT OR REPLACE INTO region_owner VALUES (?, ?, ?, ?)";

const char pm_stored_owner_select[] =
	"SELECT owner, proof, mixed FROM region_owner WHERE region = ?";

int pm_stored_owner_write(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                          const struct pm_region *region, struct pm_error *error)
{
	if (region->owner == PM_OWNER_UNKNOWN && !region->owner_mixed)
		return 0;

	pm_bind(statement, 1, (uint64_t)id);
	sqlite3_bind_text(statement, 2, pm_owner_name((enum pm_owner)region->owner), -1,
	                  SQLITE_STATIC);
	pm_bind(statement, 3, region->owner_proof);
	pm_bind(statement, 4, region->owner_mixed);
	return pm_statement_finish(database, statement, error);
}

/** Returns a stored proof. The file is untrusted. */
static enum pm_proof proof_of(uint64_t stored, enum pm_owner owner)
{
	if (owner == PM_OWNER_UNKNOWN)
		return PM_PROOF_NONE;
	return stored == PM_PROOF_PROVEN ? PM_PROOF_PROVEN : PM_PROOF_INFERRED;
}

int pm_stored_owner_read(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                         struct pm_region *region, struct pm_error *error)
{
	enum pm_owner owner = PM_OWNER_UNKNOWN;

	if (!statement)
		return 0;

	pm_bind(statement, 1, (uint64_t)id);
	int result = pm_statement_next(database, statement, error);

	if (result > 0) {
		/* An owner that was added by a later version of procmem is read as unknown. */
		pm_owner_parse(pm_column_text(statement, 0), &owner);
		region->owner = (uint8_t)owner;
		region->owner_proof = (uint8_t)proof_of(pm_column(statement, 1), owner);
		region->owner_mixed = pm_column(statement, 2) != 0;
	}

	sqlite3_reset(statement);
	return result < 0 ? -1 : 0;
}

/** Writes the sums of one owner. */
static int write_sum(const struct pm_database *database, sqlite3_stmt *statement, uint64_t number,
                     enum pm_owner owner, const struct pm_owner_sum *sum, struct pm_error *error)
{
	const uint64_t values[] = { sum->regions,
		                    sum->size,
		                    sum->largest,
		                    sum->bytes[PM_SIZE_RSS],
		                    sum->bytes[PM_SIZE_SWAP],
		                    sum->inferred };

	pm_bind(statement, 1, number);
	sqlite3_bind_text(statement, 2, pm_owner_name(owner), -1, SQLITE_STATIC);
	for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
		pm_bind(statement, 3 + i, values[i]);
	return pm_statement_finish(database, statement, error);
}

int pm_stored_owners_write(const struct pm_database *database, uint64_t number,
                           const struct pm_owner_sums *sums, struct pm_error *error)
{
	static const char sql[] = "INSERT OR REPLACE INTO owner VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
	sqlite3_stmt *statement;
	int result = 0;

	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	for (unsigned owner = 0; result == 0 && owner < PM_OWNER_COUNT; owner++)
		if (sums->items[owner].regions > 0)
			result = write_sum(database, statement, number, (enum pm_owner)owner,
			                   &sums->items[owner], error);

	sqlite3_finalize(statement);
	return result;
}

/** Adds a row. Owners that were added by later versions of procmem count as unknown. */
static void add_row(sqlite3_stmt *statement, struct pm_owner_sums *sums)
{
	enum pm_owner owner = PM_OWNER_UNKNOWN;

	pm_owner_parse(pm_column_text(statement, 0), &owner);

	struct pm_owner_sum *sum = &sums->items[owner];
	sum->regions += pm_column(statement, 1);
	sum->size += pm_column(statement, 2);
	sum->largest = pm_max(sum->largest, pm_column(statement, 3));
	sum->bytes[PM_SIZE_RSS] += pm_column(statement, 4);
	sum->bytes[PM_SIZE_SWAP] += pm_column(statement, 5);
	sum->inferred += pm_column(statement, 6);
	sum->known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
}

int pm_stored_owners_read(const struct pm_database *database, uint64_t number,
                          struct pm_owner_sums *sums, struct pm_error *error)
{
	static const char sql[] = "SELECT owner, regions, size, largest, rss, swap, inferred FROM "
				  "owner WHERE sample = ?";
	struct pm_owner_sums read = { 0 };
	sqlite3_stmt *statement;
	bool found = false;
	int result = pm_database_has_table(database, "owner", error);

	if (result <= 0)
		return result;
	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	while ((result = pm_statement_next(database, statement, error)) > 0) {
		add_row(statement, &read);
		found = true;
	}

	sqlite3_finalize(statement);
	if (result < 0)
		return -1;
	if (found)
		*sums = read;
	return found;
}
