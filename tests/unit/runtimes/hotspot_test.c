/* SPDX-License-Identifier: MIT */
/* HotSpot in fake memory: what is found, and what must not be found if its data is corrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/fake_hotspot.h"
#include "support/target.h"

enum { WORD = 8, SIZE_OF_FIELD = 48, SIZE_OF_TYPE = 40 };

static int set_up(void **state)
{
	static struct fake_hotspot jvm;

	fake_hotspot_init(&jvm);
	*state = &jvm;
	return 0;
}

static int tear_down(void **state)
{
	fake_hotspot_deinit(*state);
	return 0;
}

static struct pm_runtimes *read_jvm(struct fake_hotspot *jvm)
{
	struct pm_error error = { 0 };
	struct pm_runtimes *runtimes;

	must(fake_hotspot_read(jvm, &runtimes, &error), &error);
	assert_int_equal(runtimes->count, 1);
	return runtimes;
}

/** Returns the sum of the ranges of an owner in bytes. */
static uint64_t bytes_of(const struct pm_runtimes *runtimes, enum pm_owner owner)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < runtimes->range_count; i++)
		if (runtimes->ranges[i].owner == owner)
			sum += pm_range_size(runtimes->ranges[i].range);
	return sum;
}

/** Reads the JVM, and returns the bytes of an owner. */
static uint64_t read_bytes_of(struct fake_hotspot *jvm, enum pm_owner owner)
{
	struct pm_runtimes *runtimes = read_jvm(jvm);
	uint64_t bytes = bytes_of(runtimes, owner);

	pm_runtimes_close(runtimes);
	return bytes;
}

static void finds_all(void **state)
{
	struct pm_runtimes *runtimes = read_jvm(*state);
	const struct pm_runtime_info *info = &runtimes->items[0];

	assert_string_equal(info->family, "java");
	assert_string_equal(info->version, "17.0.99+1");
	assert_string_equal(info->variant, "G1");
	assert_string_equal(info->missing, "");
	assert_true(info->complete);

	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_HEAP), FAKE_JVM_HEAP_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_ARCHIVE), FAKE_JVM_ARCHIVE_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_CLASS_SPACE), FAKE_JVM_CLASS_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_METASPACE), FAKE_JVM_META_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_CODE), FAKE_JVM_CODE_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_COUNTERS), 4096);
	/* The card table is found twice: the list of native memory tracking has it, too. */
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_GC),
	                 2 * FAKE_JVM_CARDS_BYTES + FAKE_JVM_BITS_BYTES);

	assert_int_equal(runtimes->counter_count, 3);
	assert_string_equal(runtimes->counters[0].name, "collections");
	assert_int_equal(runtimes->counters[0].value, 9);
	assert_string_equal(runtimes->counters[1].name, "collection_time");
	assert_int_equal(runtimes->counters[1].value, 10000);
	assert_true(runtimes->counters[1].microseconds);
	assert_string_equal(runtimes->counters[2].name, "old_collections");
	assert_int_equal(runtimes->counters[2].value, 2);
	pm_runtimes_close(runtimes);
}

static void describes_fields(void **state)
{
	struct pm_vm_structs *structs = NULL;
	struct pm_error error = { 0 };
	int64_t value;
	uint64_t size;

	must(fake_hotspot_read_structs(*state, &structs, &error), &error);
	assert_non_null(structs);
	assert_true(pm_vm_structs_complete(structs));

	const struct pm_vm_field *field = pm_vm_structs_field(structs, "CollectedHeap",
	                                                      "_reserved");
	assert_non_null(field);
	assert_int_equal(field->offset, 32);
	assert_false(field->is_static);
	assert_null(pm_vm_structs_field(structs, "CollectedHeap", "_start"));
	assert_null(pm_vm_structs_field(structs, "", ""));

	assert_true(pm_vm_structs_size(structs, "CollectedHeap", &size));
	assert_int_equal(size, 96);
	assert_false(pm_vm_structs_size(structs, "Opaque", &size));
	assert_true(pm_vm_structs_constant(structs, "BarrierSet::G1BarrierSet", &value));
	assert_int_equal(value, 3);
	assert_false(pm_vm_structs_constant(structs, "BarrierSet", &value));
	pm_vm_structs_close(structs);
}

/** Reads the JVM; nothing must be known about its memory. */
static void expect_nothing(struct fake_hotspot *jvm)
{
	struct pm_runtimes *runtimes = read_jvm(jvm);

	assert_int_equal(runtimes->range_count, 0);
	assert_false(runtimes->items[0].complete);
	assert_true(runtimes->items[0].missing[0] != '\0');
	assert_string_equal(runtimes->items[0].variant, "");
	pm_runtimes_close(runtimes);
}

