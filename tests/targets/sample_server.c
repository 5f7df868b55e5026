/* SPDX-License-Identifier: MIT */
/*
 * sample_server: the target of the tour. A server whose "heap" has a constant size, while buffers
 * outside of it fill with requests: eight buffers of 16 MiB from malloc, and with --leak more and
 * more. The content is the same in every run. Options:
 *
 * - --rate BYTES: bytes per second
 * - --leak: continue after the eight buffers
 * - --fill: fill the eight buffers before `ready`
 *
 * Command: `fill` fills the rest of the eight buffers.
 */
#include "http2.h"
#include "support.h"

#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	MEGABYTE = 1024 * 1024,
	HEAP = 64 * MEGABYTE,
	BUFFER = 16 * MEGABYTE,
	BUFFERS = 8,
	TICK_MS = 100
};

/** State of the server. The lock protects what the filling thread changes. */
struct server {
	pthread_mutex_t lock;
	pthread_barrier_t started;
	struct http2_stream stream;
	unsigned char *buffer; /* the buffer that is being filled */
	size_t used;           /* bytes in it */
	size_t buffers;        /* number of buffers so far */
	uint64_t rate;         /* bytes a second */
	int leak;              /* continue after the eight buffers */
};

static struct server server = { .lock = PTHREAD_MUTEX_INITIALIZER, .rate = 2 * MEGABYTE };

/** Returns whether all buffers are full. */
static int is_full(void)
{
	return server.buffers == BUFFERS && server.used == BUFFER && !server.leak;
}

/** Receives bytes, in a new buffer when one is full. Each buffer is a connection of its own. */
static void receive(uint64_t size)
{
	while (size > 0 && !is_full()) {
		if (!server.buffer || server.used == BUFFER) {
			/* malloc maps a block of this size separately. It is never freed: this is
			 * the leak. */
			server.buffer = malloc(BUFFER);
			target_check(server.buffer ? 0 : -1, "malloc");
			server.used = 0;
			http2_connect(&server.stream);
			printf("buffer %zu %lx %d\n", server.buffers++,
			       (unsigned long)server.buffer, BUFFER);
		}

		size_t room = BUFFER - server.used, some = size < room ? size : room;
		http2_receive(&server.stream, server.buffer + server.used, some);
		server.used += some;
		size -= some;
	}
}

static void fill(void)
{
	pthread_mutex_lock(&server.lock);
	if (server.buffers < BUFFERS || server.used < BUFFER) {
		size_t done = server.buffers ? (server.buffers - 1) * BUFFER + server.used : 0;
		receive(done < (size_t)BUFFERS * BUFFER ? (size_t)BUFFERS * BUFFER - done : 0);
	}
	pthread_mutex_unlock(&server.lock);
}

/** The thread that receives requests at the requested rate. */
static void fill_slowly(void)
{
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		next.tv_nsec += TICK_MS * 1000000L;
		next.tv_sec += next.tv_nsec / 1000000000L;
		next.tv_nsec %= 1000000000L;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		pthread_mutex_lock(&server.lock);
		receive(server.rate * TICK_MS / 1000);
		pthread_mutex_unlock(&server.lock);
	}
}

/** Every thread has some small blocks, and therefore an arena of its own. */
static void *work(void *context)
{
	const char *name = context;
	pthread_setname_np(pthread_self(), name);
	printf("thread %d %s\n", (int)gettid(), name);

	for (size_t i = 0; i < 2000; i++) {
		char *block = malloc(200);
		target_check(block ? 0 : -1, "malloc");
		snprintf(block, 200,
		         "%s: channel %zu active, pipeline ReadTimeoutHandler Http2FrameCodec",
		         name, i);
	}

	pthread_barrier_wait(&server.started);
	if (strcmp(name, "grpc-worker") == 0)
		fill_slowly();

	for (;;)
		pause();

	return NULL;
}

static void start_threads(void)
{
	static char names[][16] = { "netty-epoll-0", "netty-epoll-1", "netty-epoll-2",
		                    "netty-epoll-3", "scheduler",     "grpc-worker" };
	size_t count = sizeof names / sizeof *names;
	pthread_barrier_init(&server.started, NULL, (unsigned)count + 1);

	for (size_t i = 0; i < count; i++) {
		pthread_t thread;
		target_check(-pthread_create(&thread, NULL, work, names[i]), "pthread_create");
	}

	pthread_barrier_wait(&server.started);
}

/**
 * Maps the heap that dashboards show, which does not grow, at an address where a JVM would map it.
 */
static void make_heap(void)
{
	char *heap = mmap((void *)0xf0000000, HEAP, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	target_check(heap == MAP_FAILED ? -1 : 0, "mmap of the heap");

	for (size_t i = 0; i < HEAP; i += 256)
		snprintf(heap + i, 256, "com.example.shop.Order id=%zu state=PAID total=%zu.%02zu",
		         i / 256, i / 1024 % 500, i / 256 % 100);

	target_region("heap", heap, HEAP, "kind=anon");
}

static void make_code_cache(void)
{
	size_t reserve = 48 * MEGABYTE, used = 2496 * 1024;
	char *code = target_map(reserve, PROT_NONE, MAP_NORESERVE);
	target_check(mprotect(code, used, PROT_READ | PROT_WRITE | PROT_EXEC), "mprotect");
	memset(code, 0x90, used / 2);
	target_region("jit", code, used, "kind=jit");
}

static void make_memfd(void)
{
	int fd = (int)target_check(memfd_create("netty-direct", MFD_CLOEXEC), "memfd_create");
	target_check(ftruncate(fd, MEGABYTE), "ftruncate");

	char *memory = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap of the memfd");
	close(fd);
	target_fill(memory, MEGABYTE, "direct memory");
	target_region("memfd", memory, MEGABYTE, "kind=shm name=/memfd:netty-direct (deleted)");
}

static int command(const char *line)
{
	if (strcmp(line, "fill") != 0)
		return 1;
	fill();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "rate", required_argument, NULL, 'r' },
		                                 { "leak", no_argument, NULL, 'l' },
		                                 { "fill", no_argument, NULL, 'f' },
		                                 { NULL, 0, NULL, 0 } };
	int option, fill_first = 0;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			return 2;
		if (option == 'r')
			server.rate = target_number(optarg);
		server.leak |= option == 'l';
		fill_first |= option == 'f';
	}

	target_begin();
	printf("pid %d\n", (int)getpid());
	make_heap();
	make_code_cache();
	make_memfd();
	if (fill_first)
		fill();
	start_threads();

	target_ready();
	target_obey(command);
}
