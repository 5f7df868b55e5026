/* SPDX-License-Identifier: MIT */
/* Kinds by name: lists as in saved files, without a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/detail_text.h"
#include "support/fake_memory.h"

enum {
	RX = PM_PERM_READ | PM_PERM_EXEC,
	RWX = RW | PM_PERM_EXEC,
	R = PM_PERM_READ,
	SHARED = PM_PERM_SHARED
};

static const uint64_t base = UINT64_C(0x7f0000000000);

/** A line of maps, and its expected kind. */
struct line {
	unsigned perms;
	const char *name;
	bool deleted;
	uint32_t vm_flags;
	enum pm_kind kind;
	const char *detail;
};

/** Classifies one region alone. */
static void check(const struct line *line)
{
	struct pm_regions regions;
	struct pm_region region = { .start = base,
		                    .end = base + MIB,
		                    .perms = (uint8_t)line->perms,
		                    .mapping = line->name };

	region.deleted = line->deleted;
	region.vm_flags = line->vm_flags;
	region.inode = line->name[0] == '[' || line->name[0] == '\0' ? 0 : 4711;
	pm_regions_init(&regions);
	assert_int_equal(pm_regions_append(&regions, &region, NULL), 0);
	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);

	const struct pm_region *got = &regions.items[0];
	if (got->kind != line->kind || strcmp(detail_text(got), line->detail) != 0)
		fail_msg("'%s' is %s (%s), not %s (%s)", line->name,
		         pm_kind_name((enum pm_kind)got->kind), detail_text(got),
		         pm_kind_name(line->kind), line->detail);

	assert_true(got->proof != PM_PROOF_NONE);
	assert_true(got->why[0] != '\0');
	pm_regions_deinit(&regions);
}

static void names_determine_kinds(void **state)
{
	(void)state;
	static const struct line lines[] = {
		{ RW, "[heap]", false, 0, PM_KIND_HEAP, "" },
		{ R, "[vvar_vclock]", false, 0, PM_KIND_KERNEL, "" },
		{ RX, "[vdso]", false, 0, PM_KIND_KERNEL, "" },
		{ RX, "[of a kernel to come]", false, 0, PM_KIND_KERNEL, "" },
		{ RW, "/anon_hugepage", true, 0, PM_KIND_HUGE, "" },
		{ RW, "/mnt/huge/pool", false, PM_VM_KNOWN | PM_VM_HUGETLB, PM_KIND_HUGE, "" },
		{ RW | SHARED, "/SYSV0000002a", true, 0, PM_KIND_SHM, "SysV, shmid 4711" },
		{ RW | SHARED, "/dev/shm/queue", false, 0, PM_KIND_SHM, "POSIX" },
		{ RW | SHARED, "/memfd:buffer", true, 0, PM_KIND_SHM, "memfd" },
		{ RW | SHARED, "/dev/zero", true, 0, PM_KIND_SHM, "anonymous" },
		{ RW | SHARED, "[anon_shmem:ring]", false, 0, PM_KIND_SHM, "anonymous" },
		{ RW | SHARED, "/dev/nvidia0", false, 0, PM_KIND_DEVICE, "" },
		{ RW | SHARED, "anon_inode:[io_uring]", false, 0, PM_KIND_DEVICE, "" },
		{ RW | SHARED, "/opt/registers", false, PM_VM_KNOWN | PM_VM_IO, PM_KIND_DEVICE,
		  "" },
		{ R, "/usr/share/data", false, 0, PM_KIND_FILE, "" },
		{ RX, "/usr/lib/libreplaced.so.1", true, 0, PM_KIND_CODE, "" },
		{ RX | SHARED, "/tmp/ffiAbCdEf", true, 0, PM_KIND_JIT, "" },
		{ RX, "/memfd:thunks", true, 0, PM_KIND_JIT, "" },
		{ RX, "/home/me/.debug/jit/jit-4711.dump", false, 0, PM_KIND_JIT,
		  "record for perf" },
		{ RX, "/home/me/jit-tool.dump", false, 0, PM_KIND_CODE, "" },
		{ RWX, "", false, 0, PM_KIND_JIT, "" },
		{ RW, "", false, 0, PM_KIND_ANON, "" },
		{ 0, "", false, 0, PM_KIND_RESERVE, "" },
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		check(&lines[i]);
}

static void names_set_by_programs_are_used(void **state)
{
	(void)state;
	struct pm_regions regions;
	const struct {
		const char *name;
		enum pm_kind kind;
	} lines[] = {
		{ "[anon: glibc: malloc arena]", PM_KIND_ARENA },
		{ "[anon: glibc: malloc]", PM_KIND_MALLOC },
		{ "[anon: glibc: pthread stack: 4711]", PM_KIND_STACK },
		{ "[anon: Go: heap]", PM_KIND_ANON },
		{ "[anon:v8]", PM_KIND_ANON },
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct pm_region region = {
			.start = base, .end = base + MIB, .perms = RW, .mapping = lines[i].name
		};
		pm_regions_init(&regions);
		assert_int_equal(pm_regions_append(&regions, &region, NULL), 0);
		assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);
		if (regions.items[0].kind != lines[i].kind)
			fail_msg("%s is %s", lines[i].name,
			         pm_kind_name((enum pm_kind)regions.items[0].kind));
		if (lines[i].kind == PM_KIND_STACK)
			assert_int_equal(regions.items[0].thread, 4711);
		pm_regions_deinit(&regions);
	}
}