static void rejects_tables(void **state)
{
	static const struct {
		enum pm_vm_variable variable;
		uint64_t value;
	} corrupt[] = {
		{ PM_VM_STRUCTS, 0 },
		{ PM_VM_STRUCTS, 8 },
		{ PM_VM_STRUCTS, UINT64_MAX },
		{ PM_VM_STRUCT_STRIDE, 0 },
		{ PM_VM_STRUCT_STRIDE, 7 },
		{ PM_VM_STRUCT_STRIDE, 1 << 20 },
		{ PM_VM_STRUCT_STRIDE, 24 },
		{ PM_VM_STRUCT_ADDRESS, UINT64_MAX },
		{ PM_VM_STRUCT_ADDRESS, 41 },
		{ PM_VM_TYPES, 0 },
		{ PM_VM_STRUCT_TYPE, 16 },
		{ PM_VM_TYPE_STRIDE, 1 << 20 },
		{ PM_VM_TYPE_SIZE, UINT64_MAX },
	};
	struct fake_hotspot *jvm = *state;

	for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
		uint64_t saved;
		size_t at = (size_t)corrupt[i].variable * WORD;

		memcpy(&saved, jvm->data + at, sizeof saved);
		fake_hotspot_put(jvm, at, corrupt[i].value);
		expect_nothing(jvm);
		fake_hotspot_put(jvm, at, saved);
	}
}

/** A name that is not one, or an offset that is too large: only this field is left out. */
static void leaves_out_fields(void **state)
{
	struct fake_hotspot *jvm = *state;
	const size_t reserved = FAKE_JVM_FIELDS + SIZE_OF_FIELD;

	fake_hotspot_put(jvm, reserved + 32, UINT64_MAX - 8);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_HEAP), 0);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_CODE), FAKE_JVM_CODE_BYTES);
	fake_hotspot_put(jvm, reserved + 32, 32);

	fake_hotspot_put(jvm, reserved + 8, FAKE_JVM_LIBRARY_START);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_HEAP), 0);
	fake_hotspot_put(jvm, reserved + 8, fake_hotspot_address(FAKE_JVM_SIZE - 1));
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_HEAP), 0);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_CODE), FAKE_JVM_CODE_BYTES);
}

/** The table of types continues where nothing can be read. */
static void ends_tables(void **state)
{
	struct fake_hotspot *jvm = *state;
	const size_t end = FAKE_JVM_SIZE - 2 * SIZE_OF_TYPE;
	struct pm_vm_structs *structs = NULL;
	struct pm_error error = { 0 };

	memcpy(jvm->data + end, jvm->data + FAKE_JVM_TYPES, SIZE_OF_TYPE);
	memcpy(jvm->data + end + SIZE_OF_TYPE, jvm->data + FAKE_JVM_TYPES, SIZE_OF_TYPE);
	fake_hotspot_put(jvm, PM_VM_TYPES * WORD, fake_hotspot_address(end));
	must(fake_hotspot_read_structs(jvm, &structs, &error), &error);
	assert_non_null(structs);
	assert_false(pm_vm_structs_complete(structs));
	pm_vm_structs_close(structs);
}

static void rejects_heaps(void **state)
{
	static const struct {
		uint64_t start, bytes;
	} corrupt[] = {
		{ FAKE_JVM_HEAP_START, 0 },
		{ FAKE_JVM_HEAP_START, FAKE_JVM_HEAP_BYTES + 4096 }, /* not mapped to its end */
		{ FAKE_JVM_HEAP_START + 8, FAKE_JVM_HEAP_BYTES - 4096 },
		{ FAKE_JVM_HEAP_START - 4096, FAKE_JVM_HEAP_BYTES },
		{ FAKE_JVM_LIBRARY_START, FAKE_JVM_LIBRARY_BYTES }, /* code of a library */
		{ 0, UINT64_MAX - 7 },
		{ UINT64_MAX - 4095, 4096 },
	};
	struct fake_hotspot *jvm = *state;

	for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
		fake_hotspot_put(jvm, FAKE_JVM_HEAP + 32, corrupt[i].start);
		fake_hotspot_put(jvm, FAKE_JVM_HEAP + 40, corrupt[i].bytes / 8);

		struct pm_runtimes *runtimes = read_jvm(jvm);
		assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_HEAP), 0);
		assert_false(runtimes->items[0].complete);
		assert_non_null(strstr(runtimes->items[0].missing, "Java heap"));
		pm_runtimes_close(runtimes);
	}
}

static void rejects_card_tables(void **state)
{
	struct fake_hotspot *jvm = *state;

	/* Without the list of native memory tracking */
	jvm->places.tracker = 0;
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), FAKE_JVM_CARDS_BYTES);
	fake_hotspot_put(jvm, FAKE_JVM_CARDS + 48, FAKE_JVM_HEAP_BYTES / 16);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), 0);
	fake_hotspot_put(jvm, FAKE_JVM_CARDS + 48, FAKE_JVM_HEAP_BYTES / 512);
	fake_hotspot_put(jvm, FAKE_JVM_CARDS + 56, FAKE_JVM_CARDS_START + 1);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), 0);
}

static void rejects_code_caches(void **state)
{
	struct fake_hotspot *jvm = *state;

	fake_hotspot_put(jvm, FAKE_JVM_CODE, 1000000);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_CODE), 0);
	fake_hotspot_put(jvm, FAKE_JVM_CODE, 2);
	fake_hotspot_put(jvm, FAKE_JVM_CODE + 8, UINT64_MAX - 8);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_CODE), 0);
}

