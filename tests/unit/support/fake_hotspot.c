/* SPDX-License-Identifier: MIT */
#include "support/fake_hotspot.h"

#include <stdlib.h>
#include <string.h>

enum { RW = PM_PERM_READ | PM_PERM_WRITE, WORD = 8 };

uint64_t fake_hotspot_address(size_t offset)
{
	return FAKE_JVM_DATA_START + offset;
}

void fake_hotspot_put(struct fake_hotspot *jvm, size_t offset, uint64_t word)
{
	memcpy(jvm->data + offset, &word, sizeof word);
}

uint64_t fake_hotspot_text(struct fake_hotspot *jvm, const char *text)
{
	size_t at = FAKE_JVM_TEXTS + jvm->texts, size = strlen(text) + 1;

	memcpy(jvm->data + at, text, size);
	jvm->texts += size;
	return fake_hotspot_address(at);
}

void fake_hotspot_field(struct fake_hotspot *jvm, const char *type, const char *name,
                        bool is_static, uint64_t offset)
{
	size_t at = FAKE_JVM_FIELDS + jvm->fields++ * 48;

	fake_hotspot_put(jvm, at, fake_hotspot_text(jvm, type));
	fake_hotspot_put(jvm, at + 8, fake_hotspot_text(jvm, name));
	fake_hotspot_put(jvm, at + 24, is_static);
	if (is_static)
		fake_hotspot_put(jvm, at + 40,
		                 fake_hotspot_address(FAKE_JVM_STATICS + offset * WORD));
	else
		fake_hotspot_put(jvm, at + 32, offset);
}

static void add_type(struct fake_hotspot *jvm, const char *name, uint64_t size)
{
	size_t at = FAKE_JVM_TYPES + jvm->types++ * 40;

	fake_hotspot_put(jvm, at, fake_hotspot_text(jvm, name));
	fake_hotspot_put(jvm, at + 32, size);
}

static void add_int(struct fake_hotspot *jvm, const char *name, uint32_t value)
{
	size_t at = FAKE_JVM_INTS + jvm->ints++ * 16;

	fake_hotspot_put(jvm, at, fake_hotspot_text(jvm, name));
	fake_hotspot_put(jvm, at + 8, value);
}

