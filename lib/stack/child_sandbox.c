/* SPDX-License-Identifier: MIT */
/*
 * The child is a copy of the calling process, and reads files that may be hostile. Code that such a
 * file manages to run can use the system calls below only: no files, sockets, processes or
 * executable memory.
 */
#include "stack/child_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"

/* Bytes of memory that the child can allocate or map in addition to what it has at its start: files
 * of programs with their debug information, and what libdw derives from them. */
static const uint64_t memory_max = UINT64_C(2) << 30;

#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
/* Allows a system call. */
#define ALLOW(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* Allows a system call if its third argument (protection) does not ask for executable memory. */
#define ALLOW_DATA(name)                                                       \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD(args[2]), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),         \
		RETURN(SECCOMP_RET_KILL_PROCESS), RETURN(SECCOMP_RET_ALLOW)

/** Installs the filter of system calls. Others fail with EPERM. */
static bool install_filter(void)
{
	struct sock_filter program[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		/* Requests. */
		ALLOW(recvmsg),
		ALLOW(sendmsg),
		ALLOW(timer_settime),
		ALLOW(clock_gettime),

		/* Files. */
		ALLOW(read),
		ALLOW(pread64),
		ALLOW(lseek),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(dup),
		ALLOW(close),

		/* Memory. */
		ALLOW_DATA(mmap),
		ALLOW_DATA(mprotect),
		ALLOW(mremap),
		ALLOW(munmap),
		ALLOW(madvise),
		ALLOW(brk),

		ALLOW(futex),
		ALLOW(getrandom),
		ALLOW(gettid),
		ALLOW(getpid),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigreturn),
		ALLOW(sigaltstack),
		ALLOW(sched_yield),
		ALLOW(exit),
		ALLOW(exit_group),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog filter = { sizeof program / sizeof *program, program };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

/** Keeps only the socket. */
static bool close_descriptors(int socket)
{
	if (socket != PM_STACK_CHILD_SOCKET && dup2(socket, PM_STACK_CHILD_SOCKET) < 0)
		return false;
	closefrom(PM_STACK_CHILD_SOCKET + 1);
	return true;
}

/** Makes the child the first process that the OOM killer kills. Failure does no harm. */
static void be_killed_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0;
	close(fd);
}

/** Returns the size of the address space of this process, in bytes; 0 if it is not known. */
static uint64_t own_size(void)
{
	char text[64];
	uint64_t pages = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;

	ssize_t length = read(fd, text, sizeof text);
	close(fd);
	for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');

	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** Limits memory and core dumps. As many descriptors as possible are allowed. */
static bool set_limits(void)
{
	uint64_t memory = own_size() + memory_max;
	struct rlimit space, files, none = { 0, 0 };

	if (getrlimit(RLIMIT_AS, &space) < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0)
		return false;

	if (space.rlim_max == RLIM_INFINITY || space.rlim_max > memory)
		space.rlim_max = memory;
	space.rlim_cur = space.rlim_max;
	files.rlim_cur = files.rlim_max;

	return setrlimit(RLIMIT_AS, &space) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 &&
	       setrlimit(RLIMIT_CORE, &none) == 0;
}

/** Gives up all capabilities. */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof none);
	return syscall(SYS_capset, &header, none) == 0;
}

bool pm_stack_child_sandbox(int socket)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);

	be_killed_first();
	return close_descriptors(socket) && set_limits() && drop_capabilities() &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && install_filter();
}

bool pm_stack_child_timer(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };

	return timer_create(CLOCK_MONOTONIC, &event, timer) == 0;
}

void pm_stack_child_timer_set(timer_t timer, unsigned seconds)
{
	struct itimerspec time = { .it_value.tv_sec = seconds };

	timer_settime(timer, 0, &time, NULL);
}
