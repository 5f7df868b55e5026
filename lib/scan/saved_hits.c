/* SPDX-License-Identifier: MIT */
#include <procmem/saved_hits.h>

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"

enum {
	BLOCK_MAX = 64 * 1024, /* bytes of the hits of a block: few calls, little memory */
	DISTANCE_MAX = 10,     /* groups of 7 bits in 64 bits */
	HIT_MAX = DISTANCE_MAX + 1 + PM_NUMBER_SIZE_MAX,
	HIT_MIN = 2, /* one byte of distance, one byte of number */
	GROUP_BITS = 7,
	GROUP_MORE = 1 << GROUP_BITS,
};

/* "procmem hits 1\n" and a NUL */
static const char magic[16] = "procmem hits 1\n";

/** A test as it is in the header. */
struct stored_test {
	uint8_t type, size, zeros[6];
	uint64_t low, high; /* of floats, the bits of the value */
};

/** The header, little-endian. */
struct header {
	char magic[sizeof magic];
	uint32_t pid, test_count;
	uint64_t start_ticks, start_stack, time;
	char boot_id[PM_BOOT_ID_SIZE], comm[PM_COMM_SIZE];
	uint64_t aligned;
	struct stored_test tests[PM_NUMBER_TESTS_MAX];
	uint64_t checksum; /* of all bytes before it */
};

_Static_assert(sizeof(struct header) == 360, "the header has no padding");

/** The head of a block, little-endian. */
struct head {
	uint32_t size, count;
	uint64_t checksum; /* of the bytes of the block; at the end, the number of all hits */
};

/* --- checksums --- */

static uint64_t checksum_of(const void *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (const uint8_t *at = bytes; size > 0; at++, size--)
		hash = (hash ^ *at) * UINT64_C(0x100000001b3);
	return hash;
}

/* --- the process --- */

int pm_saved_hits_identify(struct pm_process *process, struct pm_saved_hits_info *info,
                           struct pm_error *error)
{
	struct pm_process_id id;
	struct pm_process_info now;

	if (pm_process_read_info(process, &now, error) < 0 ||
	    pm_process_id_read(process, &id, error) < 0)
		return -1;

	info->pid = id.pid;
	info->start_ticks = id.start_ticks;
	info->start_stack = now.start_stack;
	memcpy(info->boot_id, id.boot_id, sizeof info->boot_id);
	memcpy(info->comm, id.comm, sizeof info->comm);
	pm_process_id_deinit(&id);
	return 0;
}

int pm_saved_hits_check(const struct pm_saved_hits_info *info, struct pm_process *process,
                        struct pm_error *error)
{
	struct pm_saved_hits_info now = { 0 };

	if (pm_saved_hits_identify(process, &now, error) < 0)
		return -1;

	if (info->pid != now.pid)
		return pm_error_set(error, PM_ERROR_GONE, 0,
		                    "the hits were found in process %d, not in process %d",
		                    (int)info->pid, (int)now.pid);
	if (info->start_ticks != now.start_ticks || strcmp(info->boot_id, now.boot_id) != 0)
		return pm_error_set(error, PM_ERROR_GONE, 0,
		                    "process %d has ended since the hits were found, and its PID "
		                    "belongs to another process now; search again",
		                    (int)info->pid);

	if (info->start_stack != 0 && now.start_stack != 0 && info->start_stack != now.start_stack)
		return pm_error_set(error, PM_ERROR_GONE, ESTALE,
		                    "process %d has called exec since the hits were found, so its "
		                    "memory is that of another program; search again",
		                    (int)now.pid);
	return 0;
}

/* --- writing --- */

struct pm_saved_hits_writer {
	int fd;
	size_t test_count;
	uint8_t sizes[PM_NUMBER_TESTS_MAX]; /* of the numbers of each test */
	struct pm_saved_hit last;           /* the last hit, if `total` is not 0 */
	uint64_t total;                     /* hits so far */
	uint64_t from;                      /* address from which the next distance counts */
	uint32_t size, count;               /* bytes and hits of the current block */
	uint8_t block[BLOCK_MAX];
};

