/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A handle for one process. The handle detects that the process exited or called exec.
 *
 * The kernel reuses the PID of a process that has ended. A `pm_process` therefore holds open the
 * directory /proc/PID, a pidfd (Linux 5.3) and a `maps` file, and keeps the start time
 * (proc_pid_stat(5), field 22). The `maps` file is the anchor: it stays tied to the memory (the
 * kernel's mm) that the process had when the file was opened. After exit or exec, this memory is
 * gone, and the file is empty.
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
 * Size of a command or thread name, including the NUL: the kernel keeps up to 15 characters, or up
 * to 63 for a kernel thread.
 */
#define PM_COMM_SIZE 64

/**
 * State and sizes of a process at one moment. The sizes are 0 if the process has no user memory (a
 * kernel thread or a zombie).
 */
struct pm_process_info {
	pid_t pid; /**< process ID in the PID namespace of the calling process */
	/** TracerPid: the thread that traces the process (ptrace(2)); 0 if there is none */
	pid_t tracer;
	uid_t uid;          /**< real user ID */
	uid_t euid;         /**< effective user ID */
	char state;         /**< R S D T t Z X I as in proc_pid_stat(5) */
	bool kernel_thread; /**< PF_KTHREAD: a thread of the kernel, without user memory */
	bool leader_gone;   /**< the first thread exited, but other threads are alive */
	/** Whether SIGKILL is pending (SigPnd, ShdPnd), so that the process is about to end */
	bool killed;
	uint32_t threads;     /**< number of living threads */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	/** The time since the process started, in milliseconds; 0 if /proc/uptime cannot be read */
	uint64_t uptime_ms;
	uint64_t vm_size; /**< virtual size in bytes (VmSize) */
	uint64_t vm_rss;  /**< resident size in bytes (VmRSS) */
	uint64_t vm_hwm;  /**< peak resident size in bytes (VmHWM) */
	uint64_t vm_swap; /**< swapped-out bytes (VmSwap) */
	uint64_t vm_pte;  /**< bytes of page tables (VmPTE) */
	/** Bytes that io_uring or devices such as RDMA have pinned to access them (VmPin) */
	uint64_t vm_pinned;
	/**
	 * Start of the brk heap (proc_pid_stat(5), field 47); 0 if the caller lacks ptrace access
	 */
	uint64_t start_brk;
	/**
	 * An address in the stack of the first thread (proc_pid_stat(5), field 28); 0 if the caller
	 * lacks ptrace access
	 */
	uint64_t start_stack;
	char comm[PM_COMM_SIZE]; /**< command name; may contain any byte but NUL */
};

/**
 * Opens a process.
 *
 * @param proc_root  directory to use as /proc; NULL means "/proc". The directory can be a saved
 *                   copy of /proc. The processes of a saved copy have no pidfd
 * @param pid        process ID. If this is the ID of a thread, the process of the thread is opened
 * @param process    receives the handle; release it with pm_process_close()
 * @param error      PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS (hidepid), PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_process_open(const char *proc_root, pid_t pid, struct pm_process **process,
                              struct pm_error *error);

/**
 * Closes a process.
 * @param process  the handle; may be NULL
 */
PM_PUBLIC void pm_process_close(struct pm_process *process);

/**
 * Returns the PID of the process.
 * @param process  the process
 * @return         the PID
 */
PM_PUBLIC pid_t pm_process_pid(const struct pm_process *process);

/**
 * Returns the start time of the process. The PID and the start time together identify a process.
 * @param process  the process
 * @return         clock ticks since boot (proc_pid_stat(5), field 22)
 */
PM_PUBLIC uint64_t pm_process_start_ticks(const struct pm_process *process);

/**
 * Returns the directory that is used as /proc for this process, usually "/proc".
 * @param process  the process
 * @return         the path of the directory; valid as long as the handle
 */
PM_PUBLIC const char *pm_process_root(const struct pm_process *process);

/**
 * Returns a descriptor for poll(2) that becomes readable when the process has ended. See
 * pidfd_open(2).
 *
 * @param process  the process
 * @return         the descriptor, owned by the handle; -1 before Linux 5.3, and for a process of a
 *                 saved copy of /proc
 */
PM_PUBLIC int pm_process_poll_fd(const struct pm_process *process);

/**
 * Tests whether the process is alive and has the same memory as when it was opened.
 *
 * @param process  the process
 * @param error    PM_ERROR_GONE with the reason: exited, called exec, or its PID was reused. Its
 *                 os_errno is ESTALE if the process called exec, and otherwise ESRCH;
 *                 PM_ERROR_RESOURCES if a lack of descriptors or memory prevented the test
 * @return         0 if the process is alive with the same memory; -1 if not, or if the test failed
 */
PM_PUBLIC int pm_process_check(struct pm_process *process, struct pm_error *error);

/**
 * Reads the state and the sizes of the process, from stat and status.
 *
 * @param process  the process
 * @param info     receives the state and the sizes
 * @param error    PM_ERROR_GONE, PM_ERROR_FORMAT, PM_ERROR_ACCESS, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_info(struct pm_process *process, struct pm_process_info *info,
                                   struct pm_error *error);

/**
 * Reads the command line, with one space between arguments (proc_pid_cmdline(5)). The text is empty
 * for zombies and kernel threads.
 *
 * @param process  the process
 * @param command  receives the text; the caller frees it
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_command(struct pm_process *process, char **command,
                                      struct pm_error *error);

/**
 * Opens a file of the process. If the first thread is dead and other threads are alive, files about
 * the memory, such as `maps`, `smaps`, `pagemap` and `mem`, are opened in the directory of a living
 * thread, because in the directory of the dead thread these files are empty.
 *
 * @param process  the process
 * @param name     name below /proc/PID, such as "smaps" or "task/12/comm"
 * @param flags    open(2) flags; O_CLOEXEC is added
 * @param fd       receives the descriptor; the caller closes it
 * @param error    PM_ERROR_ACCESS with the reason and a remedy, PM_ERROR_GONE, PM_ERROR_NOT_FOUND,
 *                 PM_ERROR_NO_MEMORY (a zombie or a kernel thread), PM_ERROR_UNSUPPORTED,
 *                 PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_open_file(struct pm_process *process, const char *name, int flags, int *fd,
                                   struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
