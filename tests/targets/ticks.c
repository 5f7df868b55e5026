/* SPDX-License-Identifier: MIT */
#include "ticks.h"

#include "support.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static bool commanded;

/** All threads and the one that executes `pass` wait here before and after each tick. */
static pthread_barrier_t meeting;

void ticks_by_command(unsigned threads)
{
	target_check(-pthread_barrier_init(&meeting, NULL, threads + 1), "pthread_barrier_init");
	commanded = true;
}

static void add_tick(struct timespec *time)
{
	time->tv_nsec += 1000000000L / TICKS_PER_SECOND;
	time->tv_sec += time->tv_nsec / 1000000000L;
	time->tv_nsec %= 1000000000L;
}

_Noreturn void ticks_each(void (*step)(uint64_t tick))
{
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);

	for (uint64_t tick = 1;; tick++) {
		if (commanded) {
			pthread_barrier_wait(&meeting);
			step(tick);
			pthread_barrier_wait(&meeting);
			continue;
		}

		add_tick(&next);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		step(tick);
	}
}

int ticks_command(const char *line)
{
	static const char pass[] = "pass ";

	if (!commanded || strncmp(line, pass, sizeof pass - 1) != 0)
		return 1;

	uint64_t ticks = target_number(line + sizeof pass - 1) * TICKS_PER_SECOND;
	for (uint64_t i = 0; i < ticks; i++) {
		pthread_barrier_wait(&meeting);
		pthread_barrier_wait(&meeting);
	}

	return 0;
}
