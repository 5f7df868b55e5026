/* SPDX-License-Identifier: MIT */
/*
 * without CALL[,CALL]... COMMAND [ARGUMENT]...: runs a command for which these system calls fail
 * with EPERM, as with seccomp filters of containers. CALL: process_vm_readv, ptrace, pidfd_open,
 * kcmp, scan (the ioctl PAGEMAP_SCAN).
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PAGEMAP_SCAN of linux/fs.h: _IOWR('f', 16, struct pm_scan_arg), which Linux has since 6.7. */
enum { MOST = 64, SCAN_COMMAND = (int)0xc0606610 };

static struct sock_filter filter[MOST];
static unsigned short length;

static void add(uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
	filter[length++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(uint32_t offset)
{
	add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/** Makes a call fail if the accumulator has this value. */
static void refuse_if(uint32_t value)
{
	add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

static int forbid(const char *name)
{
	static const struct {
		const char *name;
		uint32_t number;
	} calls[] = {
		{ "process_vm_readv", SYS_process_vm_readv },
		{ "ptrace", SYS_ptrace },
		{ "pidfd_open", SYS_pidfd_open },
		{ "kcmp", SYS_kcmp },
	};

	if (strcmp(name, "scan") == 0) {
		/* The second argument, whose lower half comes first here. */
		load(offsetof(struct seccomp_data, args[1]));
		refuse_if((uint32_t)SCAN_COMMAND);
		return 0;
	}

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(name, calls[i].name) == 0) {
			load(offsetof(struct seccomp_data, nr));
			refuse_if(calls[i].number);
			return 0;
		}

	return -1;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: without CALL[,CALL]... COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}

	for (const char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
		if (forbid(name) < 0 || length > MOST - 4) {
			fprintf(stderr, "without: %s: no such call\n", name);
			return 2;
		}

	add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	const struct sock_fprog program = { length, filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("without: seccomp");
		return 77;
	}

	execvp(argv[2], argv + 2);
	perror(argv[2]);

	return 127;
}