/** Sets the variables that describe the tables. */
static void add_variables(struct fake_hotspot *jvm)
{
	static const struct {
		enum pm_vm_variable variable;
		uint64_t value;
	} numbers[] = {
		{ PM_VM_STRUCT_STRIDE, 48 }, { PM_VM_STRUCT_TYPE, 0 },
		{ PM_VM_STRUCT_FIELD, 8 },   { PM_VM_STRUCT_IS_STATIC, 24 },
		{ PM_VM_STRUCT_OFFSET, 32 }, { PM_VM_STRUCT_ADDRESS, 40 },
		{ PM_VM_TYPE_STRIDE, 40 },   { PM_VM_TYPE_NAME, 0 },
		{ PM_VM_TYPE_SIZE, 32 },     { PM_VM_INT_STRIDE, 16 },
		{ PM_VM_INT_NAME, 0 },       { PM_VM_INT_VALUE, 8 },
		{ PM_VM_LONG_STRIDE, 16 },   { PM_VM_LONG_NAME, 0 },
		{ PM_VM_LONG_VALUE, 8 },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		fake_hotspot_put(jvm, numbers[i].variable * WORD, numbers[i].value);
	fake_hotspot_put(jvm, PM_VM_STRUCTS * WORD, fake_hotspot_address(FAKE_JVM_FIELDS));
	fake_hotspot_put(jvm, PM_VM_TYPES * WORD, fake_hotspot_address(FAKE_JVM_TYPES));
	fake_hotspot_put(jvm, PM_VM_INTS * WORD, fake_hotspot_address(FAKE_JVM_INTS));
	fake_hotspot_put(jvm, PM_VM_LONGS * WORD, fake_hotspot_address(FAKE_JVM_LONGS));

	for (size_t i = 0; i < PM_VM_VARIABLE_COUNT; i++)
		jvm->places.variables.addresses[i] = fake_hotspot_address(i * WORD);
	jvm->places.metaspace = fake_hotspot_address(FAKE_JVM_SYMBOLS);
	jvm->places.class_space = fake_hotspot_address(FAKE_JVM_SYMBOLS + WORD);
	jvm->places.tracker = fake_hotspot_address(FAKE_JVM_SYMBOLS + 2 * WORD);
}

/** Describes the fields. */
static void add_fields(struct fake_hotspot *jvm)
{
	static const struct {
		const char *type;
		const char *name;
		bool is_static;
		uint64_t offset; /* of a static field: its number */
	} fields[] = {
		{ "Universe", "_collectedHeap", true, FAKE_JVM_STATIC_HEAP },
		{ "CollectedHeap", "_reserved", false, 32 },
		{ "CollectedHeap", "_total_collections", false, 64 },
		{ "MemRegion", "_start", false, 0 },
		{ "MemRegion", "_word_size", false, 8 },
		{ "BarrierSet", "_barrier_set", true, FAKE_JVM_STATIC_BARRIERS },
		{ "BarrierSet", "_fake_rtti", false, 8 },
		{ "BarrierSet::FakeRtti", "_concrete_tag", false, 8 },
		{ "CardTableBarrierSet", "_card_table", false, 64 },
		{ "CardTable", "_byte_map", false, 56 },
		{ "CardTable", "_byte_map_size", false, 48 },
		{ "CodeCache", "_heaps", true, FAKE_JVM_STATIC_CODE },
		{ "GrowableArrayBase", "_len", false, 0 },
		{ "GrowableArray<int>", "_data", false, 8 },
		{ "CodeHeap", "_memory", false, 8 },
		{ "CodeHeap", "_segmap", false, 120 },
		{ "VirtualSpace", "_low_boundary", false, 0 },
		{ "VirtualSpace", "_high_boundary", false, 8 },
		{ "MetaspaceObj", "_shared_metaspace_base", true, FAKE_JVM_STATIC_ARCHIVE },
		{ "MetaspaceObj", "_shared_metaspace_top", true, FAKE_JVM_STATIC_ARCHIVE_END },
		{ "PerfMemory", "_start", true, FAKE_JVM_STATIC_COUNTERS },
		{ "PerfMemory", "_end", true, FAKE_JVM_STATIC_COUNTERS_END },
		{ "Abstract_VM_Version", "_s_vm_release", true, FAKE_JVM_STATIC_VERSION },
	};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		fake_hotspot_field(jvm, fields[i].type, fields[i].name, fields[i].is_static,
		                   fields[i].offset);
	add_type(jvm, "CollectedHeap", 96);
	add_type(jvm, "Opaque", 0);
	add_int(jvm, "BarrierSet::CardTableBarrierSet", 1);
	add_int(jvm, "BarrierSet::G1BarrierSet", 3);
}

static void put_static(struct fake_hotspot *jvm, size_t place, uint64_t word)
{
	fake_hotspot_put(jvm, FAKE_JVM_STATICS + place * WORD, word);
}

static void add_heap(struct fake_hotspot *jvm)
{
	put_static(jvm, FAKE_JVM_STATIC_HEAP, fake_hotspot_address(FAKE_JVM_HEAP));
	fake_hotspot_put(jvm, FAKE_JVM_HEAP + 32, FAKE_JVM_HEAP_START);
	fake_hotspot_put(jvm, FAKE_JVM_HEAP + 40, FAKE_JVM_HEAP_BYTES / 8);
	fake_hotspot_put(jvm, FAKE_JVM_HEAP + 64, 5);
	put_static(jvm, FAKE_JVM_STATIC_BARRIERS, fake_hotspot_address(FAKE_JVM_BARRIERS));
	fake_hotspot_put(jvm, FAKE_JVM_BARRIERS + 16, 3);
	fake_hotspot_put(jvm, FAKE_JVM_BARRIERS + 64, fake_hotspot_address(FAKE_JVM_CARDS));
	fake_hotspot_put(jvm, FAKE_JVM_CARDS + 56, FAKE_JVM_CARDS_START);
	fake_hotspot_put(jvm, FAKE_JVM_CARDS + 48, FAKE_JVM_HEAP_BYTES / 512);
}

/** Two segments, each with its table at its end. */
static void add_code(struct fake_hotspot *jvm)
{
	const uint64_t half = FAKE_JVM_CODE_BYTES / 2, table = 0x10000;

	put_static(jvm, FAKE_JVM_STATIC_CODE, fake_hotspot_address(FAKE_JVM_CODE));
	fake_hotspot_put(jvm, FAKE_JVM_CODE, 2);
	fake_hotspot_put(jvm, FAKE_JVM_CODE + 8, fake_hotspot_address(FAKE_JVM_CODE + 64));
	for (size_t i = 0; i < 2; i++) {
		size_t heap = FAKE_JVM_CODE + 256 * (i + 1);
		uint64_t start = FAKE_JVM_CODE_START + i * half;

		fake_hotspot_put(jvm, FAKE_JVM_CODE + 64 + i * WORD, fake_hotspot_address(heap));
		fake_hotspot_put(jvm, heap + 8, start);
		fake_hotspot_put(jvm, heap + 16, start + half - table);
		fake_hotspot_put(jvm, heap + 120, start + half - table);
		fake_hotspot_put(jvm, heap + 128, start + half);
	}
}

static void add_node(struct fake_hotspot *jvm, size_t number, size_t next, uint64_t start,
                     uint64_t size)
{
	size_t node = FAKE_JVM_NODES + number * 64;

	fake_hotspot_put(jvm, node, next ? fake_hotspot_address(FAKE_JVM_NODES + next * 64) : 0);
	fake_hotspot_put(jvm, node + 8, start);
	fake_hotspot_put(jvm, node + 16, size);
}

/** Metaspace has two nodes, the class space one. */
static void add_metaspace(struct fake_hotspot *jvm)
{
	static const char *const names[] = { "non-class-space", "class-space" };
	static const size_t first_nodes[] = { 0, 2 };

	for (size_t i = 0; i < 2; i++) {
		size_t object = FAKE_JVM_CONTEXTS + i * 64, list = object + 128;

		fake_hotspot_put(jvm, FAKE_JVM_SYMBOLS + i * WORD, fake_hotspot_address(object));
		fake_hotspot_put(jvm, object, fake_hotspot_text(jvm, names[i]));
		fake_hotspot_put(jvm, object + 8, fake_hotspot_address(list));
		fake_hotspot_put(jvm, list + 16,
		                 fake_hotspot_address(FAKE_JVM_NODES + first_nodes[i] * 64));
	}

	add_node(jvm, 0, 1, FAKE_JVM_META_START + FAKE_JVM_META_BYTES / 2, FAKE_JVM_META_BYTES / 2);
	add_node(jvm, 1, 0, FAKE_JVM_META_START, FAKE_JVM_META_BYTES / 2);
	add_node(jvm, 2, 0, FAKE_JVM_CLASS_START, FAKE_JVM_CLASS_BYTES);
}

static void add_tracked(struct fake_hotspot *jvm, size_t number, bool last, uint64_t start,
                        uint64_t size, uint8_t tag)
{
	size_t node = FAKE_JVM_TRACKED + number * 128;

	fake_hotspot_put(jvm, node, start);
	fake_hotspot_put(jvm, node + 8, size);
	fake_hotspot_put(jvm, node + 72, tag);
	fake_hotspot_put(jvm, node + 80, last ? 0 : fake_hotspot_address(node + 128));
}

static void add_tracker(struct fake_hotspot *jvm)
{
	fake_hotspot_put(jvm, FAKE_JVM_SYMBOLS + 2 * WORD, fake_hotspot_address(FAKE_JVM_TRACKER));
	fake_hotspot_put(jvm, FAKE_JVM_TRACKER + 8, fake_hotspot_address(FAKE_JVM_TRACKED));
	add_tracked(jvm, 0, false, FAKE_JVM_HEAP_START, FAKE_JVM_HEAP_BYTES, 0);
	add_tracked(jvm, 1, false, FAKE_JVM_CODE_START, FAKE_JVM_CODE_BYTES, 4);
	add_tracked(jvm, 2, false, FAKE_JVM_CARDS_START, FAKE_JVM_CARDS_BYTES, 5);
	add_tracked(jvm, 3, true, FAKE_JVM_BITS_START, FAKE_JVM_BITS_BYTES, 5);
}

/** Adds a counter. Returns the offset of the next one. */
static size_t add_counter(struct fake_hotspot *jvm, size_t at, const char *name, uint64_t value)
{
	const uint32_t words[] = { 64, 20, 0, 'J', 56 };

	memcpy(jvm->data + at, words, sizeof words);
	memcpy(jvm->data + at + 20, name, strlen(name) + 1);
	memcpy(jvm->data + at + 56, &value, sizeof value);
	return at + 64;
}

static void add_counters(struct fake_hotspot *jvm)
{
	static const unsigned char magic[] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1 };
	size_t at = FAKE_JVM_COUNTERS + 32;

	at = add_counter(jvm, at, "sun.gc.collector.0.invocations", 7);
	at = add_counter(jvm, at, "sun.gc.collector.0.time", 9000000);
	at = add_counter(jvm, at, "sun.gc.collector.1.invocations", 2);
	at = add_counter(jvm, at, "sun.gc.collector.1.time", 1000000);
	at = add_counter(jvm, at, "sun.gc.collector.x.time", 5);
	at = add_counter(jvm, at, "sun.os.hrt.frequency", 1000000000);

	const uint32_t head[] = { (uint32_t)(at - FAKE_JVM_COUNTERS), 0, 0, 0, 32, 6 };
	memcpy(jvm->data + FAKE_JVM_COUNTERS, magic, sizeof magic);
	memcpy(jvm->data + FAKE_JVM_COUNTERS + 8, head, sizeof head);
	put_static(jvm, FAKE_JVM_STATIC_COUNTERS, fake_hotspot_address(FAKE_JVM_COUNTERS));
	put_static(jvm, FAKE_JVM_STATIC_COUNTERS_END, fake_hotspot_address(FAKE_JVM_SIZE));
}

