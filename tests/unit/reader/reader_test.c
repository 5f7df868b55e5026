/* SPDX-License-Identifier: MIT */
/* The errors of readers for bytes that cannot be read, and a kernel that refuses
 * process_vm_readv(2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "support/look.h"
#include "support/target.h"

enum { PAGE = 4096 };

static void start(struct target *target, struct look *look, const char *program, uint64_t *address)
{
	uint64_t end;
	target_start(target, program, NULL);
	target_range(target, "content", address, &end);
	look_open(look, target->pid);
}

static void stop(struct target *target, struct look *look)
{
	look_close(look);
	target_stop(target);
}

static void expect_page(struct pm_reader *reader, uint64_t address, const char *text)
{
	char bytes[64];
	struct pm_error error = { 0 };
	if (pm_reader_read(reader, address, bytes, sizeof bytes, NULL, &error) < 0)
		fail_msg("%s", error.text);
	assert_string_equal(bytes, text);
}

static void unmapped_bytes_are_unreadable(void **state)
{
	struct target target;
	struct look look;
	uint64_t address, extra = 0;
	char bytes[2 * PAGE];
	size_t done;
	struct pm_error error = { 0 };
	(void)state;
	start(&target, &look, "exiter", &address);
	look_close(&look);
	fputs("map\n", target.to);
	fflush(target.to);
	char *line = target_await(&target, "region extra ");
	extra = strtoull(line + strlen("region extra "), NULL, 16);
	free(line);
	free(target_await(&target, "done map"));
	look_open(&look, target.pid);
	expect_page(&look.memory, extra, "extra page 0");

	/* One page before the start: nothing is mapped there. */
	assert_int_equal(
		pm_reader_read(&look.memory, extra - PAGE, bytes, sizeof bytes, &done, &error), 0);
	assert_int_equal(done, 0);
	assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
	assert_int_equal(error.address, extra - PAGE);
	assert_non_null(strstr(error.text, "nothing is mapped"));

	target_tell(&target, "unmap");
	assert_int_equal(pm_reader_read(&look.memory, extra, bytes, sizeof bytes, &done, &error),
	                 0);
	assert_int_equal(done, 0);
	assert_int_equal(error.address, extra);
	assert_non_null(strstr(error.text, "unmapped since the regions"));
	/* Ranges before it are read nevertheless. */
	const struct pm_range ranges[] = { { address, address + PAGE }, { extra, extra + PAGE } };
	assert_int_equal(
		look.memory.ops->read(look.memory.context, ranges, 2, bytes, &done, &error), 0);
	assert_int_equal(done, PAGE);
	assert_string_equal(bytes, "content page 0");
	assert_int_equal(error.address, extra);
	stop(&target, &look);
}

static void last_page_is_rejected_with_a_message(void **state)
{
	struct target target;
	struct look look;
	uint64_t address;
	char byte;
	struct pm_error error = { 0 };

	(void)state;
	start(&target, &look, "exiter", &address);

	static const uint64_t high[] = { 0xffffffffff600000, UINT64_MAX, UINT64_C(1) << 63 };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(pm_reader_read(&look.memory, high[i], &byte, 1, NULL, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
		assert_int_equal(error.address, high[i]);
		assert_non_null(strstr(error.text, "above the readable addresses"));
	}

	stop(&target, &look);
}

/** A thread in which process_vm_readv(2) fails. */
struct refusal {
	struct look *look;
	uint64_t address;
	int cause;  /* errno that the kernel is made to return */
	int seen;   /* errno that it returned */
	int result; /* result of reading nevertheless */
	char bytes[64];
};

static void *read_refused(void *context)
{
	struct refusal *refusal = context;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)refusal->cause),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { .len = sizeof code / sizeof *code, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return NULL;

	char byte;
	const struct iovec local = { &byte, 1 },
			   remote = { (void *)(uintptr_t)refusal->address, 1 };
	if (process_vm_readv(pm_process_pid(refusal->look->process), &local, 1, &remote, 1, 0) < 0)
		refusal->seen = errno;
	refusal->result = pm_reader_read(&refusal->look->memory, refusal->address, refusal->bytes,
	                                 sizeof refusal->bytes, NULL, NULL);

	return NULL;
}

/** As in containers: some refuse process_vm_readv(2), some do not support it. */
static void refused_system_call_is_replaced_by_mem(void **state)
{
	static const int causes[] = { EPERM, ENOSYS };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target target;
		struct look look;
		struct refusal refusal = { .look = &look, .cause = causes[i], .result = -1 };
		pthread_t thread;
		start(&target, &look, "exiter", &refusal.address);
		assert_int_equal(pthread_create(&thread, NULL, read_refused, &refusal), 0);
		pthread_join(thread, NULL);
		assert_int_equal(refusal.seen, causes[i]);
		assert_int_equal(refusal.result, 0);
		assert_string_equal(refusal.bytes, "content page 0");
		stop(&target, &look);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unmapped_bytes_are_unreadable),
		cmocka_unit_test(last_page_is_rejected_with_a_message),
		cmocka_unit_test(refused_system_call_is_replaced_by_mem),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