static int write_all(int fd, const void *bytes, size_t size, struct pm_error *error)
{
	const uint8_t *at = bytes;

	while (size > 0) {
		ssize_t written = write(fd, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return pm_error_set(error, PM_ERROR_IO, errno,
			                    "cannot write the file of hits: %s", strerror(errno));
		at += written;
		size -= (size_t)written;
	}
	return 0;
}

/** Returns the bits of a bound of a test. */
static uint64_t bits_of(const struct pm_number_test *test, uint64_t integer, double real)
{
	uint64_t bits = integer;
	if (test->type == PM_NUMBER_FLOAT)
		memcpy(&bits, &real, sizeof bits);
	return htole64(bits);
}

static void make_header(const struct pm_saved_hits_info *info, struct header *header)
{
	*header = (struct header){ .pid = htole32((uint32_t)info->pid),
		                   .test_count = htole32((uint32_t)info->test_count),
		                   .start_ticks = htole64(info->start_ticks),
		                   .start_stack = htole64(info->start_stack),
		                   .time = htole64(info->time),
		                   .aligned = htole64(info->aligned) };
	memcpy(header->magic, magic, sizeof magic);
	memcpy(header->boot_id, info->boot_id, sizeof header->boot_id);
	memcpy(header->comm, info->comm, sizeof header->comm);

	for (size_t i = 0; i < info->test_count; i++) {
		const struct pm_number_test *test = &info->tests[i];
		header->tests[i] =
			(struct stored_test){ .type = test->type,
			                      .size = test->size,
			                      .low = bits_of(test, test->low, test->float_low),
			                      .high = bits_of(test, test->high, test->float_high) };
	}

	header->checksum = htole64(checksum_of(header, offsetof(struct header, checksum)));
}

/** Checks the tests of an info. */
static bool has_valid_tests(const struct pm_saved_hits_info *info)
{
	bool valid = info->test_count > 0 && info->test_count <= PM_NUMBER_TESTS_MAX;
	for (size_t i = 0; valid && i < info->test_count; i++)
		valid = pm_number_test_is_valid(&info->tests[i]);
	return valid;
}

int pm_saved_hits_create(int fd, const struct pm_saved_hits_info *info,
                         struct pm_saved_hits_writer **writer, struct pm_error *error)
{
	struct header header;

	if (!has_valid_tests(info))
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"the hits of a search with %zu types of numbers cannot be saved",
			info->test_count);

	make_header(info, &header);
	if (write_all(fd, &header, sizeof header, error) < 0)
		return -1;

	struct pm_saved_hits_writer *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->fd = fd;
	made->test_count = info->test_count;
	for (size_t i = 0; i < info->test_count; i++)
		made->sizes[i] = info->tests[i].size;
	*writer = made;
	return 0;
}

/** Writes the current block, if it has hits. */
static int write_block(struct pm_saved_hits_writer *writer, struct pm_error *error)
{
	const struct head head = { htole32(writer->size), htole32(writer->count),
		                   htole64(checksum_of(writer->block, writer->size)) };

	if (writer->count == 0)
		return 0;
	if (write_all(writer->fd, &head, sizeof head, error) < 0 ||
	    write_all(writer->fd, writer->block, writer->size, error) < 0)
		return -1;

	writer->size = writer->count = 0;
	writer->from = 0;
	return 0;
}

/** Returns whether a hit follows another one in the order of a file. */
static bool follows(const struct pm_saved_hit *last, uint64_t address, uint8_t test)
{
	return address > last->address || (address == last->address && test > last->test);
}

int pm_saved_hits_add(struct pm_saved_hits_writer *writer, const struct pm_saved_hit *hit,
                      struct pm_error *error)
{
	if (hit->test >= writer->test_count ||
	    (writer->total > 0 && !follows(&writer->last, hit->address, hit->test)))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the hits to save must be in the order of their addresses");

	if (writer->size + HIT_MAX > BLOCK_MAX && write_block(writer, error) < 0)
		return -1;

