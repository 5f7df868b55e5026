/* SPDX-License-Identifier: MIT */
#include "cgroup/files_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "cgroup/files.h"
#include "cgroup/suspect.h"
#include "target/json_parts.h"

/** Writes the directories. */
static void put_directories(const struct pm_tmpfs_rows *rows, struct json *json)
{
	json_open(json, "tmpfs", '[');
	for (size_t i = 0; i < rows->count; i++) {
		const struct pm_tmpfs_row *row = &rows->items[i];
		json_open(json, NULL, '{');
		json_put(json, "path", json_text(row->path));
		json_put(json, "files", json_number(row->files));
		json_put(json, "bytes", json_number(row->bytes));
		if (row->rate_known)
			json_put(json, "rate", json_real(row->rate));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_mounts(const struct cgroup_files *files, struct json *json)
{
	json_open(json, "mounts", '[');
	for (size_t i = 0; i < files->tmpfs.mount_count; i++) {
		const struct pm_tmpfs_mount *mount = &files->tmpfs.mounts[i];
		double rate = cgroup_files_mount_rate(files, i);

		json_open(json, NULL, '{');
		json_put(json, "path", json_text(mount->point));
		if (mount->cause != 0)
			json_put(json, "error", json_text(cgroup_files_mount_cause(mount->cause)));
		if (mount->size_max > 0) {
			json_put(json, "max", json_number(mount->size_max));
			json_put(json, "used", json_number(mount->used));
			json_put(json, "left", json_number(mount->size_max - mount->used));
			if (rate > 0)
				json_put(json, "seconds_left",
				         json_real((double)(mount->size_max - mount->used) / rate));
		}
		if (mount->inodes_max > 0) {
			json_put(json, "inodes_max", json_number(mount->inodes_max));
			json_put(json, "inodes_used", json_number(mount->inodes_used));
		}
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_users(const struct pm_shared_object *object, struct json *json)
{
	size_t kept = pm_min_size(object->user_count, PM_SHARED_USERS_KEPT);

	json_open(json, "users", '[');
	for (size_t i = 0; i < kept; i++) {
		const struct pm_shared_user *user = &object->users[i];
		json_open(json, NULL, '{');
		json_parts_process(json, user->pid, user->comm, NULL);
		json_put(json, "has_open", json_boolean(user->open));
		json_put(json, "has_mapped", json_boolean(user->mapped));
		json_shut(json, '}');
	}
	json_shut(json, ']');
	json_put(json, "users_total", json_number(object->user_count));
}

static void put_objects(const struct cgroup_files *files, struct json *json)
{
	const struct pm_shared_objects *objects = &files->objects;

	json_open(json, "shared", '[');
	for (size_t i = 0; i < objects->count; i++) {
		const struct pm_shared_object *object = &objects->items[i];
		double rate;

		json_open(json, NULL, '{');
		json_put(json, "shared_kind", json_string(pm_shared_objects_kind(object->kind)));
		if (*object->name)
			json_put(json, "path", json_text(object->name));
		json_put(json, "inode", json_number(object->inode));
		json_put(json, "bytes", json_number(object->bytes));
		json_put(json, "at_most", json_boolean(object->at_most));
		if (cgroup_suspect_rate(files, object, &rate))
			json_put(json, "rate", json_real(rate));
		put_users(object, json);
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_unread(const struct pm_tmpfs *tmpfs, struct json *json)
{
	json_open(json, "unreadable_folders", '[');
	for (size_t i = 0; i < tmpfs->folder_count; i++) {
		if (tmpfs->folders[i].cause == 0)
			continue;
		char *path = pm_tmpfs_path(tmpfs, i, NULL);
		if (!path)
			alloc_failed();
		json_open(json, NULL, '{');
		json_put(json, "path", json_text(path));
		json_put(json, "error", json_text(strerror(tmpfs->folders[i].cause)));
		json_shut(json, '}');
		free(path);
	}
	json_shut(json, ']');
}

void cgroup_files_json_put(const struct cgroup_report *report, struct json *json)
{
	const struct cgroup_files *files = &report->files;

	if (files->known) {
		json_open(json, "tmpfs_seen_by", '{');
		json_parts_process(json, files->pid, files->comm, NULL);
		json_shut(json, '}');
		put_directories(&files->rows, json);
		json_put(json, "tmpfs_files", json_number(files->tmpfs.all_files));
		json_put(json, "tmpfs_bytes", json_number(files->tmpfs.all_bytes));
		json_put(json, "tmpfs_complete",
		         json_boolean(files->tmpfs.bound == PM_TMPFS_COMPLETE &&
		                      files->tmpfs.unreadable == 0));
		put_mounts(files, json);
		put_unread(&files->tmpfs, json);
	}

	put_objects(files, json);
	json_put(json, "shared_total", json_number(files->objects.bytes));
	json_put(json, "shared_complete",
	         json_boolean(!files->objects.incomplete && files->objects.unreadable == 0));
}
