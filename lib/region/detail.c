/* SPDX-License-Identifier: MIT */
/*
 * Formats and compares the details of regions. A detail is a tagged structure. For each type of
 * detail, the table `formats` contains a constant text or a function that writes the text.
 */
#include <procmem/detail.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <procmem/number.h>

/** A buffer to which put() appends text. */
struct writer {
	char *text;
	size_t size;   /* size of the buffer in bytes */
	size_t length; /* length of the whole text in bytes, also if `text` contains only a part */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...)
{
	char *end = NULL;
	size_t room = 0;
	va_list arguments;

	if (writer->length < writer->size) {
		end = writer->text + writer->length;
		room = writer->size - writer->length;
	}

	va_start(arguments, format);
	int length = vsnprintf(end, room, format, arguments);
	va_end(arguments);

	if (length > 0)
		writer->length += (size_t)length;
}

static void put_size(struct writer *writer, uint64_t bytes)
{
	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(bytes, size);
	put(writer, "%s", size);
}

/**
 * Writes, for example, "3 malloc chunks of 1.0M" or "40 malloc chunks, 3.0M down to 1.0M in the
 * last 48.0M". The largest is first, because a narrow table cuts the end.
 */
static void put_chunks(const struct pm_detail *detail, struct writer *writer)
{
	static const char *const places[PM_CHUNK_PLACE_COUNT] = {
		[PM_CHUNKS_FIRST] = " in the first ",
		[PM_CHUNKS_LAST] = " in the last ",
		[PM_CHUNKS_SCATTERED] = " in ",
	};

	put(writer, "%" PRIu32 " malloc chunk%s", detail->count, detail->count == 1 ? "" : "s");
	bool same = detail->chunks.smallest == detail->chunks.largest;
	put(writer, same ? " of " : ", ");
	put_size(writer, detail->chunks.largest);
	if (!same) {
		put(writer, " down to ");
		put_size(writer, detail->chunks.smallest);
	}

	if (detail->place != PM_CHUNKS_FILL && detail->place < PM_CHUNK_PLACE_COUNT) {
		put(writer, "%s", places[detail->place]);
		put_size(writer, detail->chunks.covered);
	}
}

/** Writes, for example, "arena 3 (7f3ae4000030), heap 1 of 2". */
static void put_heap(const struct pm_detail_heap *heap, struct writer *writer)
{
	if (heap->number == 0) {
		put(writer, "arena at %" PRIx64, heap->arena);
		return;
	}

	put(writer, "arena %" PRIu32 " (%" PRIx64 ")", heap->number, heap->arena);
	if (heap->index > 0)
		put(writer, ", heap %" PRIu32 " of %" PRIu32, heap->index, heap->of);
}

static void put_heaps(const struct pm_detail *detail, struct writer *writer)
{
	for (uint32_t i = 0; i < detail->listed; i++) {
		if (i > 0)
			put(writer, "; from %" PRIx64 " on ", detail->heaps[i].start);
		put_heap(&detail->heaps[i], writer);
	}
}

static void put_heap_rest(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "rest of ");
	put_heaps(detail, writer);
}

/**
 * Writes the ID of a thread, and its name unless the name is "". In core files, for example, the
 * names of threads are not known.
 */
static void put_thread(const struct pm_detail_thread *thread, struct writer *writer)
{
	put(writer, "%d", (int)thread->tid);
	if (*thread->name)
		put(writer, " %s", thread->name);
}

/** Writes, for example, "31433 C2 CompilerThre", "3 stacks: 12 a, 13 b, 14 c" or "3 stacks". */
static void put_threads(const struct pm_detail *detail, struct writer *writer)
{
	if (detail->listed == 1 && detail->count == 1) {
		put_thread(&detail->threads[0], writer);
		return;
	}

	put(writer, "%" PRIu32 " stacks", detail->count);
	for (uint32_t i = 0; i < detail->listed; i++) {
		put(writer, "%s", i == 0 ? ": " : ", ");
		put_thread(&detail->threads[i], writer);
	}

	if (detail->found > detail->listed)
		put(writer, " and %" PRIu32 " more", detail->found - detail->listed);
}

static void put_guard(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "of ");
	put_threads(detail, writer);
}

static void put_shmid(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "SysV, shmid %" PRIu64, detail->shmid);
}

static const char *runtime_name(const struct pm_detail *detail)
{
	static const char *const names[PM_RUNTIME_COUNT] = {
		[PM_RUNTIME_GO] = "Go",         [PM_RUNTIME_JAVA] = "Java",
		[PM_RUNTIME_DOTNET] = ".NET",   [PM_RUNTIME_NODE] = "V8 (node)",
		[PM_RUNTIME_LUAJIT] = "LuaJIT", [PM_RUNTIME_MONO] = "Mono",
		[PM_RUNTIME_DART] = "Dart",
	};

	bool known = detail->runtime > PM_RUNTIME_NONE && detail->runtime < PM_RUNTIME_COUNT;
	return known ? names[detail->runtime] : "a runtime";
}

static void put_runtime_heap(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "%s heap", runtime_name(detail));
}

static void put_runtime_heap_rest(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "rest of the %s heap", runtime_name(detail));
}

static void put_runtime_code(const struct pm_detail *detail, struct writer *writer)
{
	if (detail->runtime == PM_RUNTIME_JAVA)
		put(writer, "code cache of the JVM");
	else
		put(writer, "code of %s", runtime_name(detail));
}

static void put_code_twice(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "%s maps its code twice", runtime_name(detail));
}

static void put_counters(const struct pm_detail *detail, struct writer *writer)
{
	const char *name = detail->runtime == PM_RUNTIME_JAVA ? "the JVM" : runtime_name(detail);
	put(writer, "performance counters of %s", name);
}

