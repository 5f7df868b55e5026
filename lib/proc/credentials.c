/* SPDX-License-Identifier: MIT */
#include "proc/credentials.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "proc/status.h"

enum { SECCOMP_MODE = 2 }; /* value of SECCOMP_MODE_FILTER in the Seccomp line of status */

/**
 * Reads a small file of a process.
 *
 * @param root       directory to use as /proc
 * @param directory  name below `root`: a PID, or "self"
 * @param name       name of the file
 * @param length     receives the length in bytes; may be NULL
 * @param owner      receives the owner of the file; may be NULL
 * @return           the text, which the caller frees, or NULL on failure
 */
static char *read_file(const char *root, const char *directory, const char *name, size_t *length,
                       uid_t *owner)
{
	char *path, *text = NULL;
	if (asprintf(&path, "%s/%s/%s", root, directory, name) < 0)
		return NULL;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return NULL;

	struct stat file;
	bool known = pm_read_all(fd, PM_PROCFS_TEXT_MAX, &text, length, NULL) == 0 &&
	             fstat(fd, &file) == 0;
	close(fd);
	if (!known) {
		free(text);
		return NULL;
	}
	if (owner)
		*owner = file.st_uid;
	return text;
}

static struct pm_ids read_ids(const char *status, const char *key)
{
	return (struct pm_ids){
		.real = (uint32_t)pm_status_number(status, key, 0),
		.effective = (uint32_t)pm_status_number(status, key, 1),
		.saved = (uint32_t)pm_status_number(status, key, 2),
	};
}

bool pm_namespace_read(const char *proc_root, const char *directory, const char *kind,
                       char text[PM_NAMESPACE_TEXT_SIZE])
{
	char *path;
	text[0] = '\0';
	if (asprintf(&path, "%s/%s/ns/%s", proc_root, directory, kind) < 0)
		return false;

	ssize_t length = readlink(path, text, PM_NAMESPACE_TEXT_SIZE - 1);
	free(path);
	if (length < 0)
		length = 0;
	text[length] = '\0';

	return length > 0;
}

static bool read_stat(const char *root, const char *directory, struct pm_credentials *credentials)
{
	size_t length;
	char *text = read_file(root, directory, "stat", &length, NULL);
	struct pm_process_stat stat;
	bool known = text && pm_process_stat_parse(text, length, &stat);

	free(text);
	if (!known)
		return false;

	memcpy(credentials->name, stat.comm, sizeof credentials->name);
	credentials->state = stat.state;
	credentials->threads = stat.threads;
	credentials->kernel_thread = (stat.flags & PM_PF_KTHREAD) != 0;

	return true;
}

bool pm_credentials_read(const char *proc_root, const char *directory,
                         struct pm_credentials *credentials)
{
	struct pm_credentials found = { 0 };
	char *status = read_file(proc_root, directory, "status", NULL, &found.owner);
	if (!status)
		return false;

	found.pid = (pid_t)pm_status_number(status, "Tgid", 0);
	found.parent = (pid_t)pm_status_number(status, "PPid", 0);
	found.tracer = (pid_t)pm_status_number(status, "TracerPid", 0);
	found.users = read_ids(status, "Uid");
	found.groups = read_ids(status, "Gid");
	found.permitted = pm_status_mask(status, "CapPrm");
	found.effective = pm_status_mask(status, "CapEff");
	found.seccomp = pm_status_number(status, "Seccomp", 0) == SECCOMP_MODE;

	free(status);
	if (!read_stat(proc_root, directory, &found))
		return false;

	pm_namespace_read(proc_root, directory, "user", found.namespace_text);
	*credentials = found;

	return true;
}

bool pm_credentials_read_pid(const char *proc_root, pid_t pid, struct pm_credentials *credentials)
{
	char directory[16];
	snprintf(directory, sizeof directory, "%d", (int)pid);
	return pm_credentials_read(proc_root, directory, credentials);
}

bool pm_credentials_in_first_namespace(const char *proc_root)
{
	char *map = read_file(proc_root, "self", "uid_map", NULL, NULL);
	if (!map)
		return true; /* A kernel without user namespaces does not have this file. */

	uint64_t numbers[3] = { 0 };
	const char *at = map;
	for (size_t i = 0; i < 3; i++) {
		at += strspn(at, " ");
		if (!pm_scan_decimal(&at, &numbers[i]))
			break;
	}

	free(map);
	return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == UINT32_MAX;
}
