/* SPDX-License-Identifier: MIT */
/*
 * First, the words below the descriptors of some threads are read: the thread-local data. A
 * distance from the descriptor is a candidate if each of these threads has 0 or the address of an
 * arena there. The candidate at which most threads have an arena is chosen. If there are several,
 * the one that fits pm_heap_arena.attached best is chosen. If this does not decide, and the
 * candidates lead to different arenas, nothing is known.
 */
#include <procmem/arena_threads.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "base/number.h"
#include "heap/thread_descriptors.h"
#include "proc/process.h"
#include "reader/core_notes.h"

/* Position of fs_base in struct user_regs_struct of x86-64. */
enum { REGISTER_FS_BASE = 21 };

enum {
	BELOW = 64 << 10, /* maximum number of bytes below a descriptor that are searched */
	PAGE = 4096,
	WORDS = BELOW / 8,
	DECIDING = 32,      /* maximum number of threads that vote for distances */
	DISTANCES_MAX = 16, /* maximum number of distances that are compared */
};

/** Value of struct thread.arena: the thread has no arena, or this is not known. */
enum { ARENA_NONE = UINT32_MAX };

/** The address of an arena, and its index. */
struct arena_address {
	uint64_t address;
	uint32_t index;
};

/** What was found at a distance. */
struct choice {
	uint64_t distance;
	uint32_t *arenas; /* of each descriptor: index of an arena, or ARENA_NONE */
	size_t hits;      /* number of threads with an arena */
	uint64_t differs; /* sum of the differences to pm_heap_arena.attached */
	size_t unread;    /* number of threads whose word could not be read */
};

/** A search. */
struct search {
	struct pm_heap_handle *heap;
	struct pm_thread *named; /* the threads with their names; owned if there is no core file */
	size_t count;
	struct pm_thread_descriptor *descriptors; /* of the threads; owned */
	struct arena_address *arenas;             /* by address; owned */
	size_t arena_count;
	struct pm_error *error;
};

