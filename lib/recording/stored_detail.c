/* SPDX-License-Identifier: MIT */
/*
 * Stores the details of regions in a recording. Each element of a list in a detail is a row of the
 * table `fact`; a detail without a list is one row. Types, runtimes, allocators and places are
 * stored as words, so that the values of the enums may change. If the type is not known because a
 * later version of procmem wrote the recording, the detail is the formatted text that is stored
 * with the region (PM_DETAIL_TEXT).
 */
#include "recording/stored_detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/** Columns of the table, numbered from 0. */
enum column {
	REGION,
	ITEM,
	TYPE,
	RUNTIME,
	ALLOCATOR,
	PLACE,
	COUNT,
	FOUND,
	SMALLEST,
	LARGEST,
	COVERED,
	START,
	ARENA,
	ARENA_NUMBER,
	HEAP,
	HEAPS,
	THREAD,
	NAME,
	SHMID,
};

const char pm_stored_detail_insert[] = "INSERT OR REPLACE INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, "
				       "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

const char pm_stored_detail_select[] =
	"SELECT region, item, type, runtime, allocator, place, count, found, smallest, largest, "
	"covered, start_address, arena, arena_number, heap, heaps, thread, name, shmid FROM fact "
	"WHERE region = ? ORDER BY item";

static const char *const types[PM_DETAIL_COUNT] = {
	[PM_DETAIL_CHUNKS] = "chunks",
	[PM_DETAIL_ARENA] = "arena",
	[PM_DETAIL_ARENA_REST] = "arena_rest",
	[PM_DETAIL_ARENA_UNREAD] = "arena_unread",
	[PM_DETAIL_ARENA_UNREAD_REST] = "arena_unread_rest",
	[PM_DETAIL_THREADS] = "threads",
	[PM_DETAIL_THREAD_GUARD] = "thread_guard",
	[PM_DETAIL_FIRST_THREAD] = "first_thread",
	[PM_DETAIL_NO_THREAD] = "no_thread",
	[PM_DETAIL_UNKNOWN_THREAD] = "unknown_thread",
	[PM_DETAIL_RELRO] = "relro",
	[PM_DETAIL_SYSV] = "sysv",
	[PM_DETAIL_SYSV_ID] = "sysv_id",
	[PM_DETAIL_POSIX] = "posix",
	[PM_DETAIL_MEMFD] = "memfd",
	[PM_DETAIL_SHARED_ANONYMOUS] = "shared_anonymous",
	[PM_DETAIL_RUNTIME_HEAP] = "runtime_heap",
	[PM_DETAIL_RUNTIME_HEAP_REST] = "runtime_heap_rest",
	[PM_DETAIL_RUNTIME_CODE] = "runtime_code",
	[PM_DETAIL_RUNTIME_CODE_TWICE] = "runtime_code_twice",
	[PM_DETAIL_RUNTIME_COUNTERS] = "runtime_counters",
	[PM_DETAIL_CODE_REST] = "code_rest",
	[PM_DETAIL_CODE_RECORD] = "code_record",
	[PM_DETAIL_ALLOCATOR] = "allocator",
	[PM_DETAIL_OWNER] = "owner",
	[PM_DETAIL_NO_ACCESS] = "no_access",
};

static const char *const runtimes[PM_RUNTIME_COUNT] = {
	[PM_RUNTIME_GO] = "go",     [PM_RUNTIME_JAVA] = "java",     [PM_RUNTIME_DOTNET] = "dotnet",
	[PM_RUNTIME_NODE] = "node", [PM_RUNTIME_LUAJIT] = "luajit", [PM_RUNTIME_MONO] = "mono",
	[PM_RUNTIME_DART] = "dart",
};

static const char *const allocators[PM_ALLOCATOR_COUNT] = {
	[PM_ALLOCATOR_JEMALLOC] = "jemalloc",
	[PM_ALLOCATOR_TCMALLOC] = "tcmalloc",
	[PM_ALLOCATOR_MIMALLOC] = "mimalloc",
};

static const char *const places[PM_CHUNK_PLACE_COUNT] = {
	[PM_CHUNKS_FILL] = "fill",
	[PM_CHUNKS_FIRST] = "first",
	[PM_CHUNKS_LAST] = "last",
	[PM_CHUNKS_SCATTERED] = "scattered",
};

/**
 * Binds the word at an index of `words` to a column. Leaves the column NULL if there is no word at
 * this index.
 */