static void put_allocator(const struct pm_detail *detail, struct writer *writer)
{
	static const char *const names[PM_ALLOCATOR_COUNT] = {
		[PM_ALLOCATOR_JEMALLOC] = "jemalloc",
		[PM_ALLOCATOR_TCMALLOC] = "tcmalloc",
		[PM_ALLOCATOR_MIMALLOC] = "mimalloc",
	};

	bool known = detail->allocator > PM_ALLOCATOR_NONE &&
	             detail->allocator < PM_ALLOCATOR_COUNT;
	put(writer, "probably %s", known ? names[detail->allocator] : "another allocator");
}

static void put_owner(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "%s", pm_owner_title((enum pm_owner)detail->owner));
}

static void put_text(const struct pm_detail *detail, struct writer *writer)
{
	put(writer, "%s", detail->text);
}

/** For each type of detail, the constant text or the function that writes the text. */
static const struct {
	const char *text;
	void (*write)(const struct pm_detail *detail, struct writer *writer);
} formats[PM_DETAIL_COUNT] = {
	[PM_DETAIL_CHUNKS] = { .write = put_chunks },
	[PM_DETAIL_ARENA] = { .write = put_heaps },
	[PM_DETAIL_ARENA_REST] = { .write = put_heap_rest },
	[PM_DETAIL_ARENA_UNREAD] = { .text = "malloc arena" },
	[PM_DETAIL_ARENA_UNREAD_REST] = { .text = "rest of a malloc arena" },
	[PM_DETAIL_THREADS] = { .write = put_threads },
	[PM_DETAIL_THREAD_GUARD] = { .write = put_guard },
	[PM_DETAIL_FIRST_THREAD] = { .text = "first thread" },
	[PM_DETAIL_NO_THREAD] = { .text = "no thread found on it" },
	[PM_DETAIL_UNKNOWN_THREAD] = { .text = "thread not known" },
	[PM_DETAIL_RELRO] = { .text = "relro" },
	[PM_DETAIL_SYSV] = { .text = "SysV" },
	[PM_DETAIL_SYSV_ID] = { .write = put_shmid },
	[PM_DETAIL_POSIX] = { .text = "POSIX" },
	[PM_DETAIL_MEMFD] = { .text = "memfd" },
	[PM_DETAIL_SHARED_ANONYMOUS] = { .text = "anonymous" },
	[PM_DETAIL_RUNTIME_HEAP] = { .write = put_runtime_heap },
	[PM_DETAIL_RUNTIME_HEAP_REST] = { .write = put_runtime_heap_rest },
	[PM_DETAIL_RUNTIME_CODE] = { .write = put_runtime_code },
	[PM_DETAIL_RUNTIME_CODE_TWICE] = { .write = put_code_twice },
	[PM_DETAIL_RUNTIME_COUNTERS] = { .write = put_counters },
	[PM_DETAIL_CODE_REST] = { .text = "rest of the code cache below" },
	[PM_DETAIL_CODE_RECORD] = { .text = "record for perf" },
	[PM_DETAIL_ALLOCATOR] = { .write = put_allocator },
	[PM_DETAIL_OWNER] = { .write = put_owner },
	[PM_DETAIL_NO_ACCESS] = { .text = "no access" },
	[PM_DETAIL_TEXT] = { .write = put_text },
};

size_t pm_detail_format(const struct pm_detail *detail, char *text, size_t size)
{
	struct writer writer = { .text = text, .size = size };

	if (size > 0)
		text[0] = '\0';
	if (detail->type >= PM_DETAIL_COUNT)
		return 0;

	if (formats[detail->type].write)
		formats[detail->type].write(detail, &writer);
	else if (formats[detail->type].text)
		put(&writer, "%s", formats[detail->type].text);

	return writer.length;
}

static bool heaps_equal(const struct pm_detail *one, const struct pm_detail *other)
{
	if (one->heaps == other->heaps)
		return true;

	for (uint32_t i = 0; i < one->listed; i++) {
		const struct pm_detail_heap *a = &one->heaps[i], *b = &other->heaps[i];
		if (a->start != b->start || a->arena != b->arena || a->number != b->number ||
		    a->index != b->index || a->of != b->of)
			return false;
	}

	return true;
}

static bool threads_equal(const struct pm_detail *one, const struct pm_detail *other)
{
	if (one->threads == other->threads)
		return true;

	for (uint32_t i = 0; i < one->listed; i++)
		if (one->threads[i].tid != other->threads[i].tid ||
		    strcmp(one->threads[i].name, other->threads[i].name) != 0)
			return false;

	return true;
}

bool pm_detail_equal(const struct pm_detail *one, const struct pm_detail *other)
{
	if (one->type != other->type || one->runtime != other->runtime ||
	    one->allocator != other->allocator || one->place != other->place ||
	    one->listed != other->listed || one->count != other->count ||
	    one->found != other->found)
		return false;

	if (pm_detail_has_heaps(one))
		return heaps_equal(one, other);
	if (pm_detail_has_threads(one))
		return threads_equal(one, other);

	switch (one->type) {
	case PM_DETAIL_CHUNKS:
		return one->chunks.smallest == other->chunks.smallest &&
		       one->chunks.largest == other->chunks.largest &&
		       one->chunks.covered == other->chunks.covered;
	case PM_DETAIL_OWNER:
		return one->owner == other->owner;
	case PM_DETAIL_SYSV_ID:
		return one->shmid == other->shmid;
	case PM_DETAIL_TEXT:
		return strcmp(one->text, other->text) == 0;
	default:
		return true;
	}
}
