/* SPDX-License-Identifier: MIT */
/*
 * bulk DENSE SPARSE TOUCHED THREADS: a process with much memory. DENSE is the size in megabytes of
 * filled memory without equal pages, at 200000000000. SPARSE is the size in megabytes of memory at
 * the next island; TOUCHED megabytes of it are touched, in scattered pages. THREADS is a number of
 * sleeping threads.
 */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MEGABYTE = 1024 * 1024, ARGUMENTS = 5 };

static void *sleep_on(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void fill_dense(size_t size)
{
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 1);
	for (size_t i = 0; i < size; i += sizeof i) {
		size_t mixed = i * UINT64_C(0x9e3779b97f4a7c15);
		memcpy(memory + i, &mixed, sizeof mixed);
	}
	target_region("dense", memory, size, "");
}

static void touch_sparse(size_t size, size_t touched)
{
	char *memory = target_island(size, PROT_READ | PROT_WRITE, MAP_NORESERVE, 1);
	size_t pages = touched / PAGE;
	for (size_t i = 0; i < pages; i++)
		memset(memory + size / PAGE / pages * PAGE * i, 't', PAGE);
	target_region("sparse", memory, size, "");
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != ARGUMENTS) {
		fputs("usage: bulk DENSE SPARSE TOUCHED THREADS\n", stderr);
		return 2;
	}

	size_t dense = target_number(argv[1]) * MEGABYTE,
	       sparse = target_number(argv[2]) * MEGABYTE;
	if (dense > 0)
		fill_dense(dense);
	if (sparse > 0)
		touch_sparse(sparse, target_number(argv[3]) * MEGABYTE);

	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)64 * 1024);

	for (uint64_t i = target_number(argv[4]); i > 0; i--) {
		pthread_t thread;
		target_check(-pthread_create(&thread, &attributes, sleep_on, NULL),
		             "pthread_create");
	}

	target_ready();
	target_obey(NULL);
}
