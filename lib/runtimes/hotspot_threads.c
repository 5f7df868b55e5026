/* SPDX-License-Identifier: MIT */
/*
 * Names of Java threads. HotSpot gives a thread of Java the first 15 bytes of its name for the
 * kernel. The whole name is an object of Java: the JVM describes how its thread leads to the object
 * of the class Thread, but not the fields of objects. A field of Thread that refers to a String
 * whose text starts with the name that the kernel has is the name. Objects can move while they are
 * read: then the name does not fit, and is left out.
 */
#include "runtimes/hotspot_threads.h"

#include <procmem/threads.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

enum {
	/* The kernel cuts names to 15 bytes; shorter names are complete. */
	COMM_LENGTH = 15,
	NAME_MAX_SIZE = 512,
	THREADS_MAX = 65536,
	/* Objects: header { u64 mark; u32 class }, fields from 12 on; arrays: { u64 mark; u32
	 * class; u32 length }, elements from 16 on. */
	CLASS_OFFSET = 8,
	FIELDS_OFFSET = 12,
	LENGTH_OFFSET = 12,
	ELEMENTS_OFFSET = 16,
	/* The fields of Thread itself come before those of its subclasses. */
	THREAD_SIZE_MAX = 256,
	/* String has four fields. */
	STRING_SIZE = 32,
	/* JDK 17 to 25: 3 for objects, up to 10 for classes. */
	SHIFT_MAX = 16,
};

/** How references to objects are stored. */
struct references {
	bool wide;      /**< in 64 bits; else in 32 bits: address = base + (reference << shift) */
	uint64_t base;  /**< of 32-bit references */
	uint32_t shift; /**< of 32-bit references */
	bool colored;   /**< 64-bit references are those of generational ZGC */
	uint64_t klass_base, string; /**< of 32-bit references to classes; address of String */
	uint32_t klass_shift;
};

/** What is known while the threads are read. */
struct search {
	const struct pm_hotspot *jvm;
	struct references references;
	uint32_t field; /**< offset of the name in an object of Thread; 0 if not known yet */
	struct pm_thread *threads;
	size_t count, capacity;
};

/**
 * Reads a static field that has another name up to JDK 21. Where the JVM has never written to the
 * page of the variable, it is 0.
 */
static uint64_t read_either(const struct pm_hotspot *jvm, const char *type, const char *name,
                            const char *old_name)
{
	uint64_t word = 0;

	if (!pm_hotspot_word(jvm, 0, type, name, &word))
		pm_hotspot_word(jvm, 0, type, old_name, &word);
	return word;
}

/**
 * Removes the colour of a reference of generational ZGC (zAddress.hpp): bits 12 to 15 say when the
 * reference was last corrected. On x86-64, the address starts after the one of them that is set.
 */
static uint64_t uncolor(uint64_t reference)
{
	unsigned shift = 16;

#ifdef __x86_64__
	while (shift > 13 && !(reference >> (shift - 1) & 1))
		shift--;
#endif
	return reference >> shift;
}

static bool read_references(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector,
                            struct references *references)
{
	static const char string[] = "_klasses[static_cast<int>(vmClassID::String_klass_knum)]";

	*references = (struct references){
		.wide = collector == PM_HOTSPOT_Z,
		.colored = pm_hotspot_is_generational_z(jvm),
		.base = read_either(jvm, "CompressedOops", "_base", "_narrow_oop._base"),
		.shift = (uint32_t)read_either(jvm, "CompressedOops", "_shift",
		                               "_narrow_oop._shift"),
		.klass_base = read_either(jvm, "CompressedKlassPointers", "_base",
		                          "_narrow_klass._base"),
		.klass_shift = (uint32_t)read_either(jvm, "CompressedKlassPointers", "_shift",
		                                     "_narrow_klass._shift"),
	};

	return references->shift <= SHIFT_MAX && references->klass_shift <= SHIFT_MAX &&
	       pm_hotspot_word(jvm, 0, "vmClasses", string, &references->string) &&
	       references->string != 0;
}

/** Returns the address of the object that a field refers to; 0 if there is none. */
static uint64_t reference_at(const struct references *references, const unsigned char *object,
                             uint32_t offset)
{
	uint64_t wide;
	uint32_t narrow;

	if (references->wide) {
		memcpy(&wide, object + offset, sizeof wide);
		return references->colored ? uncolor(wide) : wide;
	}

	memcpy(&narrow, object + offset, sizeof narrow);
	return narrow == 0 ? 0 : references->base + ((uint64_t)narrow << references->shift);
}

static bool is_string(const struct references *references, const unsigned char *object)
{
	uint32_t class;

	memcpy(&class, object + CLASS_OFFSET, sizeof class);
	return references->klass_base + ((uint64_t)class << references->klass_shift) ==
	       references->string;
}

