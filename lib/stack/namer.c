/* SPDX-License-Identifier: MIT */
#include "stack/namer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "proc/process_handle.h"
#include "stack/files.h"
#include "stack/jit_map.h"
#include "stack/stacks.h"

/* Maximum number of addresses in a request: their names fit into the output of one. */
enum { REQUEST_MAX = 1024 };

/** Maximum number of frames of an address. */
enum { FRAMES_MAX = PM_STACK_INLINED_MAX + 1 };

/** An answer of the child, copied from the shared memory. */
struct answer {
	const char *at;
	const char *end;
};

/** Copies the next bytes of an answer. @return false at its end */
static bool get(struct answer *answer, void *bytes, size_t size)
{
	if ((size_t)(answer->end - answer->at) < size)
		return false;

	memcpy(bytes, answer->at, size);
	answer->at += size;
	return true;
}

/** Reads a text of an answer. @param text receives the text; NULL if its size is 0 */
static bool get_text(struct answer *answer, size_t size, const char **text)
{
	*text = NULL;
	if (size == 0)
		return true;
	if ((size_t)(answer->end - answer->at) < size || answer->at[size - 1] != '\0')
		return false;

	*text = answer->at;
	answer->at += size;
	return true;
}

/** Reads a frame of an answer. */
static bool get_frame(struct answer *answer, struct pm_frame *frame)
{
	struct pm_stack_named_frame wire;

	if (!get(answer, &wire, sizeof wire) ||
	    !get_text(answer, wire.function_size, &frame->function) ||
	    !get_text(answer, wire.file_size, &frame->file))
		return false;

	frame->line = wire.line;
	frame->source = PM_FRAME_UNNAMED;
	if (wire.source == PM_FRAME_SYMBOL || wire.source == PM_FRAME_INLINED)
		frame->source = wire.source;
	return true;
}

/** The digits of a build ID. */
struct id_text {
	char digits[2 * PM_BUILD_ID_MAX + 1];
};

/** Formats the build ID of an answer. @return `text`, or NULL if there is none, or is too long */
static const char *format_id(const struct pm_build_id *id, struct id_text *text)
{
	if (id->size == 0 || id->size > PM_BUILD_ID_MAX)
		return NULL;

	for (size_t i = 0; i < id->size; i++)
		snprintf(text->digits + 2 * i, 3, "%02x", id->bytes[i]);
	return text->digits;
}

/** Returns a frame that has no name. */
static struct pm_frame unnamed(const struct pm_module_file *file, uint64_t address)
{
	return (struct pm_frame){ .address = address,
		                  .module = file ? file->region.mapping : NULL };
}

/**
 * Reads the names of one address of an answer, and stores them.
 * @return 1, 0 if the answer is not valid, or -1
 */
static int store_next(struct pm_namer *namer, struct answer *answer, uint64_t address,
                      struct pm_error *error)
{
	struct pm_stack_named named;
	struct pm_frame frames[FRAMES_MAX];
	struct id_text text;
	const struct pm_module_file *file = pm_modules_at(&namer->modules, address);

	if (!get(answer, &named, sizeof named) || named.address != address ||
	    named.count > FRAMES_MAX)
		return 0;

	frames[0] = unnamed(file, address);
	for (uint32_t i = 0; i < named.count; i++) {
		frames[i] = unnamed(file, address);
		if (!get_frame(answer, &frames[i]))
			return 0;
	}

	/* Generated code is not in a file. It may get a name later. */
	if (!file)
		return 1;

	size_t count = pm_max((size_t)named.count, (size_t)1);
	for (size_t i = 0; i < count && named.known; i++) {
		frames[i].module_address = named.module_address;
		frames[i].build_id = format_id(&named.id, &text);
	}
	return pm_stacks_name(namer->stacks, address, frames, count, error) < 0 ? -1 : 1;
}

/** Stores the names of an answer. */
static int store_answer(struct pm_namer *namer, const struct pm_stack_message *message,
                        const uint64_t *addresses, struct pm_error *error)
{
	char *copy = malloc((size_t)message->size + 1);
	if (!copy)
		return pm_error_out_of_memory(error);
	memcpy(copy, namer->helper.area->output, message->size);

	struct answer answer = { copy, copy + message->size };
	int result = message->count > 0;
	for (uint32_t i = 0; i < message->count && result > 0; i++)
		result = store_next(namer, &answer, addresses[i], error);

	if (result == 0)
		pm_helper_reject(&namer->helper);
	free(copy);
	return result < 0 ? -1 : 0;
}

/** Names addresses by the child, as long as it is alive. */
static int name_by_child(struct pm_namer *namer, const uint64_t *addresses, size_t count,
                         struct pm_error *error)
{
	size_t done = 0;

	while (done < count) {
		size_t part = pm_min(count - done, (size_t)REQUEST_MAX);
		struct pm_stack_message message = { .kind = PM_STACK_NAME,
			                            .count = (uint32_t)part };

		if (namer->helper.pid == 0)
			return 0;
		memcpy(namer->helper.area->input, addresses + done, part * sizeof *addresses);
		if (!pm_helper_ask(&namer->helper, &namer->modules, &message))
			return 0;
		if (store_answer(namer, &message, addresses + done, error) < 0)
			return -1;
		done += message.count;
	}
	return 0;
}

