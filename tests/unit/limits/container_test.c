/* SPDX-License-Identifier: MIT */
/* Containers in saved lines of /proc/PID/cgroup of different runtimes and cgroup drivers. */
#include <procmem/container.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ID    "3b0a5ab4a9f5e2d1c0b7a69886f5e4d3c2b1a0f9e8d7c6b5a4938271605f4e3d"
#define OTHER "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

/** A path, and the container that it names; `id` is NULL if there is none. */
struct sample {
	const char *path;
	const char *id;
	enum pm_container_runtime runtime;
	const char *pod;
};

static const struct sample samples[] = {
	/* Docker, with the drivers systemd and cgroupfs, and with a chosen parent. */
	{ "/system.slice/docker-" ID ".scope", ID, PM_RUNTIME_DOCKER, "" },
	{ "/docker/" ID, ID, PM_RUNTIME_DOCKER, "" },
	{ "/docker/" ID "/init.scope", ID, PM_RUNTIME_DOCKER, "" },
	{ "/ci/jobs/" ID, ID, PM_RUNTIME_UNKNOWN, "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope", ID,
	  PM_RUNTIME_DOCKER, "" },
	{ "/ecs/5b1c6f0d1b3e4f7a/" ID, ID, PM_RUNTIME_UNKNOWN, "" },
	/* From another cgroup namespace. */
	{ "/../docker-" ID ".scope", ID, PM_RUNTIME_DOCKER, "" },
	{ "/../../docker/" ID, ID, PM_RUNTIME_DOCKER, "" },
	/* Docker in Docker: the inner one. */
	{ "/docker/" OTHER "/docker/" ID, ID, PM_RUNTIME_DOCKER, "" },
	/* Kubernetes: containerd, CRI-O and Docker, with both drivers. */
	{ "/kubepods.slice/kubepods-burstable.slice/"
	  "kubepods-burstable-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice/"
	  "cri-containerd-" ID ".scope",
	  ID, PM_RUNTIME_CONTAINERD, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" },
	{ "/kubepods.slice/kubepods-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice/crio-" ID
	  ".scope",
	  ID, PM_RUNTIME_CRIO, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" },
	{ "/kubepods/besteffort/pod0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9/" ID, ID,
	  PM_RUNTIME_UNKNOWN, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" },
	{ "/kubepods/burstable/pod0123456789abcdef0123456789abcdef/crio-" ID, ID, PM_RUNTIME_CRIO,
	  "0123456789abcdef0123456789abcdef" },
	{ "/system.slice/containerd.service/"
	  "kubepods-besteffort-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice:cri-containerd:" ID,
	  ID, PM_RUNTIME_CONTAINERD, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
	  "kubelet-kubepods-burstable-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice/"
	  "cri-containerd-" ID ".scope",
	  ID, PM_RUNTIME_CONTAINERD, "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" },
	/* Podman, as root and as a user. */
	{ "/machine.slice/libpod-" ID ".scope", ID, PM_RUNTIME_PODMAN, "" },
	{ "/machine.slice/libpod-" ID ".scope/container", ID, PM_RUNTIME_PODMAN, "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	  ID, PM_RUNTIME_PODMAN, "" },
	{ "/libpod_parent/libpod-" ID, ID, PM_RUNTIME_PODMAN, "" },
	{ "/libpod_parent/" ID, ID, PM_RUNTIME_PODMAN, "" },
	/* nerdctl. */
	{ "/system.slice/nerdctl-" ID ".scope", ID, PM_RUNTIME_CONTAINERD, "" },
	/* A short ID after a prefix. */
	{ "/system.slice/docker-3b0a5ab4a9f5.scope", "3b0a5ab4a9f5", PM_RUNTIME_DOCKER, "" },
	/* LXC, and what runs in its container. */
	{ "/lxc/web", "web", PM_RUNTIME_LXC, "" },
	{ "/lxc/web/system.slice/nginx.service", "web", PM_RUNTIME_LXC, "" },
	{ "/lxc.payload.db-1", "db-1", PM_RUNTIME_LXC, "" },
	{ "/lxc.payload/web/init.scope", "web", PM_RUNTIME_LXC, "" },
	/* Monitors beside a container. */
	{ "/machine.slice/libpod-conmon-" ID ".scope", NULL, 0, NULL },
	{ "/kubepods.slice/kubepods-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice/crio-conmon-" ID
	  ".scope",
	  NULL, 0, NULL },
	{ "/lxc.monitor.web", NULL, 0, NULL },
	/* A monitor within a container belongs to the outer container. */
	{ "/docker/" ID "/libpod-conmon-" OTHER ".scope", ID, PM_RUNTIME_DOCKER, "" },
	/* No container. */
	{ "/", NULL, 0, NULL },
	{ "", NULL, 0, NULL },
	{ "//", NULL, 0, NULL },
	{ "/lxc", NULL, 0, NULL },
	{ "/lxc/", NULL, 0, NULL },
	{ "/docker", NULL, 0, NULL },
	{ "/docker/buildx", NULL, 0, NULL },
	{ "/system.slice/docker.service", NULL, 0, NULL },
	{ "/system.slice/docker-registry.service", NULL, 0, NULL },
	{ "/system.slice/docker-3b0a5ab4a9f.scope", NULL, 0, NULL },
	{ "/system.slice/docker-" ID "0.scope", NULL, 0, NULL },
	{ "/user.slice/user-1000.slice/session-2.scope", NULL, 0, NULL },
	{ "/process_api/9ad8856409607b4914ac89e634af297a", NULL, 0, NULL },
	{ "/kubepods/besteffort/pod0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", NULL, 0, NULL },
	/* Not a UID of a pod. */
	{ "/kubepods/podsandbox/" ID, ID, PM_RUNTIME_UNKNOWN, "" },
	{ "/pod0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9a/" ID, ID, PM_RUNTIME_UNKNOWN, "" },
};

static void containers_of_saved_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		const struct sample *sample = &samples[i];
		struct pm_container container = { .id = "unchanged" };
		bool found = pm_container_parse(sample->path, &container);

		if (found != (sample->id != NULL))
			fail_msg("%s: %s", sample->path, found ? container.id : "not found");
		assert_string_equal(container.id, found ? sample->id : "unchanged");
		if (!found)
			continue;
		assert_string_equal(pm_container_runtime_name(container.runtime),
		                    pm_container_runtime_name(sample->runtime));
		assert_string_equal(container.pod, sample->pod);
	}
}

static void long_names_are_bounded(void **state)
{
	(void)state;
	struct pm_container container;
	char path[512] = "/lxc/";

	memset(path + 5, 'n', PM_CONTAINER_ID_SIZE - 1);
	assert_true(pm_container_parse(path, &container));
	assert_int_equal(strlen(container.id), PM_CONTAINER_ID_SIZE - 1);

	memset(path + 5, 'n', PM_CONTAINER_ID_SIZE);
	assert_false(pm_container_parse(path, &container));
}

static void every_runtime_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_CONTAINERD), "containerd");
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_CRIO), "crio");
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_PODMAN), "podman");
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_LXC), "lxc");
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_DOCKER), "docker");
	assert_string_equal(pm_container_runtime_name(PM_RUNTIME_UNKNOWN), "unknown");
	assert_string_equal(pm_container_runtime_name((enum pm_container_runtime)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_of_saved_paths),
		cmocka_unit_test(long_names_are_bounded),
		cmocka_unit_test(every_runtime_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