static void bind_word(sqlite3_stmt *statement, enum column column, const char *const *words,
                      unsigned index)
{
	if (words[index])
		sqlite3_bind_text(statement, (int)column + 1, words[index], -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, enum column column, uint64_t value)
{
	pm_bind(statement, (int)column + 1, value);
}

static void bind_heap(sqlite3_stmt *statement, const struct pm_detail_heap *heap)
{
	bind_number(statement, START, heap->start);
	bind_number(statement, ARENA, heap->arena);
	bind_number(statement, ARENA_NUMBER, heap->number);
	bind_number(statement, HEAP, heap->index);
	bind_number(statement, HEAPS, heap->of);
}

static void bind_thread(sqlite3_stmt *statement, const struct pm_detail *detail, uint32_t item)
{
	bind_number(statement, COUNT, detail->count);
	bind_number(statement, FOUND, detail->found);
	if (item >= detail->listed)
		return;

	bind_number(statement, THREAD, (uint64_t)detail->threads[item].tid);
	sqlite3_bind_text(statement, NAME + 1, detail->threads[item].name, -1, SQLITE_STATIC);
}

static void bind_chunks(sqlite3_stmt *statement, const struct pm_detail *detail)
{
	bind_word(statement, PLACE, places, detail->place);
	bind_number(statement, COUNT, detail->count);
	bind_number(statement, SMALLEST, detail->chunks.smallest);
	bind_number(statement, LARGEST, detail->chunks.largest);
	bind_number(statement, COVERED, detail->chunks.covered);
}

static void bind_item(sqlite3_stmt *statement, const struct pm_detail *detail, uint32_t item)
{
	switch (detail->type) {
	case PM_DETAIL_CHUNKS:
		bind_chunks(statement, detail);
		break;
	case PM_DETAIL_ARENA:
	case PM_DETAIL_ARENA_REST:
		if (item < detail->listed)
			bind_heap(statement, &detail->heaps[item]);
		break;
	case PM_DETAIL_THREADS:
	case PM_DETAIL_THREAD_GUARD:
		bind_thread(statement, detail, item);
		break;
	case PM_DETAIL_SYSV_ID:
		bind_number(statement, SHMID, detail->shmid);
		break;
	case PM_DETAIL_OWNER:
		sqlite3_bind_text(statement, NAME + 1, pm_owner_name((enum pm_owner)detail->owner),
		                  -1, SQLITE_STATIC);
		break;
	default:
		break;
	}
}

int pm_stored_detail_write(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                           const struct pm_detail *detail, struct pm_error *error)
{
	uint32_t items = detail->listed > 0 ? detail->listed : 1;

	if (!types[detail->type])
		return 0;

	for (uint32_t i = 0; i < items; i++) {
		bind_number(statement, REGION, (uint64_t)id);
		bind_number(statement, ITEM, i);
		bind_word(statement, TYPE, types, detail->type);
		bind_word(statement, RUNTIME, runtimes, detail->runtime);
		bind_word(statement, ALLOCATOR, allocators, detail->allocator);
		bind_item(statement, detail, i);
		if (pm_statement_finish(database, statement, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Reads a word from a column, and finds it in a list of words.
 * @param index  receives the index of the word in `words`; 0 if the column is NULL or empty, or if
 *               the word was not found
 * @return       false if the column has a word that `words` does not contain
 */
static bool read_word(sqlite3_stmt *statement, enum column column, const char *const *words,
                      size_t count, uint8_t *index)
{
	const char *word = pm_column_text(statement, (int)column);

	*index = 0;
	if (!*word)
		return true;

	for (size_t i = 0; i < count; i++) {
		if (words[i] && strcmp(words[i], word) == 0) {
			*index = (uint8_t)i;
			return true;
		}
	}

	return false;
}

static uint64_t read_number(sqlite3_stmt *statement, enum column column)
{
	return pm_column(statement, (int)column);
}

/**
 * The elements of a list in a detail that were read so far: either heaps or threads, depending on
 * the type of the detail.
 */
struct items {
	struct pm_detail_heap *heaps;
	struct pm_detail_thread *threads;
	size_t count;
	size_t capacity;
};

/*
 * Maximum number of heaps of one region that are read. There must be a maximum, because a recording
 * is untrusted and may have any number of rows. A heap has at most 64 MiB, so this number of heaps
 * is a region of 256 GiB.
 */
enum { HEAPS_MAX = 4096 };

static int read_heap(sqlite3_stmt *statement, struct items *items, struct pm_error *error)
{
	if (items->count == HEAPS_MAX)
		return 0;
	if (pm_array_reserve(&items->heaps, &items->capacity, items->count, 1, sizeof *items->heaps,
	                     error) < 0)
		return -1;

	items->heaps[items->count++] = (struct pm_detail_heap){
		.start = read_number(statement, START),
		.arena = read_number(statement, ARENA),
		.number = (uint32_t)read_number(statement, ARENA_NUMBER),
		.index = (uint32_t)read_number(statement, HEAP),
		.of = (uint32_t)read_number(statement, HEAPS),
	};
	return 0;
}

static int read_thread(sqlite3_stmt *statement, struct pm_regions *regions, struct items *items,
                       struct pm_error *error)
{
	const char *name = pm_column_text(statement, NAME);
	if (items->count == PM_DETAIL_THREADS_MAX ||
	    sqlite3_column_type(statement, THREAD) == SQLITE_NULL)
		return 0;
	if (pm_array_reserve(&items->threads, &items->capacity, items->count, 1,
	                     sizeof *items->threads, error) < 0)
		return -1;

	name = pm_regions_text(regions, name, strlen(name));
	if (!name)
		return pm_error_out_of_memory(error);

	items->threads[items->count++] = (struct pm_detail_thread){
		.tid = (pid_t)read_number(statement, THREAD),
		.name = name,
	};
	return 0;
}

/** Reads the owner of a detail. Returns false if the owner is not known. */
static bool read_owner(sqlite3_stmt *statement, struct pm_detail *detail)
{
	enum pm_owner owner;

	if (!pm_owner_parse(pm_column_text(statement, NAME), &owner))
		return false;
	detail->owner = owner;
	return true;
}

/**
 * Reads those fields of a detail that are the same in all rows. If a word is not known, because a
 * later version of procmem wrote the recording, the type becomes PM_DETAIL_NONE, and the caller
 * uses the text of the region instead.
 */
static void read_first(sqlite3_stmt *statement, struct pm_detail *detail)
{
	struct pm_detail read = {
		.count = (uint32_t)read_number(statement, COUNT),
		.found = (uint32_t)read_number(statement, FOUND),
	};

	*detail = (struct pm_detail){ .type = PM_DETAIL_NONE };
	if (!read_word(statement, TYPE, types, PM_DETAIL_COUNT, &read.type) ||
	    !read_word(statement, RUNTIME, runtimes, PM_RUNTIME_COUNT, &read.runtime) ||
	    !read_word(statement, ALLOCATOR, allocators, PM_ALLOCATOR_COUNT, &read.allocator) ||
	    !read_word(statement, PLACE, places, PM_CHUNK_PLACE_COUNT, &read.place))
		return;

	if (read.type == PM_DETAIL_CHUNKS)
		read.chunks = (struct pm_detail_chunks){
			.smallest = read_number(statement, SMALLEST),
			.largest = read_number(statement, LARGEST),
			.covered = read_number(statement, COVERED),
		};
	else if (read.type == PM_DETAIL_SYSV_ID)
		read.shmid = read_number(statement, SHMID);
	else if (read.type == PM_DETAIL_OWNER && !read_owner(statement, &read))
		return;

	*detail = read;
}

/** Reads all rows of a region, and collects the elements of lists in `items`. */
static int read_rows(const struct pm_database *database, sqlite3_stmt *statement,
                     struct pm_regions *regions, struct pm_detail *detail, struct items *items,
                     struct pm_error *error)
{
	int found;
	bool first = true;

	while ((found = pm_statement_next(database, statement, error)) > 0) {
		int result = 0;
		if (first)
			read_first(statement, detail);
		first = false;

		if (pm_detail_has_heaps(detail))
			result = read_heap(statement, items, error);
		else if (pm_detail_has_threads(detail))
			result = read_thread(statement, regions, items, error);
		if (result < 0)
			return -1;
	}

	return found;
}

int pm_stored_detail_read(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                          const char *text, struct pm_regions *regions, struct pm_detail *detail,
                          struct pm_error *error)
{
	struct pm_detail read = { .type = PM_DETAIL_NONE };
	struct items items = { .count = 0 };
	int result = 0;

	if (statement && *text) {
		pm_bind(statement, 1, (uint64_t)id);
		result = read_rows(database, statement, regions, &read, &items, error);
		sqlite3_reset(statement);
	}

	if (items.heaps)
		read.heaps = items.heaps;
	else if (items.threads)
		read.threads = items.threads;
	read.listed = (uint32_t)items.count;
	if (read.type == PM_DETAIL_NONE && *text)
		read = (struct pm_detail){ .type = PM_DETAIL_TEXT, .text = text };

	if (result == 0)
		result = pm_regions_copy_detail(regions, &read, detail, error);
	free(items.heaps);
	free(items.threads);

	return result;
}
