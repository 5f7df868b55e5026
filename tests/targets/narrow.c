/* SPDX-License-Identifier: MIT */
/*
 * narrow: a 32-bit process, compiled by its test with -m32, with addresses of four bytes, up to 4
 * GiB. `region content` is full of texts. `region heap` is in memory that malloc got by brk(2),
 * `thread` in memory that malloc of a second thread got. It exits at the end of its stdin.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PAGES = 64, PAGE = 4096, BLOCK = 1000 };

static void *work(void *barrier)
{
	char *block = malloc(BLOCK);
	snprintf(block, BLOCK, "narrow thread text");
	printf("address thread %lx\n", (unsigned long)block);
	pthread_barrier_wait(barrier);

	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_barrier_t barrier;

	prctl(PR_SET_PDEATHSIG, 9);
	char *content = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                     -1, 0),
	     *heap = malloc(BLOCK);
	if (content == MAP_FAILED || !heap)
		return 1;

	for (int i = 0; i < PAGES; i++)
		snprintf(content + i * PAGE, PAGE, "narrow page %d", i);

	snprintf(heap, BLOCK, "narrow heap text");
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, work, &barrier) != 0)
		return 1;

	pthread_barrier_wait(&barrier);
	printf("region content %lx-%lx\naddress heap %lx\nready\n", (unsigned long)content,
	       (unsigned long)content + PAGES * PAGE, (unsigned long)heap);
	fflush(stdout);

	while (getchar() != EOF)
		continue;

	return 0;
}
