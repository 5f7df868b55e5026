/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

void target_begin(void)
{
	pid_t parent = getppid();
	target_check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
	/* The parent may have died before the call above. */
	if (getppid() != parent)
		raise(SIGKILL);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

long target_check(long result, const char *what)
{
	if (result >= 0)
		return result;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

char *target_map(size_t size, int prot, int flags)
{
	char *memory = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

void *target_island_address(size_t size, int aligned)
{
	/* Far from the addresses that the kernel chooses (just below the stack, and around a PIE at
	 * 0x55...). */
	static uintptr_t next = UINT64_C(0x200000000000);
	const uintptr_t apart = UINT64_C(4) << 30;
	uintptr_t address = next;

	next = (next + size + 2 * apart) & ~(apart - 1);
	return (void *)(aligned ? address : address + 0x10000);
}

void *target_map_at_island(size_t size, int prot, int flags, int fd, uint64_t offset, int aligned)
{
	return mmap(target_island_address(size, aligned), size, prot, flags | MAP_FIXED_NOREPLACE,
	            fd, (off_t)offset);
}

char *target_island(size_t size, int prot, int flags, int aligned)
{
	char *memory = target_map_at_island(size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0,
	                                    aligned);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap of an island");
	return memory;
}

void target_fill(char *memory, size_t size, const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < size / page; i++)
		sprintf(memory + i * page, "%s page %zu", name, i);
}

const char *target_scratch(void)
{
	static char directory[] = "/tmp/procmem-target-XXXXXX";
	target_check(mkdtemp(directory) ? 0 : -1, "mkdtemp");

	/* A separate shell waits for the end of a pipe that only this process holds open: it cleans
	 * up even after SIGKILL. It is another program and not just a fork, which would share pages
	 * and change the PSS. */
	int ends[2], started[2];
	char byte;

	target_check(pipe2(ends, O_CLOEXEC), "pipe2");
	target_check(pipe2(started, O_CLOEXEC), "pipe2");
	pid_t child = vfork();
	target_check(child, "vfork");

	if (child == 0) {
		int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(ends[0], STDIN_FILENO);
		dup2(started[1], STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", "echo; exec >&2; read -r line; rm -rf \"$0\"",
		      directory, (char *)NULL);
		_exit(1);
	}

	/* Its memory does not change any more: a test can measure the tree of this process. */
	close(ends[0]);
	close(started[1]);
	target_check(read(started[0], &byte, 1) == 1 ? 0 : -1, "start of the shell");
	close(started[0]);
	return directory;
}

void target_region(const char *name, const void *start, size_t size, const char *note)
{
	uintptr_t address = (uintptr_t)start;
	printf("region %s %" PRIxPTR "-%" PRIxPTR "%s%s\n", name, address, address + size,
	       *note ? " " : "", note);
}

char *target_pages(const char *name, size_t size)
{
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, size, name);
	target_region(name, memory, size, "kind=anon");
	return memory;
}

void target_ready(void)
{
	puts("ready");
}

void target_obey(target_command *command)
{
	/* A buffer of its own: stdio would allocate one from the heap that the tests examine. */
	static char line[4096];
	size_t filled = 0;
	ssize_t got;

	while ((got = read(STDIN_FILENO, line + filled, 1)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		target_check(got, "read");
		if (line[filled] != '\n') {
			filled += filled < sizeof line - 1;
			continue;
		}
		line[filled] = '\0';
		filled = 0;
		if (strcmp(line, "quit") == 0)
			exit(0);
		printf("%s %s\n", command && command(line) == 0 ? "done" : "unknown", line);
	}

	for (;;)
		pause();
}

uint64_t target_number(const char *text)
{
	char *end;
	errno = 0;

	unsigned long long number = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || *text == '-') {
		fprintf(stderr, "%s: '%s' is not a number\n", program_invocation_short_name, text);
		exit(2);
	}
	return number;
}