/** The list of metaspace has a circle, or a node that cannot be one. */
static void rejects_metaspace(void **state)
{
	struct fake_hotspot *jvm = *state;
	struct pm_runtimes *runtimes;

	fake_hotspot_put(jvm, FAKE_JVM_NODES + 64, fake_hotspot_address(FAKE_JVM_NODES));
	runtimes = read_jvm(jvm);
	assert_false(runtimes->items[0].complete);
	assert_non_null(strstr(runtimes->items[0].missing, "metaspace"));
	pm_runtimes_close(runtimes);

	fake_hotspot_put(jvm, FAKE_JVM_NODES + 64, 0);
	fake_hotspot_put(jvm, FAKE_JVM_NODES + 8, FAKE_JVM_META_START + 4096);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_METASPACE), 0);

	/* Another name: it is another object. */
	fake_hotspot_put(jvm, FAKE_JVM_CONTEXTS + 64, fake_hotspot_text(jvm, "space"));
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_CLASS_SPACE), 0);
}

/** Without .symtab, all else is found. */
static void needs_no_symbols(void **state)
{
	struct fake_hotspot *jvm = *state;

	jvm->places.metaspace = jvm->places.class_space = jvm->places.tracker = 0;
	struct pm_runtimes *runtimes = read_jvm(jvm);

	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_HEAP), FAKE_JVM_HEAP_BYTES);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_METASPACE), 0);
	assert_false(runtimes->items[0].complete);
	pm_runtimes_close(runtimes);
}

/** A list that contradicts what is known is not used at all. */
static void rejects_trackers(void **state)
{
	struct fake_hotspot *jvm = *state;
	const size_t code = FAKE_JVM_TRACKED + 128, bits = FAKE_JVM_TRACKED + 3 * 128;

	fake_hotspot_put(jvm, code + 72, 3);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), FAKE_JVM_CARDS_BYTES);
	fake_hotspot_put(jvm, code + 72, 4);

	fake_hotspot_put(jvm, bits + 80, fake_hotspot_address(FAKE_JVM_TRACKED));
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), FAKE_JVM_CARDS_BYTES);
	fake_hotspot_put(jvm, bits + 80, 8);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), FAKE_JVM_CARDS_BYTES);
	fake_hotspot_put(jvm, bits + 80, 0);

	fake_hotspot_put(jvm, bits + 8, FAKE_JVM_BITS_BYTES * 2);
	assert_int_equal(read_bytes_of(jvm, PM_OWNER_JAVA_GC), 2 * FAKE_JVM_CARDS_BYTES);
}

/** Without performance counters, the heap counts its collections. */
static void rejects_counters(void **state)
{
	static const size_t corrupt[] = { 0, 4, 5, 8, 24, 32 };
	struct fake_hotspot *jvm = *state;

	for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
		unsigned char *at = jvm->data + FAKE_JVM_COUNTERS + corrupt[i], saved[4];

		memcpy(saved, at, sizeof saved);
		memset(at, 0xff, sizeof saved);
		struct pm_runtimes *runtimes = read_jvm(jvm);
		assert_int_equal(runtimes->counter_count, 1);
		assert_int_equal(runtimes->counters[0].value, 5);
		pm_runtimes_close(runtimes);
		memcpy(at, saved, sizeof saved);
	}
}

/** Blocks of malloc in a region that also has memory of the JVM get their own ranges. */
static void divides_regions(void **state)
{
	struct fake_hotspot *jvm = *state;
	const size_t block = 0x40000;
	unsigned char *memory = calloc(1, FAKE_JVM_BITS_BYTES);
	const struct pm_fake_range ranges[] = {
		jvm->range, { FAKE_JVM_BITS_START, memory, FAKE_JVM_BITS_BYTES }
	};
	const uint64_t header = block | 2;

	assert_non_null(memory);
	memcpy(memory + FAKE_JVM_BITS_BYTES - 2 * block + WORD, &header, sizeof header);
	memcpy(memory + FAKE_JVM_BITS_BYTES - block + WORD, &header, sizeof header);
	jvm->target.ranges = ranges;
	jvm->target.count = 2;
	jvm->places.tracker = 0;

	struct pm_runtimes *runtimes = read_jvm(jvm);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_MALLOC), 2 * block);
	assert_int_equal(bytes_of(runtimes, PM_OWNER_JAVA_GC),
	                 FAKE_JVM_CARDS_BYTES + FAKE_JVM_BITS_BYTES - 2 * block);
	for (size_t i = 0; i < runtimes->range_count; i++)
		if (runtimes->ranges[i].range.start == FAKE_JVM_BITS_START)
			assert_int_equal(runtimes->ranges[i].proof, PM_PROOF_INFERRED);
	pm_runtimes_close(runtimes);
	free(memory);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(describes_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_heaps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_card_tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_code_caches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_metaspace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(needs_no_symbols, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_trackers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_counters, set_up, tear_down),
		cmocka_unit_test_setup_teardown(divides_regions, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