static void add_region(struct fake_hotspot *jvm, uint64_t start, uint64_t size, unsigned perms,
                       const char *file)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .perms = (uint8_t)perms,
		                    .mapping = file,
		                    .inode = file[0] == '/' };

	if (pm_regions_append(&jvm->regions, &region, NULL) < 0)
		abort();
}

static void add_regions(struct fake_hotspot *jvm)
{
	pm_regions_init(&jvm->regions);
	add_region(jvm, FAKE_JVM_HEAP_START, FAKE_JVM_HEAP_BYTES, RW, "");
	add_region(jvm, FAKE_JVM_ARCHIVE_START, FAKE_JVM_ARCHIVE_BYTES, RW, "/lib/classes.jsa");
	add_region(jvm, FAKE_JVM_CLASS_START, 0x100000, RW, "");
	add_region(jvm, FAKE_JVM_CLASS_START + 0x100000, FAKE_JVM_CLASS_BYTES - 0x100000, 0, "");
	add_region(jvm, FAKE_JVM_META_START, FAKE_JVM_META_BYTES, RW, "");
	add_region(jvm, FAKE_JVM_CODE_START, FAKE_JVM_CODE_BYTES, RW | PM_PERM_EXEC, "");
	add_region(jvm, FAKE_JVM_CARDS_START, FAKE_JVM_CARDS_BYTES, RW, "");
	add_region(jvm, FAKE_JVM_BITS_START, FAKE_JVM_BITS_BYTES, RW, "");
	add_region(jvm, FAKE_JVM_LIBRARY_START, FAKE_JVM_LIBRARY_BYTES, PM_PERM_READ | PM_PERM_EXEC,
	           "/lib/libjvm.so");
	add_region(jvm, FAKE_JVM_DATA_START, FAKE_JVM_SIZE, RW, "");
}

