/* SPDX-License-Identifier: MIT */
/** @file A fake JVM: the data structures of HotSpot that procmem reads, in fake memory. */
#ifndef TESTS_SUPPORT_FAKE_HOTSPOT_H
#define TESTS_SUPPORT_FAKE_HOTSPOT_H

#include "reader/fake_reader.h"
#include "runtimes/hotspot.h"

/** Where the parts are: offsets in pm_fake_hotspot.data. */
enum {
	FAKE_JVM_VARIABLES = 0x0,   /* the variables that describe the tables, 8 bytes each */
	FAKE_JVM_SYMBOLS = 0x100,   /* variables that only .symtab has */
	FAKE_JVM_FIELDS = 0x1000,   /* gHotSpotVMStructs, 48 bytes each */
	FAKE_JVM_TYPES = 0x3000,    /* gHotSpotVMTypes, 40 bytes each */
	FAKE_JVM_INTS = 0x3800,     /* gHotSpotVMIntConstants, 16 bytes each */
	FAKE_JVM_LONGS = 0x3c00,    /* gHotSpotVMLongConstants, 16 bytes each */
	FAKE_JVM_TEXTS = 0x4000,    /* names */
	FAKE_JVM_STATICS = 0x6000,  /* static fields, 8 bytes each */
	FAKE_JVM_HEAP = 0x6100,     /* CollectedHeap */
	FAKE_JVM_BARRIERS = 0x6200, /* CardTableBarrierSet */
	FAKE_JVM_CARDS = 0x6300,    /* CardTable */
	FAKE_JVM_CODE = 0x6400,     /* GrowableArray, its data at 64, CodeHeap at 256 and 512 */
	FAKE_JVM_CONTEXTS = 0x6800, /* two MetaspaceContext at 0 and 64, their lists at 128, 192 */
	FAKE_JVM_NODES = 0x6a00,    /* three nodes of metaspace, 64 bytes each */
	FAKE_JVM_TRACKER = 0x6c00,  /* list of native memory tracking */
	FAKE_JVM_TRACKED = 0x6d00,  /* its nodes, 128 bytes each */
	FAKE_JVM_COUNTERS = 0x8000, /* performance counters, a page */
	FAKE_JVM_SIZE = 0x9000,     /* bytes of all parts */
};

/** Names of static fields, by their places from FAKE_JVM_STATICS on. */
enum {
	FAKE_JVM_STATIC_HEAP,
	FAKE_JVM_STATIC_BARRIERS,
	FAKE_JVM_STATIC_CODE,
	FAKE_JVM_STATIC_ARCHIVE,
	FAKE_JVM_STATIC_ARCHIVE_END,
	FAKE_JVM_STATIC_COUNTERS,
	FAKE_JVM_STATIC_COUNTERS_END,
	FAKE_JVM_STATIC_VERSION,
};

/** Ranges of the JVM. Each is mapped as a region of its own. */
#define FAKE_JVM_HEAP_START    UINT64_C(0xf0000000)
#define FAKE_JVM_HEAP_BYTES    UINT64_C(0x8000000)
#define FAKE_JVM_ARCHIVE_START UINT64_C(0x7f0000000000)
#define FAKE_JVM_ARCHIVE_BYTES UINT64_C(0xc00000)
#define FAKE_JVM_CLASS_START   UINT64_C(0x7f0001000000)
#define FAKE_JVM_CLASS_BYTES   UINT64_C(0x40000000)
#define FAKE_JVM_META_START    UINT64_C(0x7f0050000000)
#define FAKE_JVM_META_BYTES    UINT64_C(0x4000000)
#define FAKE_JVM_CODE_START    UINT64_C(0x7f0060000000)
#define FAKE_JVM_CODE_BYTES    UINT64_C(0x1000000)
#define FAKE_JVM_CARDS_START   UINT64_C(0x7f0070000000)
#define FAKE_JVM_CARDS_BYTES   UINT64_C(0x40000)
#define FAKE_JVM_BITS_START    UINT64_C(0x7f0071000000)
#define FAKE_JVM_BITS_BYTES    UINT64_C(0x200000)
#define FAKE_JVM_LIBRARY_START UINT64_C(0x7f0080000000)
#define FAKE_JVM_LIBRARY_BYTES UINT64_C(0x1000000)
#define FAKE_JVM_DATA_START    UINT64_C(0x7f0090000000)

/** A JVM with the collector G1, two segments of code and two nodes of metaspace. */
struct fake_hotspot {
	unsigned char data[FAKE_JVM_SIZE]; /**< its data structures, at FAKE_JVM_DATA_START */
	size_t texts, fields, types, ints; /**< what was added to the tables */
	struct pm_fake_range range;        /**< `data` */
	struct pm_fake_target target;      /**< the memory */
	struct pm_reader reader;           /**< reads the memory */
	struct pm_regions regions;         /**< the regions */
	struct pm_hotspot_places places;   /**< where the variables are */
};

/** Creates a JVM. */
void fake_hotspot_init(struct fake_hotspot *jvm);

/** Releases its regions. */
void fake_hotspot_deinit(struct fake_hotspot *jvm);

/** Returns the address of an offset in `data`. */
uint64_t fake_hotspot_address(size_t offset);

/** Sets a word of `data`. */
void fake_hotspot_put(struct fake_hotspot *jvm, size_t offset, uint64_t word);

/** Adds a name. Returns its address. */
uint64_t fake_hotspot_text(struct fake_hotspot *jvm, const char *text);

/** Adds a field: static if `is_static`, with the place of its value in FAKE_JVM_STATICS. */
void fake_hotspot_field(struct fake_hotspot *jvm, const char *type, const char *name,
                        bool is_static, uint64_t offset);

/**
 * Reads the JVM as pm_runtimes_open() does, but leaves the ranges in the order in which they were
 * added.
 * @param runtimes  receives the result; release with pm_runtimes_close()
 */
int fake_hotspot_read(struct fake_hotspot *jvm, struct pm_runtimes **runtimes,
                      struct pm_error *error);

/** Reads its tables only. */
int fake_hotspot_read_structs(struct fake_hotspot *jvm, struct pm_vm_structs **structs,
                              struct pm_error *error);

#endif
