/* SPDX-License-Identifier: MIT */
/*
 * trees: chunks of malloc below the global g_shop, whose dominators are known. Each group has
 * chunks of its own size, and prints `group NAME COUNT SIZE`: SIZE is that of a chunk with its
 * header. `example NAME ADDRESS` is the address of a chunk of the group.
 *
 * - `shop`: g_shop points to it. It holds everything else
 * - `table`: points to all `order`, so the shop holds these, although they are a list, too
 * - `order`: each holds a `payload`, which points back to the shop
 * - `shared`: two orders point to it, so the shop holds it
 * - `link` and `knot`: a chain of both in turn. Each knot holds a `leaf`
 *
 * g_other holds a list of `lone`, whose last element points to an order. g_shop is nearer to it.
 * Two words of memory that is not from malloc, `page`, point to the second element, `example
 * second`, which points to the fourth word of that memory. The stack and this memory point to a
 * list of `pool`.
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ORDERS = 1000, LINKS = 200, LONE = 3, POOL = 3 };

/** Any chunk: words that point to other chunks. */
struct chunk {
	struct chunk *to[4];
};

struct chunk *g_shop, *g_other;

static struct chunk *make(size_t size)
{
	struct chunk *made = calloc(1, size);
	target_check(made ? 0 : -1, "calloc");
	return made;
}

static void print_group(const char *name, size_t count, void *example)
{
	printf("group %s %zu %zu\n", name, count, malloc_usable_size(example) + sizeof(size_t));
	printf("example %s %" PRIxPTR "\n", name, (uintptr_t)example);
}

static struct chunk *__attribute__((noinline)) build_pool(void)
{
	struct chunk *first = NULL;

	for (size_t i = 0; i < POOL; i++) {
		struct chunk *made = make(850);
		made->to[0] = first;
		first = made;
	}
	print_group("pool", POOL, first);

	return first;
}

static void __attribute__((noinline)) build_orders(struct chunk *pool)
{
	struct chunk **table = calloc(ORDERS, sizeof *table), *shared = make(300);
	target_check(table ? 0 : -1, "calloc");
	g_shop->to[1] = (void *)table;

	for (size_t i = 0; i < ORDERS; i++) {
		struct chunk *order = make(50);
		order->to[0] = g_shop->to[0];
		order->to[1] = make(200);
		order->to[1]->to[0] = g_shop;
		order->to[2] = i == 5 || i == 9 ? shared : NULL;
		g_shop->to[0] = order;
		table[i] = order;
	}

	struct chunk **end = &g_other;
	for (size_t i = 0; i < LONE; i++) {
		*end = make(700);
		end = &(*end)->to[0];
	}
	*end = table[3];
	print_group("table", 1, table);
	print_group("order", ORDERS, table[7]);
	print_group("payload", ORDERS, table[7]->to[1]);
	print_group("shared", 1, shared);
	print_group("lone", LONE, g_other);

	struct chunk **page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                           -1, 0);
	target_check(page == MAP_FAILED ? -1 : 0, "mmap");
	page[10] = page[20] = g_other->to[0];
	page[30] = pool;
	g_other->to[0]->to[2] = (void *)&page[3];
	printf("example second %" PRIxPTR "\n", (uintptr_t)g_other->to[0]);
	printf("page %" PRIxPTR "\n", (uintptr_t)page);
}

static void __attribute__((noinline)) build_chain(void)
{
	struct chunk **end = &g_shop->to[2];

	for (size_t i = 0; i < LINKS; i++) {
		struct chunk *link = make(400);
		*end = link;
		link->to[0] = make(500);
		link->to[0]->to[1] = make(600);
		end = &link->to[0]->to[0];
	}

	print_group("link", LINKS, g_shop->to[2]);
	print_group("knot", LINKS, g_shop->to[2]->to[0]);
	print_group("leaf", LINKS, g_shop->to[2]->to[0]->to[1]);
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static int command(const char *line)
{
	(void)line;
	return 1;
}

int main(void)
{
	struct chunk *volatile pool;
	target_begin();
	g_shop = make(100);
	print_group("shop", 1, g_shop);
	pool = build_pool();
	build_orders(pool);
	build_chain();
	clear_stack();
	target_ready();
	target_obey(command);
	return pool == NULL;
}