/** Sets the modules of addresses that the child has not named. */
static int name_by_module(struct pm_namer *namer, const uint64_t *addresses, size_t count,
                          struct pm_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const struct pm_module_file *file = pm_modules_at(&namer->modules, addresses[i]);
		struct pm_frame frame = unnamed(file, addresses[i]);

		if (file && pm_stacks_name(namer->stacks, addresses[i], &frame, 1, error) < 0)
			return -1;
	}
	return 0;
}

/** Reads the user of the target, who can have changed. After its exit, the last one remains. */
static void update_owner(struct pm_namer *namer)
{
	struct pm_process_info info;

	if (pm_process_read_info(namer->helper.process, &info, NULL) == 0)
		namer->owner = info.euid;
}

/** Reads the JIT map. A file of another user than the target's, and not of root, is not used. */
static char *read_jit_map(struct pm_namer *namer, size_t *length)
{
	struct stat status;
	char *text = NULL;

	update_owner(namer);
	int fd = pm_stack_files_open(namer->helper.root, namer->jit_map);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && (status.st_uid == namer->owner || status.st_uid == 0) &&
	    pm_read_all(fd, PM_JIT_MAP_MAX, &text, length, NULL) < 0)
		text = NULL;
	close(fd);
	return text;
}

/** Stores the names of generated code. */
static int store_jit_names(struct pm_namer *namer, const struct pm_jit_name *names, size_t count,
                           struct pm_error *error)
{
	for (size_t i = 0; i < count; i++) {
		char function[PM_JIT_NAME_MAX + 1];
		struct pm_frame frame = { .address = names[i].address,
			                  .function = function,
			                  .source = PM_FRAME_JIT };
		if (!names[i].name)
			continue;

		memcpy(function, names[i].name, names[i].length);
		function[names[i].length] = '\0';
		if (pm_stacks_name(namer->stacks, names[i].address, &frame, 1, error) < 0)
			return -1;
	}
	return 0;
}

/** Names addresses of generated code by the JIT map. */
static int name_by_jit_map(struct pm_namer *namer, const uint64_t *addresses, size_t count,
                           struct pm_error *error)
{
	size_t length, wanted = 0;
	char *text = read_jit_map(namer, &length);
	if (!text)
		return 0;

	struct pm_jit_name *names = calloc(count + 1, sizeof *names);
	if (!names) {
		free(text);
		return pm_error_out_of_memory(error);
	}

	for (size_t i = 0; i < count; i++)
		if (!pm_modules_at(&namer->modules, addresses[i]))
			names[wanted++].address = addresses[i];

	int result = pm_jit_map_find(text, length, names, wanted, error);
	if (result == 0)
		result = store_jit_names(namer, names, wanted, error);
	free(names);
	free(text);
	return result;
}

int pm_namer_run(struct pm_namer *namer, struct pm_error *error)
{
	uint64_t *addresses;
	size_t count;

	if (pm_stacks_unnamed(namer->stacks, &addresses, &count, error) < 0)
		return -1;

	int result = name_by_child(namer, addresses, count, error);
	if (result == 0)
		result = name_by_module(namer, addresses, count, error);
	if (result == 0 && count > 0)
		result = name_by_jit_map(namer, addresses, count, error);

	free(addresses);
	pm_stacks_renew(namer->stacks);
	return result;
}

/** Returns the PID of the target in its own PID namespace: the last number of NSpid. */
static long own_pid(struct pm_process *process)
{
	long pid = pm_process_pid(process);
	char *text;

	if (pm_procfs_read(&process->procfs, "status", &text, NULL) < 0)
		return pid;

	char *line = strstr(text, "\nNSpid:");
	char *end = line ? strchr(line + 1, '\n') : NULL;
	if (end) {
		*end = '\0';
		char *last = strrchr(line, '\t');
		if (last)
			pid = strtol(last + 1, NULL, 10);
	}
	free(text);
	return pid;
}

int pm_namer_init(struct pm_namer *namer, struct pm_process *process, struct pm_stacks *stacks,
                  const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	struct pm_process_info info;

	memset(namer, 0, sizeof *namer);
	namer->stacks = stacks;
	namer->helper.root = -1;
	if (pm_process_read_info(process, &info, error) < 0)
		return -1;

	namer->owner = info.euid;
	snprintf(namer->jit_map, sizeof namer->jit_map, "/tmp/perf-%ld.map", own_pid(process));
	return pm_helper_start(&namer->helper, process, cancel, error);
}

void pm_namer_follow_exec(struct pm_namer *namer)
{
	int root = pm_stack_files_root(namer->helper.process);

	if (root < 0)
		return;
	if (namer->helper.root >= 0)
		close(namer->helper.root);
	namer->helper.root = root;
}

void pm_namer_deinit(struct pm_namer *namer)
{
	pm_helper_stop(&namer->helper);
	pm_modules_deinit(&namer->modules);
}
