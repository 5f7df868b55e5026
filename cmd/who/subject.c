/* SPDX-License-Identifier: MIT */
#include "who/subject.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/utf8.h"

/**
 * Returns the name that maps shows of the file at a path: the absolute path, or what the link to
 * memory without a path contains.
 * @return the name, to be released with free(); NULL if it cannot be found
 */
static char *name_of(const char *path)
{
	char name[PATH_MAX];
	char *absolute = realpath(path, NULL);
	if (absolute)
		return absolute;

	ssize_t length = readlink(path, name, sizeof name - 1);
	if (length <= 0)
		return NULL;

	name[length] = '\0';
	return alloc_string(name);
}

int who_subject_from_path(struct who_subject *subject, const char *path, struct pm_error *error)
{
	struct who_subject found = { .path = path };

	if (pm_file_from_path(path, &found.file, &found.state, error) < 0)
		return -1;

	/* Where devices cannot be compared, the name is compared with that in maps. */
	found.name = name_of(path);
	if (found.name)
		found.file.name = found.name;
	*subject = found;
	return 0;
}

static int find_region(struct who_subject *subject, struct pm_error *error)
{
	struct pm_process *process = subject->target.process;

	if (pm_maps_read(process, PM_MAPS, &subject->regions, error) < 0)
		return -1;

	subject->region = pm_regions_find(&subject->regions, subject->address);
	if (!subject->region)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "nothing is mapped at 0x%" PRIx64 " in process %d",
		                    subject->address, (int)pm_process_pid(process));

	return pm_file_from_region(process, subject->region, &subject->file, &subject->state,
	                           error);
}

int who_subject_from_address(struct who_subject *subject, const char *word, uint64_t address,
                             struct pm_error *error)
{
	struct who_subject found = { .address = address };

	if (target_open_process(&found.target, word, error) < 0)
		return -1;

	pm_regions_init(&found.regions);
	if (find_region(&found, error) < 0) {
		who_subject_deinit(&found);
		return -1;
	}

	*subject = found;
	return 0;
}

void who_subject_measure(const struct who_subject *subject, struct pm_file_state *state)
{
	struct pm_file file;
	int result;

	if (subject->path)
		result = pm_file_from_path(subject->path, &file, state, NULL);
	else
		result = pm_file_from_region(subject->target.process, subject->region, &file, state,
		                             NULL);

	if (result < 0 || !pm_file_equal(&file, &subject->file))
		*state = (struct pm_file_state){ 0 };
}

void who_subject_put_name(const struct who_subject *subject, struct text *text)
{
	const char *name = subject->path ? subject->path : subject->region->mapping;

	utf8_escape(text, name, strlen(name));
	if (subject->name && strncmp(name, "/proc/", strlen("/proc/")) == 0 &&
	    strcmp(name, subject->name) != 0) {
		text_string(text, ", ");
		utf8_escape(text, subject->name, strlen(subject->name));
	}
}

bool who_subject_never_had_name(const struct pm_file *file)
{
	return file->type == PM_FILE_MEMFD || file->type == PM_FILE_SYSV ||
	       file->type == PM_FILE_SHARED_ANONYMOUS || file->type == PM_FILE_DMA_BUF;
}

void who_subject_put_json(struct json *json, const struct pm_file *file,
                          const struct pm_file_state *state)
{
	uint64_t device = file->device == PM_DEVICE_UNKNOWN ? file->map_device : file->device;
	struct text number = { 0 };

	text_format(&number, "%02x:%02x", major(device), minor(device));
	json_open(json, "file", '{');
	if (file->name)
		json_put(json, "path", json_text(file->name));
	json_put(json, "file_type", json_text(pm_file_type_words(file->type)));
	json_put(json, "device", json_text(text_terminate(&number)));
	json_put(json, "inode", json_number(file->inode));
	if (state->known) {
		json_put(json, "length", json_number(state->length));
		json_put(json, "allocated", json_number(state->allocated));
		json_put(json, "deleted", json_boolean(state->deleted));
	}
	json_shut(json, '}');
	text_deinit(&number);
}

void who_subject_deinit(struct who_subject *subject)
{
	pm_regions_deinit(&subject->regions);
	target_close(&subject->target);
	free(subject->name);
	*subject = (struct who_subject){ 0 };
}
