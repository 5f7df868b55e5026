/* SPDX-License-Identifier: MIT */
/*
 * hostile_names: everything with a name has a malicious one. The facts give the names in
 * hexadecimal: `comm HEX`, `thread TID HEX`, `region NAME start-end HEX` (the path). A terminal
 * must not receive these bytes.
 */
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SIZE = 64 * 1024 };

/** Imitates a `)` and a state in the text of /proc/PID/stat. */
static const char own_name[] = "ed) ge (x";

static const char *const thread_names[] = {
	"\033[31mred",  /* colours a terminal */
	"two\nlines",   /* breaks tables */
	"tab\tbell\a",  /* moves the cursor */
	"ed) R 1 (x",   /* looks like the fields of stat */
	"\xff\xfe\x80", /* not UTF-8 */
	"",             /* an empty name */
	"\302\23331m",  /* a control sequence in eight bits, as UTF-8 */
	"\"quote\\,;|", /* quotes of JSON and CSV */
};

static const char *const file_names[] = {
	"\033]0;title\a",                                    /* sets a terminal's title */
	"two\nlines (deleted)",                              /* looks like what the kernel adds */
	"\r7f0000000000-7f0000001000 rwxp 00000000 00:00 0", /* looks like a line of maps */
	"\xff\xfe\x80",
	"\"quote\\,;|",
	"[heap]",
};

static void print_hex(const char *text)
{
	for (; *text; text++)
		printf("%02x", (unsigned char)*text);
	putchar('\n');
}

struct thread {
	const char *name;
	pthread_barrier_t *named;
};

static void *work(void *context)
{
	const struct thread *thread = context;
	prctl(PR_SET_NAME, thread->name);
	printf("thread %d ", (int)gettid());
	print_hex(thread->name);
	pthread_barrier_wait(thread->named);

	for (;;)
		pause();
	return NULL;
}

static void start_thread(const char *name)
{
	pthread_barrier_t named;
	pthread_barrier_init(&named, NULL, 2);
	struct thread thread = { name, &named };
	pthread_t id;
	target_check(-pthread_create(&id, NULL, work, &thread), "pthread_create");
	pthread_barrier_wait(&named);
	/* Waits until the thread no longer uses the barrier, which is on this stack. */
	pthread_barrier_destroy(&named);
}

static void map_file(const char *directory, const char *name, size_t number)
{
	char path[512], region[32];
	snprintf(path, sizeof path, "%s/%s", directory, name);

	int fd = (int)target_check(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), "open");
	target_check(ftruncate(fd, SIZE), "ftruncate");

	char *memory = target_map_at_island(SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	close(fd);
	target_fill(memory, SIZE, "file");
	snprintf(region, sizeof region, "file_%zu", number);
	printf("region %s %lx-%lx ", region, (unsigned long)memory, (unsigned long)(memory + SIZE));
	print_hex(path);
}

int main(void)
{
	target_begin();
	printf("pid %d\n", (int)getpid());
	target_check(prctl(PR_SET_NAME, own_name), "PR_SET_NAME");
	printf("comm ");
	print_hex(own_name);

	const char *directory = target_scratch();
	for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++)
		map_file(directory, file_names[i], i);

	for (size_t i = 0; i < sizeof thread_names / sizeof *thread_names; i++)
		start_thread(thread_names[i]);

	/* The content is as malicious: strings and hex dumps of it go to the same terminal. */
	char *memory = target_island(SIZE, PROT_READ | PROT_WRITE, 0, 0);
	snprintf(memory, SIZE, "hostile content \033[2J\033]0;owned\a\r\n");
	target_region("content", memory, SIZE, "kind=anon");
	target_ready();
	target_obey(NULL);
}
