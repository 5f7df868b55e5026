/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Containers, found by the path of a cgroup. A container runtime creates a cgroup for each
 * container, and its name contains the ID of the container.
 */
#ifndef PROCMEM_CONTAINER_H
#define PROCMEM_CONTAINER_H

#include <stdbool.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The program that created a container. */
enum pm_container_runtime {
	PM_RUNTIME_UNKNOWN,    /**< the path contains an ID, but not the name of a runtime */
	PM_RUNTIME_DOCKER,     /**< Docker: docker-ID.scope, docker/ID */
	PM_RUNTIME_CONTAINERD, /**< containerd: cri-containerd-ID.scope, nerdctl-ID.scope */
	PM_RUNTIME_CRIO,       /**< CRI-O: crio-ID.scope, crio-ID */
	PM_RUNTIME_PODMAN,     /**< Podman: libpod-ID.scope, libpod-ID */
	PM_RUNTIME_LXC, /**< LXC, also as used by LXD and Incus: lxc/NAME, lxc.payload.NAME */
};

/** Size of a buffer for the ID of a container, including the NUL. Longer IDs are not accepted. */
#define PM_CONTAINER_ID_SIZE 129

/** Size of a buffer for the UID of a pod, including the NUL. */
#define PM_POD_UID_SIZE 37

/** A container. */
struct pm_container {
	enum pm_container_runtime runtime; /**< the program that created the container */
	/**
	 * The ID: 12 to 64 hexadecimal digits; for LXC, the name, which may have any bytes but
	 * NUL, newline and '/'
	 */
	char id[PM_CONTAINER_ID_SIZE];
	/**
	 * UID of the pod of Kubernetes, with '-' between its parts, or 32 hexadecimal digits for a
	 * static pod; "" if the container is not in a pod
	 */
	char pod[PM_POD_UID_SIZE];
};

/**
 * Finds the container to which a cgroup belongs, by the path of the cgroup. If containers are
 * nested, this is the innermost container. The processes that a runtime starts beside a container
 * to monitor it (conmon) do not belong to the container.
 *
 * The forms of the path are those of the runtimes, with the cgroup drivers `systemd` and
 * `cgroupfs`. A component of 64 hexadecimal digits is an ID, whatever directory it is in, because
 * the parent directory can be chosen (`docker run --cgroup-parent`).
 *
 * @param path       path of the cgroup, as in /proc/PID/cgroup; untrusted
 * @param container  receives the container; unchanged if there is none
 * @return           whether the cgroup belongs to a container
 */
PM_PUBLIC bool pm_container_parse(const char *path, struct pm_container *container);

/**
 * Returns the name of a runtime.
 * @param runtime  the runtime
 * @return         such as "docker"; "unknown" for PM_RUNTIME_UNKNOWN; never NULL
 */
PM_PUBLIC const char *pm_container_runtime_name(enum pm_container_runtime runtime);

#ifdef __cplusplus
}
#endif

#endif