void fake_hotspot_init(struct fake_hotspot *jvm)
{
	memset(jvm, 0, sizeof *jvm);
	add_variables(jvm);
	add_fields(jvm);
	add_heap(jvm);
	add_code(jvm);
	add_metaspace(jvm);
	add_tracker(jvm);
	add_counters(jvm);
	put_static(jvm, FAKE_JVM_STATIC_ARCHIVE, FAKE_JVM_ARCHIVE_START);
	put_static(jvm, FAKE_JVM_STATIC_ARCHIVE_END,
	           FAKE_JVM_ARCHIVE_START + FAKE_JVM_ARCHIVE_BYTES);
	put_static(jvm, FAKE_JVM_STATIC_VERSION, fake_hotspot_text(jvm, "17.0.99+1"));
	add_regions(jvm);

	jvm->range = (struct pm_fake_range){ FAKE_JVM_DATA_START, jvm->data, sizeof jvm->data };
	jvm->target = (struct pm_fake_target){ .ranges = &jvm->range, .count = 1 };
	jvm->reader = pm_fake_reader(&jvm->target);
}

void fake_hotspot_deinit(struct fake_hotspot *jvm)
{
	pm_regions_deinit(&jvm->regions);
}

/** Opens a context as pm_runtimes_open() does. */
static int open_context(struct fake_hotspot *jvm, const struct pm_runtimes_source *source,
                        struct pm_runtimes_context *context, struct pm_error *error)
{
	*context = (struct pm_runtimes_context){
		.source = source,
		.memory = { .regions = &jvm->regions, .reader = &jvm->reader },
		.result = calloc(1, sizeof *context->result),
		.deadline_ns = UINT64_MAX,
	};

	if (!context->result)
		abort();
	return pm_heap_window_open(&context->memory, &context->window, error);
}

int fake_hotspot_read(struct fake_hotspot *jvm, struct pm_runtimes **runtimes,
                      struct pm_error *error)
{
	const struct pm_runtimes_source source = { .regions = &jvm->regions,
		                                   .reader = &jvm->reader };
	struct pm_runtimes_context context;
	int result = open_context(jvm, &source, &context, error);

	if (result == 0)
		result = pm_hotspot_read(&context, &jvm->places, error);
	pm_heap_window_close(context.window);

	*runtimes = context.result;
	return result;
}

int fake_hotspot_read_structs(struct fake_hotspot *jvm, struct pm_vm_structs **structs,
                              struct pm_error *error)
{
	const struct pm_runtimes_source source = { .regions = &jvm->regions,
		                                   .reader = &jvm->reader };
	struct pm_runtimes_context context;
	int result = open_context(jvm, &source, &context, error);

	if (result == 0)
		result = pm_vm_structs_open(&context, &jvm->places.variables, structs, error);
	pm_heap_window_close(context.window);
	pm_runtimes_close(context.result);

	return result;
}