	uint8_t *at = writer->block + writer->size;
	uint64_t distance = hit->address - writer->from;
	for (; distance >= GROUP_MORE; distance >>= GROUP_BITS)
		*at++ = (uint8_t)(distance | GROUP_MORE);
	*at++ = (uint8_t)distance;
	if (writer->test_count > 1)
		*at++ = hit->test;
	memcpy(at, hit->bytes, writer->sizes[hit->test]);
	at += writer->sizes[hit->test];

	writer->size = (uint32_t)(at - writer->block);
	writer->from = hit->address;
	writer->last = *hit;
	writer->count++;
	writer->total++;
	return 0;
}

int pm_saved_hits_end(struct pm_saved_hits_writer *writer, bool complete, struct pm_error *error)
{
	int result = 0;
	if (!writer)
		return 0;

	if (complete) {
		const struct head head = { 0, 0, htole64(writer->total) };
		result = write_block(writer, error);
		if (result == 0)
			result = write_all(writer->fd, &head, sizeof head, error);
	}

	free(writer);
	return result;
}

/* --- reading --- */

struct pm_saved_hits {
	int fd;
	struct pm_saved_hits_info info;
	struct pm_saved_hit last; /* the last hit, if `total` is not 0 */
	uint64_t total;           /* hits so far */
	uint64_t from;            /* address from which the next distance counts */
	bool ended;               /* the end of the file was read */
	uint32_t size, at, left;  /* bytes of the block, the next one, and hits that are left */
	uint8_t block[BLOCK_MAX];
};

static int refuse(const char *why, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0, "the file of hits is damaged: %s", why);
}

/**
 * Reads `size` bytes.
 * @return 1, or 0 if the file ends before, or -1
 */
static int read_all(int fd, void *bytes, size_t size, struct pm_error *error)
{
	uint8_t *at = bytes;

	while (size > 0) {
		ssize_t got = pm_read(fd, at, size);
		if (got < 0)
			return pm_error_set(error, PM_ERROR_IO, errno,
			                    "cannot read the file of hits: %s", strerror(errno));
		if (got == 0)
			return 0;
		at += got;
		size -= (size_t)got;
	}
	return 1;
}

/** Fills a test from the header. */
static void load_test(const struct stored_test *stored, struct pm_number_test *test)
{
	uint64_t low = le64toh(stored->low), high = le64toh(stored->high);

	*test = (struct pm_number_test){ .type = stored->type, .size = stored->size };
	if (test->type == PM_NUMBER_FLOAT) {
		memcpy(&test->float_low, &low, sizeof low);
		memcpy(&test->float_high, &high, sizeof high);
	} else {
		test->low = low;
		test->high = high;
	}
}

/** Fills the info from the header, and checks it. */
static int load_header(const struct header *header, struct pm_saved_hits_info *info,
                       struct pm_error *error)
{
	if (memcmp(header->magic, magic, sizeof magic) != 0)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "this is not a file of hits, as 'procmem grep --int VALUE "
		                    "--save FILE' writes it");
	if (le64toh(header->checksum) != checksum_of(header, offsetof(struct header, checksum)))
		return refuse("the checksum of the header is wrong", error);

	*info = (struct pm_saved_hits_info){ .start_ticks = le64toh(header->start_ticks),
		                             .start_stack = le64toh(header->start_stack),
		                             .time = le64toh(header->time),
		                             .aligned = header->aligned != 0,
		                             .test_count = le32toh(header->test_count) };
	uint32_t pid = le32toh(header->pid);
	if (pid == 0 || pid > INT32_MAX)
		return refuse("its PID is not valid", error);

	info->pid = (pid_t)pid;
	memcpy(info->boot_id, header->boot_id, sizeof info->boot_id - 1);
	memcpy(info->comm, header->comm, sizeof info->comm - 1);
	for (size_t i = 0; i < info->test_count && i < PM_NUMBER_TESTS_MAX; i++)
		load_test(&header->tests[i], &info->tests[i]);

	if (!has_valid_tests(info))
		return refuse("its types of numbers are not valid", error);
	return 0;
}

