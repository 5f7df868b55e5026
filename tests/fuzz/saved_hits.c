/* SPDX-License-Identifier: MIT */
/*
 * A file of hits: any bytes. If a file is read to its end without an error, writing its hits again
 * gives a file with the same hits. Blocks have checksums, so a second attempt corrects them: the
 * input is then the header, and the bytes of one block.
 */
#include <procmem/saved_hits.h>

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input.h"

enum { HEADER = 360, SUM = 8, HEAD = 16 };

static uint64_t checksum_of(const uint8_t *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; size > 0; bytes++, size--)
		hash = (hash ^ *bytes) * UINT64_C(0x100000001b3);
	return hash;
}

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("hits", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/** Reads all hits, and writes them to another file if there is one. Returns their number, or -1. */
static int64_t read_hits(int fd, int copy)
{
	struct pm_saved_hits *hits;
	struct pm_saved_hits_writer *writer = NULL;
	struct pm_error error;
	struct pm_saved_hit hit;
	uint64_t last = 0;
	int64_t count = 0;
	int more;

	if (pm_saved_hits_open(fd, &hits, &error) < 0)
		return -1;
	if (copy >= 0 && pm_saved_hits_create(copy, pm_saved_hits_info(hits), &writer, &error) < 0)
		abort();

	while ((more = pm_saved_hits_next(hits, &hit, &error)) > 0) {
		if (hit.address < last || hit.test >= pm_saved_hits_info(hits)->test_count)
			abort();
		last = hit.address;
		count++;
		if (writer && pm_saved_hits_add(writer, &hit, &error) < 0)
			abort();
	}

	if (pm_saved_hits_end(writer, true, &error) < 0)
		abort();
	pm_saved_hits_close(hits);
	return more < 0 ? -1 : count;
}

static void try_file(const uint8_t *data, size_t size)
{
	int fd = file_of(data, size), copy = file_of(data, 0);
	int64_t count = read_hits(fd, copy);

	if (lseek(copy, 0, SEEK_SET) != 0 || (count >= 0 && read_hits(copy, -1) != count))
		abort();
	close(fd);
	close(copy);
}

/** Puts a block with correct sizes and checksums, and an end, after a header. */
static void try_block(const uint8_t *data, size_t size)
{
	size_t bytes = size - HEADER - 1;
	uint8_t *file = calloc(1, HEADER + HEAD + bytes + HEAD);
	uint64_t sum = htole64(checksum_of(data, HEADER - SUM));
	uint32_t block[2] = { htole32((uint32_t)bytes), htole32(data[HEADER]) };
	uint64_t total = htole64(data[HEADER]);

	memcpy(file, data, HEADER - SUM);
	memcpy(file + HEADER - SUM, &sum, sizeof sum);
	memcpy(file + HEADER, block, sizeof block);
	sum = htole64(checksum_of(data + HEADER + 1, bytes));
	memcpy(file + HEADER + sizeof block, &sum, sizeof sum);
	memcpy(file + HEADER + HEAD, data + HEADER + 1, bytes);
	memcpy(file + HEADER + HEAD + bytes + HEAD - sizeof total, &total, sizeof total);
	try_file(file, HEADER + HEAD + bytes + HEAD);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 200 * 1024)
		return 0;
	try_file(data, size);
	if (size > HEADER + 1)
		try_block(data, size);
	return 0;
}
