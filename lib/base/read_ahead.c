/* SPDX-License-Identifier: MIT */
#include "base/read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"

enum { BLOCKS = 8, BLOCK_SIZE = 64 * 1024 };

/** A part of the file. */
struct block {
	size_t filled;
	size_t taken;
	char bytes[BLOCK_SIZE];
};

struct pm_read_ahead {
	int fd;
	size_t at_once;
	pthread_t thread;
	pthread_mutex_t lock; /* guards all below but the bytes of blocks, which belong to the side
	                         that holds the block */
	pthread_cond_t changed;
	size_t written; /* blocks handed over so far */
	size_t done;    /* blocks taken whole so far */
	bool at_end;
	bool stopping;
	int cause; /* errno that ended the reading, 0 for the end of the file */
	struct block blocks[BLOCKS];
};

/**
 * Fills a block with as many reads as it takes.
 * @return false where nothing more will come
 */
static bool fill(struct pm_read_ahead *ahead, struct block *block, int *cause)
{
	block->filled = 0;
	block->taken = 0;
	while (block->filled < BLOCK_SIZE) {
		size_t room = BLOCK_SIZE - block->filled;
		ssize_t got = pm_read(ahead->fd, block->bytes + block->filled,
		                      room < ahead->at_once ? room : ahead->at_once);
		if (got <= 0) {
			*cause = got < 0 ? errno : 0;
			return false;
		}
		block->filled += (size_t)got;
	}

	return true;
}

static void *run(void *context)
{
	struct pm_read_ahead *ahead = context;
	bool more = true;

	pthread_mutex_lock(&ahead->lock);
	while (more && !ahead->stopping) {
		if (ahead->written - ahead->done == BLOCKS) {
			pthread_cond_wait(&ahead->changed, &ahead->lock);
			continue;
		}

		struct block *block = &ahead->blocks[ahead->written % BLOCKS];
		int cause = 0;
		pthread_mutex_unlock(&ahead->lock);
		more = fill(ahead, block, &cause);
		pthread_mutex_lock(&ahead->lock);
		ahead->written += block->filled > 0;
		ahead->at_end = !more;
		ahead->cause = cause;

		pthread_cond_signal(&ahead->changed);
	}

	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/** Starts the thread with all signals blocked: they are the caller's to handle. */
static int start_thread(struct pm_read_ahead *ahead)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return -1;

	int result = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result == 0 ? 0 : -1;
}

struct pm_read_ahead *pm_read_ahead_start(int fd, size_t at_once)
{
	/* A pipe may block for ever, and then the thread could not be ended. */
	struct stat status;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;

	struct pm_read_ahead *ahead = malloc(sizeof *ahead);
	if (!ahead)
		return NULL;

	memset(ahead, 0, offsetof(struct pm_read_ahead, blocks));
	ahead->fd = fd;
	ahead->at_once = at_once;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	if (start_thread(ahead) == 0)
		return ahead;

	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);

	return NULL;
}

/**
 * Waits for a block.
 * @return NULL at the end
 */
static struct block *next_block(struct pm_read_ahead *ahead)
{
	struct block *block = NULL;
	pthread_mutex_lock(&ahead->lock);
	while (ahead->written == ahead->done && !ahead->at_end)
		pthread_cond_wait(&ahead->changed, &ahead->lock);

	if (ahead->written > ahead->done)
		block = &ahead->blocks[ahead->done % BLOCKS];
	pthread_mutex_unlock(&ahead->lock);
	return block;
}

ssize_t pm_read_ahead_next(struct pm_read_ahead *ahead, void *buffer, size_t size)
{
	struct block *block = next_block(ahead);
	if (!block) {
		errno = ahead->cause;
		return ahead->cause ? -1 : 0;
	}

	size_t length = block->filled - block->taken;
	if (length > size)
		length = size;
	memcpy(buffer, block->bytes + block->taken, length);
	block->taken += length;

	if (block->taken == block->filled) {
		pthread_mutex_lock(&ahead->lock);
		ahead->done++;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}

	return (ssize_t)length;
}

void pm_read_ahead_stop(struct pm_read_ahead *ahead)
{
	if (!ahead)
		return;

	pthread_mutex_lock(&ahead->lock);
	ahead->stopping = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
