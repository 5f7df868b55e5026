/* SPDX-License-Identifier: MIT */
/*
 * What the child process of the unwinder does with a mapped file of any content. Errors in libdw do
 * no harm there, since the child has no privileges; this finds ours.
 */
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "stack/child_files.h"
#include "stack/child_names.h"
#include "stack/child_unwind.h"

enum { START = 0x400000, SIZE = 0x10000 };

/** What is unwound by rules must be what libdw unwinds. */
static void check_rules(struct pm_child_files *files, const struct pm_stack_sample *sample,
                        const char *stack)
{
	static struct pm_stack_unwound one, other;

	if (!pm_child_unwind_by_rules(files, sample, stack, &one))
		return;
	pm_child_unwind_by_libdw(files, sample, stack, &other);
	fuzz_check(one.count == other.count && other.cut == 0);
	fuzz_check(memcmp(one.addresses, other.addresses, one.count * sizeof *one.addresses) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char output[PM_STACK_OUTPUT_SIZE];
	static char stack[4096];
	struct pm_child_files files;
	struct pm_stack_unwound unwound;
	struct pm_stack_module module = { .start = START, .end = START + SIZE };
	struct pm_stack_sample sample = { .size = sizeof stack };

	fuzz_check(pm_child_files_init(&files, -1));
	fuzz_check(pm_child_files_report(&files, &module, 1));
	files.items[0]->asked = true;
	files.items[0]->asked_debug = true;
	files.items[0]->fd = dup(fuzz_file(data, size));
	fuzz_check(pm_child_unwind_attach(&files));

	for (uint64_t offset = 0; offset < SIZE; offset += SIZE / 16 + 1) {
		sample.registers[PM_UNWIND_IP] = START + offset;
		sample.registers[PM_UNWIND_SP] = 0x7fff0000;
		pm_child_unwind(&files, &sample, stack, &unwound);
		fuzz_check(unwound.count <= PM_STACK_MAX);
		check_rules(&files, &sample, stack);
		fuzz_check(pm_child_names_find(&files, START + offset, output, sizeof output) > 0);
	}

	pm_child_files_deinit(&files);
	return 0;
}
