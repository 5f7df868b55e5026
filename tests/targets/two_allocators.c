/* SPDX-License-Identifier: MIT */
/*
 * A program that uses jemalloc besides malloc of glibc: two_allocators JEMALLOC MALLOC
 *
 * Allocates JEMALLOC chunks of 1000 bytes from jemalloc, and MALLOC chunks of 100 bytes from
 * malloc. Run it with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000, which dlopen(3) of
 * jemalloc needs. Prints `without jemalloc` if the library cannot be loaded.
 *
 * Two threads also free chunks, which stay in their caches. Prints `cached` and the bytes in all
 * caches, as jemalloc counts them.
 */
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FREED = 60 };

/** Functions of jemalloc. */
static void *(*mallocx)(size_t size, int flags);
static void (*dallocx)(void *chunk, int flags);
static int (*mallctl)(const char *name, void *old, size_t *length, void *new, size_t new_length);

static pthread_barrier_t barrier;

static int no_command(const char *line)
{
	(void)line;
	return 1;
}

/** Frees chunks of several sizes, small and large ones. */
static void fill_cache(size_t factor)
{
	void *chunks[FREED];
	for (size_t i = 0; i < FREED; i++)
		chunks[i] = mallocx(8 + i * factor, 0);
	for (size_t i = 0; i < FREED; i++)
		dallocx(chunks[i], 0);
}

static void *run_thread(void *unused)
{
	fill_cache(300);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return unused;
}

static void print_cached(void)
{
	uint64_t epoch = 1;
	size_t cached = 0, length = sizeof cached;

	mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
	if (mallctl("stats.arenas.4096.tcache_bytes", &cached, &length, NULL, 0) == 0)
		printf("cached %zu\n", cached);
}

static int load(void)
{
	void *library = dlopen("libjemalloc.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -1;

	*(void **)&mallocx = dlsym(library, "mallocx");
	*(void **)&dallocx = dlsym(library, "dallocx");
	*(void **)&mallctl = dlsym(library, "mallctl");
	return mallocx && dallocx && mallctl ? 0 : -1;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	if (argc != 3)
		return 2;

	if (load() < 0)
		puts("without jemalloc");
	for (uint64_t i = 0; mallctl && i < target_number(argv[1]); i++)
		*(volatile uint64_t *)mallocx(1000, 0) = i;
	for (uint64_t i = 0; i < target_number(argv[2]); i++)
		*(volatile uint64_t *)malloc(100) = i;

	if (mallctl) {
		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, run_thread, NULL);
		pthread_barrier_wait(&barrier);
		fill_cache(17);
		print_cached();
	}

	target_ready();
	target_obey(no_command);
	return 0;
}
