/* SPDX-License-Identifier: MIT */
/*
 * holders [SCALE]: chunks of malloc that are held by different sorts of roots, and lost ones. Each
 * group has chunks of its own size, and prints `group NAME COUNT SIZE`: SIZE is that of a chunk
 * with its header. SCALE multiplies the numbers of chunks in `list`, `single` and `ring`; 1 if
 * omitted. All chunks are in one arena.
 *
 * Held: `list` and `owned` by globals, `table` by a static array, `local` by a thread-local
 * variable of the thread `worker`, `stack` by the stack of this thread, `inside` by a pointer to
 * the middle, `big` by a global, and `last` by the last words of `big`. `both` is held by g_one and
 * g_two, `one` and `two` by one of them. `chain` is held by g_chain, which points to all of its
 * chunks, and by g_stray, which points to the third of them. Each chunk of `chain` points to its
 * neighbours.
 *
 * Lost: `single`; `head`, each of which points to a `tail`; `ring`, in cycles of 2 that point to
 * nothing else; `knot`, a cycle of 2 that points to `hanging`; `self`, which points to itself;
 * `mapped`, mapped by malloc alone.
 *
 * `example NAME ADDRESS` is the address of a chunk of the group.
 *
 * Command `churn`: starts 3 threads that allocate and free chunks all the time. They lose none.
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	LIST = 1000,
	TABLE = 100,
	LOCAL = 50,
	STACK = 20,
	PAIRS = 40,
	LAST = 10,
	MAPPED = 1 << 20,
	CHAIN = 5
};

struct node {
	struct node *next;
	struct node *other;
};

struct node *g_list, *g_owned, *g_big, *g_one[2 * PAIRS], *g_two[2 * PAIRS];
struct node *g_chain[CHAIN], *g_stray;
char *g_inside;
static struct node *table[TABLE];
static __thread struct node *local;
static pthread_barrier_t built;

/** Allocates a chunk of zeros. */
static struct node *make(size_t size)
{
	struct node *made = malloc(size);
	target_check(made ? 0 : -1, "malloc");
	memset(made, 0, size);
	return made;
}

static void print_group(const char *name, size_t count, const void *example)
{
	/* A chunk of jemalloc has no header, and there may be no memory before it. */
	const bool has_header = (uintptr_t)example % 4096 != 0;
	size_t size = has_header ? ((const size_t *)example)[-1] & ~(size_t)7 : 0;

	printf("group %s %zu %zu\n", name, count, size);
	printf("example %s %" PRIxPTR "\n", name, (uintptr_t)example);
}

static void __attribute__((noinline)) build_held(size_t scale)
{
	for (size_t i = 0; i < LIST * scale; i++) {
		struct node *node = make(48);
		node->next = g_list;
		g_list = node;
	}
	print_group("list", LIST * scale, g_list->next->next);

	/* Each element points back to the first one. */
	g_owned = make(80);
	for (size_t i = 1; i < LIST; i++) {
		struct node *node = make(80);
		node->next = g_owned->next;
		node->other = g_owned;
		g_owned->next = node;
	}
	print_group("owned", LIST, g_owned->next);

	for (size_t i = 0; i < TABLE; i++)
		table[i] = make(112);
	print_group("table", TABLE, table[7]);

	g_inside = (char *)make(800) + 333;
	print_group("inside", 1, g_inside - 333);

	g_big = make(MAPPED / 2);
	struct node **end = (struct node **)(void *)((char *)g_big + MAPPED / 2);
	for (size_t i = 1; i <= LAST; i++)
		end[-(ptrdiff_t)i] = make(900);
	print_group("big", 1, g_big);
	print_group("last", LAST, end[-1]);
}

static void __attribute__((noinline)) build_pairs(void)
{
	for (size_t i = 0; i < PAIRS; i++) {
		g_one[2 * i] = g_two[2 * i] = make(144);
		g_one[2 * i + 1] = make(160);
		g_two[2 * i + 1] = make(176);
	}
	print_group("both", PAIRS, g_one[2]);
	print_group("one", PAIRS, g_one[3]);
	print_group("two", PAIRS, g_two[3]);
}

static void __attribute__((noinline)) build_chain(void)
{
	for (size_t i = 0; i < CHAIN; i++) {
		g_chain[i] = make(1000);
		if (i > 0) {
			g_chain[i]->other = g_chain[i - 1];
			g_chain[i - 1]->next = g_chain[i];
		}
	}

	g_stray = g_chain[2];
	print_group("chain", CHAIN, g_stray);
	printf("stray %" PRIxPTR "\n", (uintptr_t)&g_stray);
}

static void __attribute__((noinline)) build_rings(size_t scale)
{
	for (size_t i = 0; i < 20 * scale; i++) {
		struct node *ring = make(400);
		ring->next = make(400);
		ring->next->next = ring;
		if (i == 0)
			print_group("ring", 40 * scale, ring);
	}

	struct node *knot = make(500);
	knot->next = make(500);
	knot->next->next = knot;
	knot->next->other = make(600);
	print_group("knot", 2, knot);
	print_group("hanging", 1, knot->next->other);

	struct node *self = make(700);
	self->next = self;
	print_group("self", 1, self);
}

static void __attribute__((noinline)) build_lost(size_t scale)
{
	struct node *made = NULL;
	for (size_t i = 0; i < 100 * scale; i++)
		made = make(200);
	print_group("single", 100 * scale, made);

	for (size_t i = 0; i < 30; i++) {
		made = make(300);
		made->next = make(320);
	}
	print_group("head", 30, made);
	print_group("tail", 30, made->next);
	print_group("mapped", 1, make(MAPPED));
	build_rings(scale);
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static void *work(void *unused)
{
	struct node *volatile held[STACK];
	(void)unused;
	prctl(PR_SET_NAME, "worker");

	for (size_t i = 0; i < LOCAL; i++) {
		struct node *node = make(220);
		node->next = local;
		local = node;
	}
	for (size_t i = 0; i < STACK; i++)
		held[i] = make(250);

	print_group("local", LOCAL, local);
	print_group("stack", STACK, held[3]);
	clear_stack();
	pthread_barrier_wait(&built);
	for (;;)
		pause();
	return held[0];
}

/** Replaces chunks in random order. The chunks have pointers to each other. */
static void *replace(void *unused)
{
	enum { SLOTS = 1000 };
	static __thread struct node *slots[SLOTS];
	uint64_t state = (uintptr_t)slots;

	for (;;) {
		state = state * 6364136223846793005 + 1442695040888963407;
		struct node **slot = &slots[(state >> 33) % SLOTS];
		if (*slot)
			free((*slot)->next);
		free(*slot);
		*slot = make(24 + (state >> 50) % 2000);
		(*slot)->next = make(1400);
	}

	return unused;
}

static int command(const char *line)
{
	pthread_t thread;
	if (strcmp(line, "churn") != 0)
		return 1;

	for (int i = 0; i < 3; i++)
		target_check(-pthread_create(&thread, NULL, replace, NULL), "pthread_create");
	return 0;
}

int main(int argc, char **argv)
{
	size_t scale = argc > 1 ? (size_t)target_number(argv[1]) : 1;
	pthread_t thread;

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	target_begin();
	pthread_barrier_init(&built, NULL, 2);
	build_held(scale);
	build_pairs();
	build_chain();
	build_lost(scale);
	clear_stack();

	target_check(-pthread_create(&thread, NULL, work, NULL), "pthread_create");
	pthread_barrier_wait(&built);
	clear_stack();
	target_ready();
	target_obey(command);
}
