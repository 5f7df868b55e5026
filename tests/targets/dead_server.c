/* SPDX-License-Identifier: MIT */
/*
 * dead_server FOLDER [deleted]: maps a file of a FUSE file system, mounted on FOLDER in an own
 * mount namespace, whose server then no longer answers. What the kernel knows of the file stays
 * valid, so that other tests that look at all processes do not wait. With `deleted`, the file is
 * deleted before.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fuse.h>

/* A process that waits for the server cannot be killed. So that a test can fail, the server ends
 * after this time, longer than any test waits. */
enum { SERVER_SECONDS = 120 };

enum { SIZE = 8192, ROOT = 1, FILE_NODE = 2, VALID_SECONDS = 86400, REQUEST_SIZE = 1 << 17 };

static void answer(int device, uint64_t unique, int result, const void *data, size_t size)
{
	char packet[512];
	struct fuse_out_header header = { .len = (uint32_t)(sizeof header + size),
		                          .error = result,
		                          .unique = unique };

	memcpy(packet, &header, sizeof header);
	if (size > 0)
		memcpy(packet + sizeof header, data, size);
	target_check(write(device, packet, sizeof header + size), "answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){ .ino = node,
		                   .size = SIZE,
		                   .blocks = SIZE / 512,
		                   .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644,
		                   .nlink = 1,
		                   .blksize = 4096 };
}

/** Answers what is necessary to open a file. */
static void serve_one(int device, const struct fuse_in_header *request)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		                            .minor = FUSE_KERNEL_MINOR_VERSION,
		                            .max_write = 4096 };
	const struct fuse_entry_out entry = { .nodeid = FILE_NODE,
		                              .entry_valid = VALID_SECONDS,
		                              .attr_valid = VALID_SECONDS,
		                              .attr = attributes(FILE_NODE) };
	const struct fuse_attr_out attr = { .attr_valid = VALID_SECONDS,
		                            .attr = attributes(request->nodeid) };
	const struct fuse_open_out opened = { .fh = 1 };

	switch (request->opcode) {
	case FUSE_INIT:
		answer(device, request->unique, 0, &init, sizeof init);
		break;
	case FUSE_LOOKUP:
		answer(device, request->unique, 0, &entry, sizeof entry);
		break;
	case FUSE_GETATTR:
		answer(device, request->unique, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		answer(device, request->unique, 0, &opened, sizeof opened);
		break;
	case FUSE_UNLINK:
		answer(device, request->unique, 0, NULL, 0);
		break;
	default:
		answer(device, request->unique, -ENOSYS, NULL, 0);
	}
}

/** Answers until the file is mapped; then holds the device open, and answers no more. */
static _Noreturn void serve(int device, int mapped)
{
	static char request[REQUEST_SIZE];
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(SERVER_SECONDS);
	fcntl(mapped, F_SETFL, O_NONBLOCK);
	for (;;) {
		long size = read(device, request, sizeof request);
		if (size < (long)sizeof(struct fuse_in_header))
			_exit(1);
		if (read(mapped, &byte, 1) < 0)
			serve_one(device, (const struct fuse_in_header *)request);
	}
}

int main(int argc, char **argv)
{
	int mapped[2];
	char options[128], path[4096];

	target_begin();
	if (argc != 2 && (argc != 3 || strcmp(argv[2], "deleted") != 0))
		return 2;
	target_check(unshare(CLONE_NEWNS), "unshare");
	target_check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "MS_PRIVATE");
	target_check(pipe(mapped), "pipe");
	int device = (int)target_check(open("/dev/fuse", O_RDWR | O_CLOEXEC), "/dev/fuse");
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	target_check(mount("dead", argv[1], "fuse", 0, options), "mount");

	long server = target_check(fork(), "fork");
	if (server == 0) {
		close(mapped[1]);
		serve(device, mapped[0]);
	}
	close(device);
	close(mapped[0]);

	/* The first close(2) is answered with ENOSYS, so that later ones, and exit, do not wait. */
	snprintf(path, sizeof path, "%s/file", argv[1]);
	close((int)target_check(open(path, O_RDONLY | O_CLOEXEC), "open"));
	int fd = (int)target_check(open(path, O_RDONLY | O_CLOEXEC), "open");
	char *memory = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	if (argc == 3)
		target_check(unlink(path), "unlink");

	close(mapped[1]);
	printf("server %ld\n", server);
	target_region("file", memory, SIZE, "");
	target_ready();
	target_obey(NULL);
}
