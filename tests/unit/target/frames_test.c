/* SPDX-License-Identifier: MIT */
/* The line of a stack of a program in Java or JavaScript. */
#include "target/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define LIBC         "/lib/x86_64-linux-gnu/libc.so.6"

static void frames_of_a_jvm_are_left_out_if_the_program_is_known(void **state)
{
	struct text text = { 0 };
	struct pm_frame java[] = {
		{ .function = "malloc", .module = LIBC },
		{ .function = "Unsafe_AllocateMemory0", .module = "/usr/lib/jvm/libjvm.so" },
		{ .function = "java.nio.ByteBuffer.allocateDirect", .source = PM_FRAME_JIT },
		{ .function = "shop.Cache.store", .source = PM_FRAME_JIT },
		{ .function = "java.lang.Thread.run", .source = PM_FRAME_JIT },
	};

	(void)state;
	frames_line(&(struct pm_stack){ java, COUNT(java), false }, false, &text);
	assert_string_equal(text_terminate(&text), "shop.Cache.store < java.lang.Thread.run");
	text_clear(&text);
	/* Code without a name can be the program. */
	java[3] = (struct pm_frame){ .address = 1 };
	frames_line(&(struct pm_stack){ java, COUNT(java), false }, false, &text);
	assert_string_equal(text_terminate(&text), "java.nio.ByteBuffer.allocateDirect < [unknown] "
	                                           "< java.lang.Thread.run");
	text_clear(&text);
	java[2].function = NULL;
	frames_line(&(struct pm_stack){ java, 3, false }, false, &text);
	assert_string_equal(text_terminate(&text), "Unsafe_AllocateMemory0 < [unknown]");
	text_deinit(&text);
}

static void frames_of_node_are_left_out_if_the_program_is_known(void **state)
{
	struct text text = { 0 };
	const struct pm_frame node[] = {
		{ .function = "node::Buffer::New", .module = "/usr/bin/node" },
		{ .function = "alloc node:buffer:391:30", .source = PM_FRAME_JIT },
		{ .function = "read /srv/shop.js:3:19", .source = PM_FRAME_JIT },
		{ .function = "main", .module = "/usr/bin/node" },
	};

	(void)state;
	frames_line(&(struct pm_stack){ node, COUNT(node), false }, false, &text);
	assert_string_equal(text_terminate(&text), "read /srv/shop.js:3:19 < main");
	text_clear(&text);
	frames_line(&(struct pm_stack){ node, 2, false }, false, &text);
	assert_string_equal(text_terminate(&text), "node::Buffer::New < alloc node:buffer:391:30");
	text_deinit(&text);
}

static void functions_that_only_pass_requests_on_are_left_out(void **state)
{
	struct text text = { 0 };
	const struct pm_frame frames[] = {
		{ .function = "zrealloc_usable", .module = "/usr/bin/redis-server" },
		{ .function = "ffi_call", .module = "/usr/lib/libffi.so.8.1.2" },
		{ .function = "<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem",
		  .module = "/usr/bin/shop" },
		{ .function = "<shop::Cart as core::iter::Iterator>::next",
		  .module = "/usr/bin/shop" },
	};

	(void)state;
	frames_line(&(struct pm_stack){ frames, COUNT(frames), false }, false, &text);
	assert_string_equal(text_terminate(&text), "<shop::Cart as core::iter::Iterator>::next");
	text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_a_jvm_are_left_out_if_the_program_is_known),
		cmocka_unit_test(frames_of_node_are_left_out_if_the_program_is_known),
		cmocka_unit_test(functions_that_only_pass_requests_on_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