int pm_saved_hits_open(int fd, struct pm_saved_hits **hits, struct pm_error *error)
{
	struct header header = { 0 };
	struct pm_saved_hits *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->fd = fd;
	/* A shorter file has no magic, or a wrong checksum. */
	int result = read_all(fd, &header, sizeof header, error);
	if (result >= 0)
		result = load_header(&header, &made->info, error);
	if (result < 0) {
		free(made);
		return -1;
	}

	*hits = made;
	return 0;
}

const struct pm_saved_hits_info *pm_saved_hits_info(const struct pm_saved_hits *hits)
{
	return &hits->info;
}

/** Checks the end of the file, whose head was read. */
static int check_end(struct pm_saved_hits *hits, uint64_t total, struct pm_error *error)
{
	char more;

	if (total != hits->total)
		return refuse("hits are missing", error);

	int result = read_all(hits->fd, &more, sizeof more, error);
	if (result > 0)
		return refuse("bytes follow its end", error);
	hits->ended = true;
	return result;
}

/**
 * Reads the next block.
 * @return 1, or 0 at the end of the file, or -1
 */
static int read_block(struct pm_saved_hits *hits, struct pm_error *error)
{
	struct head head;
	int result = read_all(hits->fd, &head, sizeof head, error);
	if (result == 0)
		return refuse("it is truncated", error);
	if (result < 0)
		return -1;

	uint32_t size = le32toh(head.size), count = le32toh(head.count);
	if (size == 0 && count == 0)
		return check_end(hits, le64toh(head.checksum), error);
	if (size > BLOCK_MAX || count == 0 || count > size / HIT_MIN)
		return refuse("the size of a block is wrong", error);

	result = read_all(hits->fd, hits->block, size, error);
	if (result == 0)
		return refuse("it is truncated", error);
	if (result < 0)
		return -1;
	if (le64toh(head.checksum) != checksum_of(hits->block, size))
		return refuse("the checksum of a block is wrong", error);

	hits->size = size;
	hits->left = count;
	hits->at = 0;
	hits->from = 0;
	return 1;
}

/**
 * Reads the distance of the next hit.
 * @return false if it is damaged
 */
static bool read_distance(struct pm_saved_hits *hits, uint64_t *distance)
{
	*distance = 0;
	for (unsigned shift = 0; shift < 64 && hits->at < hits->size; shift += GROUP_BITS) {
		uint8_t byte = hits->block[hits->at++];
		uint64_t group = byte & (GROUP_MORE - 1);
		if (group << shift >> shift != group)
			return false;
		*distance |= group << shift;
		if (!(byte & GROUP_MORE))
			return true;
	}
	return false;
}

/**
 * Reads the next hit of the block.
 * @return false if it is damaged
 */
static bool read_hit(struct pm_saved_hits *hits, struct pm_saved_hit *hit)
{
	uint64_t distance;

	*hit = (struct pm_saved_hit){ 0 };
	if (!read_distance(hits, &distance) ||
	    __builtin_add_overflow(hits->from, distance, &hit->address))
		return false;

	if (hits->info.test_count > 1) {
		if (hits->at == hits->size)
			return false;
		hit->test = hits->block[hits->at++];
	}
	if (hit->test >= hits->info.test_count)
		return false;

	uint8_t size = hits->info.tests[hit->test].size;
	if (hits->size - hits->at < size)
		return false;
	memcpy(hit->bytes, hits->block + hits->at, size);
	hits->at += size;

	/* The number must not reach the end of the address space. */
	return hit->address <= UINT64_MAX - PM_NUMBER_SIZE_MAX &&
	       (hits->total == 0 || follows(&hits->last, hit->address, hit->test));
}

int pm_saved_hits_next(struct pm_saved_hits *hits, struct pm_saved_hit *hit, struct pm_error *error)
{
	struct pm_saved_hit read;

	if (hits->ended)
		return 0;
	if (hits->left == 0) {
		int result = read_block(hits, error);
		if (result <= 0)
			return result;
	}

	if (!read_hit(hits, &read) || (--hits->left == 0 && hits->at != hits->size))
		return refuse("a hit in it is not valid", error);

	hits->from = read.address;
	hits->last = read;
	hits->total++;
	*hit = read;
	return 1;
}

void pm_saved_hits_close(struct pm_saved_hits *hits)
{
	free(hits);
}