/** Appends a region of a library. */
static void add_library(struct pm_regions *regions, uint64_t start, unsigned perms,
                        const char *name)
{
	struct pm_region region = {
		.start = start, .end = start + MIB, .perms = (uint8_t)perms, .mapping = name
	};
	region.inode = 1;
	region.offset = start - base;
	assert_int_equal(pm_regions_append(regions, &region, NULL), 0);
}

static void only_reserved_memory_is_the_code_cache(void **state)
{
	(void)state;
	struct pm_regions regions;
	pm_regions_init(&regions);
	add_library(&regions, base, RX, "/usr/lib/jvm/lib/server/libjvm.so");
	fake_memory_region(&regions, base + 8 * MIB, 2 * MIB, RWX);
	fake_memory_region(&regions, base + 10 * MIB, 30 * MIB, 0);
	fake_memory_region(&regions, base + 64 * MIB, MIB, RWX); /* thunks of some library */
	fake_memory_region(&regions, base + 65 * MIB, 4096, 0)->vm_flags = PM_VM_KNOWN;

	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);
	assert_string_equal(detail_text(&regions.items[1]), "code cache of the JVM");
	assert_int_equal(regions.items[2].kind, PM_KIND_RESERVE);
	assert_int_equal(regions.items[3].kind, PM_KIND_JIT);
	assert_string_equal(detail_text(&regions.items[3]), "");
	pm_regions_deinit(&regions);
}

static void libraries_without_files_are_recognized_by_permissions(void **state)
{
	(void)state;
	static const char name[] = "/usr/lib/libold.so";
	struct pm_regions regions;
	pm_regions_init(&regions);
	add_library(&regions, base, R, name);
	add_library(&regions, base + MIB, RX, name);
	add_library(&regions, base + 2 * MIB, R, name);
	add_library(&regions, base + 3 * MIB, R, name);

	add_library(&regions, base + 4 * MIB, RW, name);
	fake_memory_region(&regions, base + 5 * MIB, 4096, RW);

	static const enum pm_kind kinds[] = { PM_KIND_RODATA, PM_KIND_CODE, PM_KIND_RODATA,
		                              PM_KIND_DATA,   PM_KIND_DATA, PM_KIND_BSS };
	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);

	for (size_t i = 0; i < regions.count; i++) {
		assert_int_equal(regions.items[i].kind, kinds[i]);
		assert_int_equal(regions.items[i].proof, PM_PROOF_INFERRED);
	}

	assert_string_equal(detail_text(&regions.items[3]), "relro");
	pm_regions_deinit(&regions);
}

static void empty_list_is_not_an_error(void **state)
{
	(void)state;
	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_determine_kinds),
		cmocka_unit_test(names_set_by_programs_are_used),
		cmocka_unit_test(only_reserved_memory_is_the_code_cache),
		cmocka_unit_test(libraries_without_files_are_recognized_by_permissions),
		cmocka_unit_test(empty_list_is_not_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
