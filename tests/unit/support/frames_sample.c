/* SPDX-License-Identifier: MIT */
#include "support/frames_sample.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <procmem/stop.h>
#include <cmocka.h>

void frames_sample_take(struct frames_sample *fixture)
{
	struct pm_stop *stop;
	struct user_regs_struct r;
	size_t size;
	struct pm_error error = { 0 };

	must(pm_stop_begin(fixture->process, NULL, &stop, &error), &error);
	must(pm_stop_read_registers(stop, 0, NT_PRSTATUS, &r, sizeof r, &size, &error), &error);
	assert_int_equal(size, sizeof r);

	const uint64_t values[PM_UNWIND_REGISTERS] = { r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi,
		                                       r.rbp, r.rsp, r.rip, r.r8,  r.r9,  r.r10,
		                                       r.r11, r.r12, r.r13, r.r14, r.r15 };
	memcpy(fixture->registers, values, sizeof values);

	struct iovec to = { fixture->stack, FRAMES_SAMPLE_COPY };
	struct iovec from = { (void *)(uintptr_t)r.rsp, FRAMES_SAMPLE_COPY };
	ssize_t length = process_vm_readv(pm_process_pid(fixture->process), &to, 1, &from, 1, 0);
	assert_true(length > 0);
	pm_stop_end(stop);
	fixture->sample = (struct pm_unwind_sample){ .registers = fixture->registers,
		                                     .stack = fixture->stack,
		                                     .stack_size = (size_t)length & ~(size_t)7 };
}

void frames_sample_open(struct frames_sample *fixture, pid_t pid)
{
	struct pm_error error = { 0 };

	fixture->process = open_process(pid);
	must(pm_stacks_open(&fixture->stacks, &error), &error);
	must(pm_unwinder_open(fixture->process, fixture->stacks, &fixture->cancel,
	                      &fixture->unwinder, &error),
	     &error);
	frames_sample_take(fixture);
}

void frames_sample_close(struct frames_sample *fixture)
{
	pm_unwinder_close(fixture->unwinder);
	pm_stacks_close(fixture->stacks);
	pm_process_close(fixture->process);
	target_stop(&fixture->target);
}

uint32_t frames_sample_unwind(struct frames_sample *fixture)
{
	uint32_t number;
	struct pm_error error = { 0 };

	must(pm_unwinder_add(fixture->unwinder, &fixture->sample, 1, &number, &error), &error);
	return number;
}

void frames_sample_start(struct frames_sample *fixture, const char *script)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/frames", getenv("PROCMEM_TARGETS"));
	program_start(&fixture->target, "sh", "-c", script, path, NULL);
	free(target_await(&fixture->target, "begun"));
	frames_sample_open(fixture, fixture->target.pid);
}

void frames_sample_exec(struct frames_sample *fixture)
{
	fputs("go\n", fixture->target.to);
	fflush(fixture->target.to);
	free(target_await(&fixture->target, "ready"));
	pm_unwinder_refresh(fixture->unwinder, true);
}
