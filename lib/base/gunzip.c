/* SPDX-License-Identifier: MIT */
#include "base/gunzip.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

#include "base/io.h"

enum {
	BUFFER_SIZE = 64 * 1024,
	GZIP_ONLY = 15 + 16, /* windowBits of inflateInit2(): the largest window, gzip format */
};

enum pm_compression pm_gunzip_format(int fd)
{
	static const struct {
		enum pm_compression format;
		uint8_t size, magic[6];
	} formats[] = {
		{ PM_COMPRESSION_GZIP, 2, { 0x1f, 0x8b } },
		{ PM_COMPRESSION_ZSTD, 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ PM_COMPRESSION_XZ, 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
		{ PM_COMPRESSION_LZ4, 4, { 0x04, 0x22, 0x4d, 0x18 } },
	};
	uint8_t magic[6];
	ssize_t size = pm_pread(fd, magic, sizeof magic, 0);

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (size >= formats[i].size &&
		    memcmp(magic, formats[i].magic, formats[i].size) == 0)
			return formats[i].format;
	return PM_COMPRESSION_NONE;
}

/** The decompression of a file. */
struct gunzip {
	int from, to;
	uint64_t offset; /* of the next input */
	uint64_t left;   /* bytes that the output may still have */
	z_stream stream;
	uint8_t input[BUFFER_SIZE], output[BUFFER_SIZE];
};

/**
 * Reads more input if there is none left.
 * @return 1, or 0 at the end of the file, or -1
 */
static int fill(struct gunzip *gunzip, struct pm_error *error)
{
	if (gunzip->stream.avail_in > 0)
		return 1;

	ssize_t size = pm_pread(gunzip->from, gunzip->input, BUFFER_SIZE, gunzip->offset);
	if (size < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "cannot be read: %s",
		                    strerror(errno));

	gunzip->stream.next_in = gunzip->input;
	gunzip->stream.avail_in = (uInt)size;
	gunzip->offset += (uint64_t)size;
	return size > 0;
}

/** Writes the output of one step. */
static int flush(struct gunzip *gunzip, struct pm_error *error)
{
	size_t size = BUFFER_SIZE - gunzip->stream.avail_out;
	const uint8_t *at = gunzip->output;

	if (size > gunzip->left)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "is too large when it is decompressed");

	gunzip->left -= size;
	while (size > 0) {
		ssize_t written = write(gunzip->to, at, size);
		if (written <= 0)
			return pm_error_set(error, PM_ERROR_RESOURCES, errno,
			                    "cannot be decompressed in memory: %s",
			                    strerror(errno));
		at += written;
		size -= (size_t)written;
	}
	return 0;
}

/** Decompresses a member. */
static int run_member(struct gunzip *gunzip, struct pm_error *error)
{
	int status = Z_OK;

	while (status != Z_STREAM_END) {
		int more = fill(gunzip, error);
		if (more < 0)
			return -1;
		if (more == 0)
			return pm_error_set(error, PM_ERROR_FORMAT, 0, "is truncated");

		gunzip->stream.next_out = gunzip->output;
		gunzip->stream.avail_out = BUFFER_SIZE;
		status = inflate(&gunzip->stream, Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return pm_error_set(error, PM_ERROR_RESOURCES, ENOMEM, "out of memory");
		if (status != Z_OK && status != Z_STREAM_END)
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "is damaged: its compressed data is not valid");
		if (flush(gunzip, error) < 0)
			return -1;
	}
	return 0;
}

/** Decompresses all members. */
static int run(struct gunzip *gunzip, struct pm_error *error)
{
	int more;

	do {
		if (run_member(gunzip, error) < 0)
			return -1;
		more = fill(gunzip, error);
		if (more > 0 && inflateReset(&gunzip->stream) != Z_OK)
			return pm_error_set(error, PM_ERROR_RESOURCES, 0, "zlib has failed");
	} while (more > 0);

	return more;
}

int pm_gunzip(int fd, uint64_t max, int *plain, struct pm_error *error)
{
	struct gunzip gunzip = { .from = fd, .left = max };

	if (inflateInit2(&gunzip.stream, GZIP_ONLY) != Z_OK)
		return pm_error_set(error, PM_ERROR_RESOURCES, ENOMEM, "out of memory");

	gunzip.to = memfd_create("procmem", MFD_CLOEXEC);
	int result = gunzip.to < 0 ? -1 : 0;
	if (result < 0)
		pm_error_set(error, PM_ERROR_RESOURCES, errno, "cannot be decompressed: %s",
		             strerror(errno));
	if (result == 0)
		result = run(&gunzip, error);
	inflateEnd(&gunzip.stream);

	if (result == 0 && lseek(gunzip.to, 0, SEEK_SET) == 0) {
		*plain = gunzip.to;
		return 0;
	}
	if (gunzip.to >= 0)
		close(gunzip.to);
	return -1;
}