static int by_address(const void *one, const void *other)
{
	const struct arena_address *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

static int by_arena(const void *one, const void *other)
{
	const struct pm_arena_thread *a = one, *b = other;

	if (a->arena != b->arena)
		return a->arena < b->arena ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/** Returns the index of the arena at an address, or ARENA_NONE. */
static uint32_t find_arena(const struct search *search, uint64_t address)
{
	const struct arena_address wanted = { .address = address };
	const struct arena_address *found = bsearch(&wanted, search->arenas, search->arena_count,
	                                            sizeof wanted, by_address);

	return found ? found->index : (uint32_t)ARENA_NONE;
}

/** Returns the TID of a thread in the PID namespace of the process; 0 if the thread has ended. */
static pid_t own_tid(struct pm_process *process, pid_t tid)
{
	char name[64], *text;
	uint64_t last = 0;

	snprintf(name, sizeof name, "task/%d/status", (int)tid);
	if (pm_procfs_read(&process->procfs, name, &text, NULL) < 0)
		return 0;

	/* NSpid has the TID in each namespace; the last one is that of the process. */
	const char *line = strstr(text, "\nNSpid:");
	for (const char *at = line ? line + 7 : ""; *at && *at != '\n'; at++) {
		if (*at >= '0' && *at <= '9')
			last = (at[-1] >= '0' && at[-1] <= '9' ? last * 10 : 0) +
			       (uint64_t)(*at - '0');
	}

	free(text);
	return last > 0 && last <= INT32_MAX ? (pid_t)last : tid;
}

/** Lists the threads of a process. */
static int list_threads(struct search *search, struct pm_process *process)
{
	const unsigned details = PM_THREAD_NAMES | PM_THREAD_STACK_POINTERS;

	if (pm_process_read_threads(process, details, &search->named, &search->count,
	                            search->error) < 0)
		return -1;

	search->descriptors = calloc(search->count + 1, sizeof *search->descriptors);
	if (!search->descriptors)
		return pm_error_out_of_memory(search->error);

	pid_t pid = pm_process_pid(process);
	bool is_same = own_tid(process, pid) == pid;
	for (size_t i = 0; i < search->count; i++) {
		const struct pm_thread *thread = &search->named[i];
		search->descriptors[i] = (struct pm_thread_descriptor){
			.own_tid = is_same ? thread->tid : own_tid(process, thread->tid),
			.stack_pointer = thread->stack_pointer,
			.index = i,
		};
	}

	return 0;
}

/** Lists the threads of a core file, whose registers contain the addresses of the descriptors. */
static int list_saved(struct search *search, const struct pm_core *core)
{
	const struct pm_thread *threads = pm_core_threads(core, &search->count);

	search->named = calloc(search->count + 1, sizeof *search->named);
	search->descriptors = calloc(search->count + 1, sizeof *search->descriptors);
	if (!search->named || !search->descriptors)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < search->count; i++) {
		const uint64_t *registers = pm_core_registers(core, threads[i].tid);
		search->named[i] = threads[i];
		search->descriptors[i] = (struct pm_thread_descriptor){
			.own_tid = threads[i].tid,
			.stack_pointer = threads[i].stack_pointer,
			.address = registers ? registers[REGISTER_FS_BASE] : 0,
			.index = i,
		};
	}

	return 0;
}

/** Lists the arenas by address. */
static int list_arenas(struct search *search)
{
	const struct pm_heap *heap = &search->heap->result;

	search->arenas = calloc(heap->arena_count + 1, sizeof *search->arenas);
	if (!search->arenas)
		return pm_error_out_of_memory(search->error);

	search->arena_count = heap->arena_count;
	for (size_t i = 0; i < heap->arena_count; i++)
		search->arenas[i] = (struct arena_address){ heap->arenas[i].address, (uint32_t)i };
	qsort(search->arenas, search->arena_count, sizeof *search->arenas, by_address);
	return 0;
}

/** What the threads that vote have at each distance. */
struct votes {
	uint16_t hits[WORDS + 1];  /* by distance / 8: number of threads with an arena */
	uint16_t wrong[WORDS + 1]; /* number of threads with another value */
};

/** Counts what a thread has at each distance, down to the first page that cannot be read. */
static int vote(struct search *search, uint64_t descriptor, struct votes *votes)
{
	unsigned char bytes[PAGE];
	uint64_t start, end = descriptor;

	for (; end > 0 && descriptor - end < BELOW; end = start) {
		start = (end - 1) & ~(uint64_t)(PAGE - 1);
		int got = pm_heap_window_peek(search->heap->window, start, bytes,
		                              (size_t)(end - start), search->error);
		if (got <= 0)
			return got;

		for (uint64_t at = start; at < end; at += 8) {
			uint64_t word, index = (descriptor - at) / 8;
			memcpy(&word, bytes + (at - start), sizeof word);
			if (index > WORDS)
				continue;
			if (find_arena(search, word) != ARENA_NONE)
				votes->hits[index]++;
			else if (word != 0)
				votes->wrong[index]++;
		}
	}

	return 0;
}

/**
 * Finds the distances with the most arenas.
 * @return number of distances; -1 on error
 */
static int find_distances(struct search *search, uint64_t *distances)
{
	struct votes *votes = calloc(1, sizeof *votes);
	unsigned threads = 0, best = 1;
	int result = 0, count = 0;

	if (!votes)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; result == 0 && i < search->count && threads < DECIDING; i++) {
		uint64_t descriptor = search->descriptors[i].address;
		/* A core file can contain any registers. */
		bool is_valid = descriptor != 0 && descriptor % 8 == 0;
		threads += is_valid;
		if (is_valid)
			result = vote(search, descriptor, votes);
	}

	for (size_t i = 1; result == 0 && i <= WORDS; i++) {
		if (votes->wrong[i] > 0 || votes->hits[i] < best)
			continue;
		if (votes->hits[i] > best)
			count = 0;
		best = votes->hits[i];
		if (count < DISTANCES_MAX)
			distances[count++] = i * 8;
	}

	free(votes);
	return result < 0 ? -1 : count;
}

/** Sets `differs`: compares the numbers of threads with those that the arenas have counted. */
static int compare_counts(struct search *search, struct choice *choice)
{
	const struct pm_heap *heap = &search->heap->result;
	uint64_t *counts = calloc(heap->arena_count + 1, sizeof *counts);

	if (!counts)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < search->count; i++) {
		if (choice->arenas[i] != ARENA_NONE)
			counts[choice->arenas[i]]++;
	}
	for (size_t i = 0; i < heap->arena_count; i++) {
		uint64_t attached = heap->arenas[i].attached;
		choice->differs += pm_max(attached, counts[i]) - pm_min(attached, counts[i]);
	}

	free(counts);
	return 0;
}