/** Reads an array of bytes that starts with the name that the kernel has. */
static bool read_bytes(const struct search *search, uint64_t array, const char *comm, char *text)
{
	struct pm_runtimes_context *context = search->jvm->context;
	uint32_t length;

	if (array == 0 || array % 8 != 0 || array > UINT64_MAX - NAME_MAX_SIZE ||
	    !pm_runtime_read_u32(context, array + LENGTH_OFFSET, &length) ||
	    length <= COMM_LENGTH || length >= NAME_MAX_SIZE ||
	    !pm_runtime_read(context, array + ELEMENTS_OFFSET, text, length))
		return false;

	/* Only text of one byte for each character starts like this; others bytes than those of
	 * ASCII would have to be encoded. */
	for (uint32_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;

	text[length] = '\0';
	return strncmp(text, comm, COMM_LENGTH) == 0;
}

/** Reads the text of an object if it is a String that starts with the name that the kernel has. */
static bool read_string(const struct search *search, uint64_t string, const char *comm, char *text)
{
	const struct references *references = &search->references;
	const uint32_t step = references->wide ? 8 : 4;
	unsigned char object[STRING_SIZE];

	if (string == 0 || string % 8 != 0 ||
	    !pm_runtime_read(search->jvm->context, string, object, sizeof object) ||
	    !is_string(references, object))
		return false;

	for (uint32_t at = references->wide ? ELEMENTS_OFFSET : FIELDS_OFFSET;
	     at + step <= sizeof object; at += step)
		if (read_bytes(search, reference_at(references, object, at), comm, text))
			return true;
	return false;
}

/** Reads the name of an object of Thread, and finds its field if it is not known. */
static bool read_name(struct search *search, uint64_t thread, const char *comm, char *text)
{
	const uint32_t step = search->references.wide ? 8 : 4;
	uint32_t first = search->references.wide ? ELEMENTS_OFFSET : FIELDS_OFFSET;
	uint32_t last = THREAD_SIZE_MAX - step;
	unsigned char object[THREAD_SIZE_MAX];

	if (thread == 0 || thread % 8 != 0 ||
	    !pm_runtime_read(search->jvm->context, thread, object, sizeof object))
		return false;

	if (search->field != 0)
		first = last = search->field;
	for (uint32_t at = first; at <= last; at += step) {
		uint64_t string = reference_at(&search->references, object, at);

		if (read_string(search, string, comm, text)) {
			search->field = at;
			return true;
		}
	}

	return false;
}

/** Reads a pointer of a thread of the JVM, which is a field of one of two types. */
static bool read_thread_word(const struct pm_hotspot *jvm, uint64_t thread, const char *name,
                             uint64_t *word)
{
	return pm_hotspot_word(jvm, thread, "JavaThread", name, word) ||
	       pm_hotspot_word(jvm, thread, "Thread", name, word);
}

/** Returns the thread of the kernel whose name is cut; NULL if its name is not cut. */
static const struct pm_thread *find_cut(const struct search *search, uint32_t tid)
{
	size_t low = 0, high = search->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pm_thread *thread = &search->threads[middle];

		if (thread->tid == (pid_t)tid)
			return strlen(thread->name) == COMM_LENGTH ? thread : NULL;
		if (thread->tid < (pid_t)tid)
			low = middle + 1;
		else
			high = middle;
	}

	return NULL;
}

static int add_thread(struct search *search, pid_t tid, const char *text, struct pm_error *error)
{
	struct pm_runtimes *result = search->jvm->context->result;
	char *name = strdup(text);

	if (!name)
		return pm_error_out_of_memory(error);
	if (pm_array_reserve(&result->threads, &search->capacity, result->thread_count, 1,
	                     sizeof *result->threads, error) < 0) {
		free(name);
		return -1;
	}

	result->threads[result->thread_count++] = (struct pm_runtime_thread){ tid, name };
	return 0;
}

static int read_thread(struct search *search, uint64_t thread, struct pm_error *error)
{
	const struct pm_hotspot *jvm = search->jvm;
	uint64_t os_thread, handle, object;
	char text[NAME_MAX_SIZE];
	uint32_t tid;

	if (!read_thread_word(jvm, thread, "_osthread", &os_thread) ||
	    !pm_hotspot_u32(jvm, os_thread, "OSThread", "_thread_id", &tid))
		return 0;

	const struct pm_thread *cut = find_cut(search, tid);
	if (!cut || !read_thread_word(jvm, thread, "_threadObj", &handle) || handle == 0 ||
	    !pm_runtime_read_word(jvm->context, handle, &object))
		return 0;
	if (search->references.colored)
		object = uncolor(object);
	if (!read_name(search, object, cut->name, text))
		return 0;

	return add_thread(search, cut->tid, text, error);
}

static int read_list(struct search *search, struct pm_error *error)
{
	const struct pm_hotspot *jvm = search->jvm;
	uint64_t list, items, thread;
	uint32_t count;

	if (!pm_hotspot_word(jvm, 0, "ThreadsSMRSupport", "_java_thread_list", &list) ||
	    !pm_hotspot_u32(jvm, list, "ThreadsList", "_length", &count) ||
	    !pm_hotspot_word(jvm, list, "ThreadsList", "_threads", &items) || count > THREADS_MAX ||
	    items > UINT64_MAX - sizeof thread * THREADS_MAX)
		return 0;

	for (uint32_t i = 0; i < count && !pm_runtime_ends(jvm->context); i++)
		if (pm_runtime_read_word(jvm->context, items + i * sizeof thread, &thread) &&
		    read_thread(search, thread, error) < 0)
			return -1;
	return 0;
}

static int by_tid(const void *left, const void *right)
{
	const struct pm_runtime_thread *a = left, *b = right;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

int pm_hotspot_read_threads(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector,
                            struct pm_error *error)
{
	struct pm_runtimes *result = jvm->context->result;
	struct pm_process *process = jvm->context->source->process;
	struct search search = { .jvm = jvm };

	/* TIDs of a process in another PID namespace are not those of its JVM: they do not match,
	 * or the names do not fit. */
	if (!process || !read_references(jvm, collector, &search.references) ||
	    pm_process_read_threads(process, PM_THREAD_NAMES, &search.threads, &search.count,
	                            NULL) < 0)
		return 0;

	int outcome = read_list(&search, error);
	if (outcome == 0 && result->thread_count == 0 && !search.references.wide) {
		search.references.wide = true;
		outcome = read_list(&search, error);
	}

	free(search.threads);
	if (result->thread_count > 0)
		qsort(result->threads, result->thread_count, sizeof *result->threads, by_tid);
	return outcome;
}
