/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The memory of a Go program, in fake memory: the structures of the runtime, with offsets that no
 * version of Go has. A failure fails the running cmocka test.
 */
#ifndef TESTS_SUPPORT_FAKE_GO_H
#define TESTS_SUPPORT_FAKE_GO_H

#include "reader/fake_reader.h"
#include "runtimes/context.h"
#include "runtimes/go_layout.h"

enum {
	FAKE_GO_DATA_BYTES = 0x20000,
	FAKE_GO_META_BYTES = 0x10000,
	FAKE_GO_PAGE = 4096,
	/* Offsets of variables in the data of the program */
	FAKE_GO_MEMSTATS = 0x12000,
	FAKE_GO_CONTROLLER = 0x13000,
	FAKE_GO_ALLGS = 0x13800,
	FAKE_GO_SCHED = 0x13900,
	FAKE_GO_PERSISTENT = 0x13b00,
	FAKE_GO_BITS = 0x13c00,
	FAKE_GO_BUCKHASH = 0x13d00,
	/* Offsets in the memory of the runtime */
	FAKE_GO_SPANS = 0,
	FAKE_GO_SPAN_OBJECTS = 0x1000,
	FAKE_GO_SPAN_SIZE = 0x90,
	FAKE_GO_ARENA_LIST = 0x6000,
	FAKE_GO_GOROUTINES = 0x7000,
	FAKE_GO_GOROUTINE_OBJECTS = 0x8000,
	FAKE_GO_GOROUTINE_SIZE = 0x180,
};

/* Addresses. */
#define FAKE_GO_DATA   UINT64_C(0x500000)
#define FAKE_GO_META   UINT64_C(0x7f0000000000)
#define FAKE_GO_TABLE  UINT64_C(0x7f1000000000)
#define FAKE_GO_ARENA  UINT64_C(0x7f2000000000)
#define FAKE_GO_CHUNKS UINT64_C(0x7f3000000000)
#define FAKE_GO_HEAP   UINT64_C(0xc000000000)

/** The program. */
struct fake_go {
	unsigned char data[FAKE_GO_DATA_BYTES], meta[FAKE_GO_META_BYTES];
	unsigned char table[FAKE_GO_PAGE], chunks[2][FAKE_GO_PAGE];
	struct pm_fake_range ranges[5];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_runtimes_source source;
	struct pm_runtimes result;
	struct pm_runtimes_context context;
	struct pm_go_layout layout;
	uint64_t spans;      /**< number of spans */
	uint64_t goroutines; /**< number of goroutines, with dead ones */
};

/** Creates a program with a heap, without spans and goroutines. */
struct fake_go *fake_go_create(void);

/** Destroys the program and the result. */
void fake_go_destroy(struct fake_go *go);

/** Forgets the result, so that the memory can be read again. */
void fake_go_reset(struct fake_go *go);

/** Stores a word in the data of the program. */
void fake_go_put(struct fake_go *go, uint64_t offset, uint64_t word);

/**
 * Adds a span.
 * @param page     its first page of 8 KiB in the heap
 * @param pages    number of pages
 * @param state    0: unused, 1: objects, 2: memory that the runtime manages
 * @param element  size of an element in bytes
 */
void fake_go_add_span(struct fake_go *go, uint64_t page, uint64_t pages, unsigned state,
                      uint64_t element);

/** Adds a goroutine with a status, and whether it is locked to a thread. */
void fake_go_add_goroutine(struct fake_go *go, uint32_t status, bool locked);

/** Returns the owner that the result gives to an address, and whether it is proven. */
enum pm_owner fake_go_owner(const struct fake_go *go, uint64_t address, bool *proven);

/** Returns whether the result has a counter, and its value. */
bool fake_go_counter(const struct fake_go *go, const char *name, uint64_t *value);

#endif
