/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { SMALL = 16 * PAGE };

/** Maps a descriptor as shared memory, fills it and closes the descriptor. */
static void map_shared(const char *name, int fd, int prot, const char *note)
{
	target_check(fd, name);
	target_check(ftruncate(fd, SMALL), name);

	char *memory = target_map_at_island(SMALL, PROT_READ | PROT_WRITE | prot, MAP_SHARED, fd, 0,
	                                    0);
	target_check(memory == MAP_FAILED ? -1 : 0, name);
	target_fill(memory, SMALL, name);
	target_region(name, memory, SMALL, note);
	close(fd);
}

static void system_v(void)
{
	int id = (int)target_check(shmget(IPC_PRIVATE, SMALL, IPC_CREAT | 0600), "shmget");
	char *memory = shmat(id, target_island_address(SMALL, 0), 0);
	/* Removed immediately: it is destroyed with the last process that uses it. */
	target_check(shmctl(id, IPC_RMID, NULL), "shmctl");
	target_check(memory == (char *)-1 ? -1 : 0, "shmat");
	target_fill(memory, SMALL, "sysv_shm");
	target_region("sysv_shm", memory, SMALL,
	              "kind=shm resident=65536 name=/SYSV00000000 (deleted)");
}

void mapper_shared(void)
{
	char *memory = target_map_at_island(SMALL, PROT_READ | PROT_WRITE,
	                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "shared_anon");
	target_fill(memory, SMALL, "shared_anon");
	target_region("shared_anon", memory, SMALL,
	              "kind=shm resident=65536 name=/dev/zero (deleted)");

	map_shared("memfd", memfd_create("off heap", MFD_CLOEXEC), 0,
	           "kind=shm resident=65536 name=/memfd:off heap (deleted)");
	map_shared("memfd_code", memfd_create("doublemapper", MFD_CLOEXEC), PROT_EXEC,
	           "kind=jit resident=65536 name=/memfd:doublemapper (deleted)");

	char path[64], note[128];
	snprintf(path, sizeof path, "/procmem-target-%d", (int)getpid());
	int fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	shm_unlink(path);
	snprintf(note, sizeof note, "kind=shm resident=65536 name=/dev/shm%s (deleted)", path);
	map_shared("posix_shm", fd, 0, note);
	system_v();
}