/** Reads the arenas of all threads at a distance. */
static int read_arenas(struct search *search, struct choice *choice)
{
	choice->arenas = calloc(search->count + 1, sizeof *choice->arenas);
	if (!choice->arenas)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < search->count; i++) {
		uint64_t word = 0, descriptor = search->descriptors[i].address;
		int got = 0;

		if (descriptor > choice->distance)
			got = pm_heap_window_word(search->heap->window,
			                          descriptor - choice->distance, &word,
			                          search->error);
		if (got < 0)
			return -1;

		choice->arenas[i] = got > 0 ? find_arena(search, word) : (uint32_t)ARENA_NONE;
		choice->hits += choice->arenas[i] != ARENA_NONE;
		/* A thread without an arena has 0 there. */
		choice->unread += got == 0 || (word != 0 && choice->arenas[i] == ARENA_NONE);
	}

	return compare_counts(search, choice);
}

/**
 * Compares two choices.
 * @return positive if the first is better; 0 if nothing decides
 */
static int compare(const struct choice *one, const struct choice *other)
{
	if (one->hits != other->hits)
		return one->hits > other->hits ? 1 : -1;

	return (one->differs < other->differs) - (one->differs > other->differs);
}

static bool is_equal(const struct search *search, const struct choice *one,
                     const struct choice *other)
{
	return memcmp(one->arenas, other->arenas, search->count * sizeof *one->arenas) == 0;
}

/**
 * Chooses the best distance.
 * @return 1; 0 if no distance is the best; -1 on error
 */
static int choose(struct search *search, struct choice *best)
{
	uint64_t distances[DISTANCES_MAX];
	int count = find_distances(search, distances), sure = 0;

	for (int i = 0; i < count; i++) {
		struct choice choice = { .distance = distances[i] };
		if (read_arenas(search, &choice) < 0) {
			free(choice.arenas);
			return -1;
		}

		int better = best->arenas ? compare(&choice, best) : 1;
		if (better > 0)
			sure = 1;
		else if (better == 0 && !is_equal(search, &choice, best))
			sure = 0;

		free(better > 0 ? best->arenas : choice.arenas);
		if (better > 0)
			*best = choice;
	}

	return count < 0 ? -1 : sure;
}

/** Makes the list of the threads that have an arena. */
static int make_list(struct search *search, const struct choice *choice,
                     struct pm_arena_threads *found)
{
	found->items = calloc(choice->hits + 1, sizeof *found->items);
	if (!found->items)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < search->count; i++) {
		const struct pm_thread *thread = &search->named[search->descriptors[i].index];
		struct pm_arena_thread *item = &found->items[found->count];

		if (choice->arenas[i] == ARENA_NONE)
			continue;
		item->tid = thread->tid;
		item->arena = choice->arenas[i];
		memcpy(item->name, thread->name, sizeof item->name);
		found->count++;
	}

	found->unknown = choice->unread;
	qsort(found->items, found->count, sizeof *found->items, by_arena);
	return 0;
}

static int find(struct search *search, struct pm_arena_threads *found)
{
	struct choice best = { 0 };
	int result = -1;

	/* What the walk has read can be older than the threads. */
	if (!search->heap->source.stopped)
		pm_heap_window_forget(search->heap->window);

	if (pm_thread_descriptors_find(search->heap, search->descriptors, search->count,
	                               search->error) == 0 &&
	    list_arenas(search) == 0)
		result = choose(search, &best);
	if (result > 0)
		result = make_list(search, &best, found);
	else if (result == 0)
		found->unknown = search->count;

	free(best.arenas);
	return result;
}

int pm_arena_threads_find(struct pm_heap *heap, struct pm_process *process,
                          const struct pm_core *core, struct pm_arena_threads *found,
                          struct pm_error *error)
{
	struct search search = { .heap = pm_heap_handle(heap), .error = error };
	int result;

	*found = (struct pm_arena_threads){ 0 };
	if (heap->allocator != PM_HEAP_ALLOCATOR_GLIBC || heap->arena_count == 0)
		return 0;

	result = core ? list_saved(&search, core) : list_threads(&search, process);
	if (result == 0)
		result = find(&search, found);

	free(search.named);
	free(search.descriptors);
	free(search.arenas);
	return result;
}

const struct pm_arena_thread *pm_arena_threads_of(const struct pm_arena_threads *threads,
                                                  uint32_t arena, size_t *count)
{
	size_t first = 0, end;

	while (first < threads->count && threads->items[first].arena < arena)
		first++;
	for (end = first; end < threads->count && threads->items[end].arena == arena;)
		end++;

	*count = end - first;
	return end > first ? &threads->items[first] : NULL;
}

void pm_arena_threads_deinit(struct pm_arena_threads *threads)
{
	free(threads->items);
	*threads = (struct pm_arena_threads){ 0 };
}
