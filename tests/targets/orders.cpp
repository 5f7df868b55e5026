// SPDX-License-Identifier: MIT
/*
 * orders [SLOTS]: a stripped program whose variables hold chunks of malloc. The variables are in
 * .bss. Each line `map NAME COUNT SIZE ADDRESS` is a std::map: the number of its nodes, the size of
 * the chunk of a node with its header, and the address of the variable. SLOTS is the number of
 * pointers to chunks in an array, 64 bytes apart; 0 if omitted. `slots ADDRESS` is the array.
 */
extern "C" {
#include "support.h"
}

#include <cstdio>
#include <map>

namespace
{

/** A value, of which each map has its own size. */
template <int SIZE> struct Value {
	char bytes[SIZE];
};

enum { ORDERS = 1000, CUSTOMERS = 300, SLOTS_MAX = 3000 };

struct Slot {
	char *chunk;
	char padding[56];
};

Slot slots[SLOTS_MAX];

std::map<int, Value<100>> orders;
std::map<int, Value<500>> customers;

template <typename Map> void fill(const char *name, Map *map, int count)
{
	for (int i = 0; i < count; i++)
		(*map)[i];
	const void *node = &map->begin()->first;
	/* A node has 32 bytes before the value; malloc has its header before the node. */
	const std::size_t *header = reinterpret_cast<const std::size_t *>(node) - 5;
	std::printf("map %s %d %zu %lx\n", name, count, *header & ~std::size_t{ 7 },
	            reinterpret_cast<unsigned long>(map));
}

} // namespace

int main(int argc, char **argv)
{
	std::size_t count = argc > 1 ? target_number(argv[1]) : 0;

	target_begin();
	fill("orders", &orders, ORDERS);
	fill("customers", &customers, CUSTOMERS);
	for (std::size_t i = 0; i < count && i < SLOTS_MAX; i++)
		slots[i].chunk = new char[40]();
	std::printf("slots %lx\n", reinterpret_cast<unsigned long>(slots));
	target_ready();
	target_obey(nullptr);
}
