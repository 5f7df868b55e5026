/* SPDX-License-Identifier: MIT */
#include "support/detail_samples.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

static const struct pm_detail_heap heaps[] = {
	{ .start = 0x7f0000000000, .arena = 0x7f0000000030, .number = 2, .index = 2, .of = 3 },
	{ .start = 0x7f0004000000, .arena = 0x7f0008000030, .number = 1, .index = 1, .of = 1 },
};

static const struct pm_detail_heap arena = { .arena = 0x7f0008000030, .number = 7 };
static const struct pm_detail_heap unnumbered = { .arena = 0xffffffffff600030 };

static const struct pm_detail_thread threads[] = {
	{ 12, "a" }, { 13, "" }, { 14, "C2 CompilerThre" }, { 15, "\xff odd\n" }
};

#define CHUNKS(PLACE, COUNT, SMALLEST, LARGEST, COVERED)                                  \
	{                                                                                 \
		.type = PM_DETAIL_CHUNKS, .place = (PLACE), .count = (COUNT), .chunks = { \
			(SMALLEST),                                                       \
			(LARGEST),                                                        \
			(COVERED)                                                         \
		}                                                                         \
	}

#define HEAPS(TYPE, LISTED, ITEMS) { .type = (TYPE), .listed = (LISTED), .heaps = (ITEMS) }

#define THREADS(TYPE, LISTED, FOUND, STACKS) \
	{ .type = (TYPE),                    \
	  .listed = (LISTED),                \
	  .found = (FOUND),                  \
	  .count = (STACKS),                 \
	  .threads = (LISTED) ? threads : NULL }

#define RUNTIME(TYPE, RUNTIME_ID) { .type = (TYPE), .runtime = (RUNTIME_ID) }

#define ALLOCATOR(ID) { .type = PM_DETAIL_ALLOCATOR, .allocator = (ID) }

const struct detail_sample detail_samples[] = {
	{ { .type = PM_DETAIL_NONE }, "" },
	{ CHUNKS(PM_CHUNKS_FILL, 1, MIB, MIB, MIB), "1 malloc chunk of 1.0M" },
	{ CHUNKS(PM_CHUNKS_FILL, 13, 16 * MIB, 16 * MIB, 208 * MIB), "13 malloc chunks of 16.0M" },
	{ CHUNKS(PM_CHUNKS_FIRST, 1, MIB, MIB, MIB), "1 malloc chunk of 1.0M in the first 1.0M" },
	{ CHUNKS(PM_CHUNKS_LAST, 2, 132 * KIB, MIB, MIB + 132 * KIB),
	  "2 malloc chunks, 1.0M down to 132.0K in the last 1.1M" },
	{ CHUNKS(PM_CHUNKS_SCATTERED, 40, MIB, 3 * MIB, 48 * MIB),
	  "40 malloc chunks, 3.0M down to 1.0M in 48.0M" },
	{ HEAPS(PM_DETAIL_ARENA, 1, heaps), "arena 2 (7f0000000030), heap 2 of 3" },
	{ HEAPS(PM_DETAIL_ARENA, 2, heaps),
	  "arena 2 (7f0000000030), heap 2 of 3; from 7f0004000000 on arena 1 (7f0008000030), heap "
	  "1 of 1" },
	{ HEAPS(PM_DETAIL_ARENA, 1, &arena), "arena 7 (7f0008000030)" },
	{ HEAPS(PM_DETAIL_ARENA, 1, &unnumbered), "arena at ffffffffff600030" },
	{ HEAPS(PM_DETAIL_ARENA_REST, 1, heaps), "rest of arena 2 (7f0000000030), heap 2 of 3" },
	{ { .type = PM_DETAIL_ARENA_UNREAD }, "malloc arena" },
	{ { .type = PM_DETAIL_ARENA_UNREAD_REST }, "rest of a malloc arena" },
	{ THREADS(PM_DETAIL_THREADS, 1, 1, 1), "12 a" },
	{ THREADS(PM_DETAIL_THREADS, 1, 1, 3), "3 stacks: 12 a" },
	{ THREADS(PM_DETAIL_THREADS, 0, 0, 3), "3 stacks" },
	{ THREADS(PM_DETAIL_THREADS, 2, 2, 2), "2 stacks: 12 a, 13" },
	{ THREADS(PM_DETAIL_THREADS, 4, 9, 9),
	  "9 stacks: 12 a, 13, 14 C2 CompilerThre, 15 \xff odd\n and 5 more" },
	{ THREADS(PM_DETAIL_THREAD_GUARD, 1, 1, 1), "of 12 a" },
	{ { .type = PM_DETAIL_FIRST_THREAD }, "first thread" },
	{ { .type = PM_DETAIL_NO_THREAD }, "no thread found on it" },
	{ { .type = PM_DETAIL_UNKNOWN_THREAD }, "thread not known" },
	{ { .type = PM_DETAIL_RELRO }, "relro" },
	{ { .type = PM_DETAIL_SYSV }, "SysV" },
	{ { .type = PM_DETAIL_SYSV_ID, .shmid = 98310 }, "SysV, shmid 98310" },
	{ { .type = PM_DETAIL_POSIX }, "POSIX" },
	{ { .type = PM_DETAIL_MEMFD }, "memfd" },
	{ { .type = PM_DETAIL_SHARED_ANONYMOUS }, "anonymous" },
	{ RUNTIME(PM_DETAIL_RUNTIME_HEAP, PM_RUNTIME_GO), "Go heap" },
	{ RUNTIME(PM_DETAIL_RUNTIME_HEAP, PM_RUNTIME_JAVA), "Java heap" },
	{ RUNTIME(PM_DETAIL_RUNTIME_HEAP_REST, PM_RUNTIME_JAVA), "rest of the Java heap" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_JAVA), "code cache of the JVM" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_DOTNET), "code of .NET" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_NODE), "code of V8 (node)" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_LUAJIT), "code of LuaJIT" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_MONO), "code of Mono" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE, PM_RUNTIME_DART), "code of Dart" },
	{ RUNTIME(PM_DETAIL_RUNTIME_CODE_TWICE, PM_RUNTIME_DOTNET), ".NET maps its code twice" },
	{ RUNTIME(PM_DETAIL_RUNTIME_COUNTERS, PM_RUNTIME_JAVA), "performance counters of the JVM" },
	{ { .type = PM_DETAIL_CODE_REST }, "rest of the code cache below" },
	{ { .type = PM_DETAIL_CODE_RECORD }, "record for perf" },
	{ ALLOCATOR(PM_ALLOCATOR_JEMALLOC), "probably jemalloc" },
	{ ALLOCATOR(PM_ALLOCATOR_TCMALLOC), "probably tcmalloc" },
	{ ALLOCATOR(PM_ALLOCATOR_MIMALLOC), "probably mimalloc" },
	{ { .type = PM_DETAIL_OWNER, .owner = PM_OWNER_JAVA_HEAP }, "Java heap" },
	{ { .type = PM_DETAIL_OWNER, .owner = PM_OWNER_GO_HEAP }, "Go heap" },
	{ { .type = PM_DETAIL_NO_ACCESS }, "no access" },
	{ { .type = PM_DETAIL_TEXT, .text = "what an early version wrote" },
	  "what an early version wrote" },
};

const size_t detail_sample_count = sizeof detail_samples / sizeof *detail_samples;
