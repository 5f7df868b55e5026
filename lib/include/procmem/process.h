/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One process, and the question whether it is still the same one.
 *
 * A PID names a process only as long as the process lives; the kernel hands it out again
 * afterwards. A `pm_process` is therefore anchored: it holds the /proc/PID directory open, a pidfd
 * (Linux 5.3) and the start time (proc_pid_stat(5), field 22), and an open `maps` file, which stays
 * tied to the memory (the kernel's mm) that the process had when it was opened: it reads as empty
 * once that memory is gone, by exit or by exec.
 */
#ifndef PROCMEM_PROCESS_H
#define PROCMEM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A process; opaque. Several threads may use it as long as none of them closes it. */
struct pm_process;

/**
 * Bytes of a command or thread name with its NUL: the kernel keeps 15 characters, kernel threads
 * show up to 63.
 */
#define PM_COMM_SIZE 64

/** What /proc says about a process at one moment. */
struct pm_process_info {
	pid_t pid;          /**< process ID (of the thread group) in our PID namespace */
	pid_t tracer;       /**< PID of the process that traces it by ptrace, 0 for none */
	uid_t uid;          /**< real user ID */
	uid_t euid;         /**< effective user ID */
	char state;         /**< R S D T t Z X I as in proc_pid_stat(5) */
	bool kernel_thread; /**< PF_KTHREAD: runs in the kernel only, has no user memory */
	bool leader_gone;   /**< the first thread exited, other threads live on */
	bool killed; /**< SIGKILL is pending (SigPnd, ShdPnd): somebody, or the kernel for lack of
	                memory, is ending it */
	uint32_t threads;     /**< number of living threads */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	uint64_t uptime_ms; /**< how long it has been running, in milliseconds; 0 where /proc/uptime
	                       is missing */
	uint64_t vm_size;   /**< virtual size in bytes (VmSize) */
	uint64_t vm_rss;    /**< resident size in bytes (VmRSS) */
	uint64_t vm_hwm;    /**< peak resident size in bytes (VmHWM) */
	uint64_t vm_swap;   /**< swapped-out bytes (VmSwap) */
	uint64_t vm_pte;    /**< bytes of page tables (VmPTE) */
	uint64_t start_brk; /**< start of the brk heap, 0 where we may not know (proc_pid_stat(5),
	                       field 47) */
	uint64_t start_stack; /**< address in the stack of the first thread, 0 where we may not know
	                         (field 28) */
	char comm[PM_COMM_SIZE]; /**< command name as the kernel has it: any bytes but NUL */
};

/**
 * Opens a process.
 *
 * @param proc_root  directory that stands for /proc; NULL means "/proc". With another root there is
 * no pidfd (saved trees).
 * @param pid        process ID; that of a thread opens its process
 * @param process    where to store the handle; release it with pm_process_close()
 * @param error      PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS (hidepid), PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_process_open(const char *proc_root, pid_t pid, struct pm_process **process,
                              struct pm_error *error);

/**
 * Closes a process.
 * @param process a handle or NULL
 */
PM_PUBLIC void pm_process_close(struct pm_process *process);

/**
 * The PID it was opened with.
 * @param process the process
 * @return the PID
 */
PM_PUBLIC pid_t pm_process_pid(const struct pm_process *process);

/**
 * The directory that stands for /proc.
 * @param process the process
 * @return text that lives as long as the handle
 */
PM_PUBLIC const char *pm_process_root(const struct pm_process *process);

/**
 * A descriptor that becomes readable when the process has ended (poll(2), pidfd_open(2)), for
 * programs that wait for more than that.
 *
 * @param process  the process
 * @return         a descriptor that stays the handle's; -1 where there is none: before Linux 5.3,
 * and for saved trees
 */
PM_PUBLIC int pm_process_poll_fd(const struct pm_process *process);

/**
 * Says whether the process behind the handle is alive and still has the memory it had when its maps
 * were first opened.
 *
 * @param process  the process
 * @param error    PM_ERROR_GONE with the reason: exited, called exec, PID belongs to another
 * process now; PM_ERROR_RESOURCES where it cannot be told for a lack of descriptors or memory
 * @return         0: still the same; -1: not, or not known
 */
PM_PUBLIC int pm_process_check(struct pm_process *process, struct pm_error *error);

/**
 * Reads stat and status.
 *
 * @param process  the process
 * @param info     filled on success
 * @param error    PM_ERROR_GONE, PM_ERROR_FORMAT
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_info(struct pm_process *process, struct pm_process_info *info,
                                   struct pm_error *error);

/**
 * Reads the command line, the arguments separated by one blank each (proc_pid_cmdline(5)). Empty
 * for zombies and kernel threads.
 *
 * @param process  the process
 * @param command  where to store the text; the caller frees it
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_command(struct pm_process *process, char **command,
                                      struct pm_error *error);

/**
 * Opens one of its files for reading. Where the first thread is dead and others live, files about
 * memory (`maps`, `smaps`, `pagemap`, `mem`, ...) are those of a living thread: the dead leader's
 * are empty.
 *
 * @param process  the process
 * @param name     name below /proc/PID, such as "smaps" or "task/12/comm"
 * @param flags    open(2) flags; O_CLOEXEC is added
 * @param fd       where to store the descriptor; the caller closes it
 * @param error    PM_ERROR_ACCESS with the rule that refused and its fix, PM_ERROR_GONE,
 * PM_ERROR_NOT_FOUND
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_open_file(struct pm_process *process, const char *name, int flags, int *fd,
                                   struct pm_error *error);

/** One thread of a process. */
struct pm_thread {
	pid_t tid;               /**< thread ID */
	char name[PM_COMM_SIZE]; /**< thread name, any bytes but NUL; empty where the thread just
	                            ended */
	uint64_t stack_pointer;  /**< where its stack pointer was, 0 where unknown (running, or we
	                            lack ptrace rights) */
};

/** What to find out about each thread. */
enum pm_thread_detail {
	PM_THREAD_NAMES = 1, /**< read task/TID/comm */
	PM_THREAD_STACK_POINTERS =
		2, /**< read task/TID/syscall, which needs ptrace access (proc_pid_syscall(5)) */
};

/**
 * Lists the threads that live at the moment, by ascending TID.
 *
 * @param process  the process
 * @param details  what to read of each: enum pm_thread_detail values or-ed together
 * @param threads  where to store the array; the caller frees it
 * @param count    where to store its length
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_threads(struct pm_process *process, unsigned details,
                                      struct pm_thread **threads, size_t *count,
                                      struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
