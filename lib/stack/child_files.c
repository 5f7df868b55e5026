/* SPDX-License-Identifier: MIT */
#include "stack/child_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "stack/channel.h"
#include "stack/crc32.h"

/* Number of folders in which the file of a .gnu_debuglink can be. */
enum { LINK_PLACES = 3 };

/** Asks the parent for a file. @return a descriptor, or -1 */
static int ask(const struct pm_child_files *files, const struct pm_stack_message *question)
{
	struct pm_stack_message answer;
	int fd;

	if (!pm_stack_send(files->socket, question, -1) ||
	    !pm_stack_receive(files->socket, &answer, &fd))
		_exit(1);
	return fd;
}

/** Opens a mapped file, once. */
static void open_file(struct pm_child_file *file)
{
	struct pm_stack_message question = { .kind = PM_STACK_WANT_FILE, .count = file->number };

	if (file->asked || file->vdso)
		return;
	file->asked = true;
	file->fd = ask(file->files, &question);
}

/** Tests whether a debug file has the build ID of a program. */
static bool fits_id(int fd, const struct pm_build_id *id)
{
	struct pm_build_id found;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (!elf)
		return false;

	pm_build_id_find(elf, &found);
	elf_end(elf);
	return pm_build_id_fits(id, &found);
}

/** Finds the debug file of a program by its .gnu_debuglink. @return a descriptor, or -1 */
static int find_link(const struct pm_child_file *file, const char *name, uint32_t checksum,
                     const struct pm_build_id *id)
{
	if (!name || strlen(name) >= PM_STACK_NAME_SIZE)
		return -1;

	for (uint32_t place = 0; place < LINK_PLACES; place++) {
		struct pm_stack_message question = { .kind = PM_STACK_WANT_LINK,
			                             .count = file->number,
			                             .place = place };
		memcpy(question.name, name, strlen(name));

		int fd = ask(file->files, &question);
		if (fd < 0)
			continue;
		if (id->size > 0 ? fits_id(fd, id) : pm_crc32_fits(fd, checksum))
			return fd;
		close(fd);
	}
	return -1;
}

/** Finds the debug file of a program by its build ID. @return a descriptor, or -1 */
static int find_by_id(const struct pm_child_file *file, const struct pm_build_id *id)
{
	struct pm_stack_message question = { .kind = PM_STACK_WANT_DEBUG,
		                             .count = file->number,
		                             .id = *id };
	if (id->size < 2)
		return -1;

	int fd = ask(file->files, &question);
	if (fd >= 0 && !fits_id(fd, id)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/** Reads the section .gnu_debuglink. @return whether there is a valid one */
static bool read_link(Elf *elf, const char **name, uint32_t *checksum)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
			continue;

		const char *own = elf_strptr(elf, names, header.sh_name);
		if (!own || strcmp(own, ".gnu_debuglink") != 0)
			continue;

		Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size < 8 ||
		    !memchr(data->d_buf, '\0', data->d_size - 4))
			return false;

		*name = data->d_buf;
		memcpy(checksum, (const char *)data->d_buf + data->d_size - 4, sizeof *checksum);
		return true;
	}
	return false;
}

/** Opens the debug file of a mapped file, once. */
static void open_debug_file(struct pm_child_file *file)
{
	const char *name = NULL;
	uint32_t checksum = 0;

	open_file(file);
	if (file->asked_debug || file->fd < 0)
		return;
	file->asked_debug = true;

	Elf *elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return;

	pm_build_id_find(elf, &file->id);
	file->debug_fd = find_by_id(file, &file->id);
	if (file->debug_fd < 0 && read_link(elf, &name, &checksum))
		file->debug_fd = find_link(file, name, checksum, &file->id);
	elf_end(elf);
}

/** Opens the vDSO of this process, which is that of the target. @return NULL if there is none */
static Elf *open_vdso(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	if (!image)
		return NULL;

	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	/* libelf does not write to the image, because nothing is relocated. */
	return elf_memory(image, size);
}

/** Finds the file of a module for libdw, a callback find_elf. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                    char **path, Elf **elf)
{
	struct pm_child_file *file = *userdata;
	(void)module;
	(void)name;
	(void)base;

	if (!file)
		return -1;
	if (file->vdso) {
		*elf = open_vdso();
		return -1;
	}

	open_file(file);
	if (file->fd < 0)
		return -1;
	*path = strdup("mapped");
	return dup(file->fd);
}

/** Finds the debug file of a module for libdw, a callback find_debuginfo. */
static int find_debug(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                      const char *path, const char *link, GElf_Word checksum, char **debug_path)
{
	struct pm_child_file *file = *userdata;
	(void)module;
	(void)name;
	(void)base;
	(void)path;
	(void)link;
	(void)checksum;

	if (!file)
		return -1;

	open_debug_file(file);
	if (file->debug_fd < 0)
		return -1;
	*debug_path = strdup("debug");
	return dup(file->debug_fd);
}

bool pm_child_files_init(struct pm_child_files *files, int socket)
{
	memset(files, 0, sizeof *files);
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;

	files->socket = socket;
	files->vdso = open_vdso();
	files->callbacks = (Dwfl_Callbacks){ .find_elf = find_elf, .find_debuginfo = find_debug };
	files->dwfl = dwfl_begin(&files->callbacks);
	return files->dwfl != NULL;
}

static int compare_numbers(const void *one, const void *other)
{
	const struct pm_child_file *a = *(struct pm_child_file *const *)one;
	const struct pm_child_file *b = *(struct pm_child_file *const *)other;

	return (a->number > b->number) - (a->number < b->number);
}

/** Finds the file of a module in the list, or makes one. @return NULL without memory */
static struct pm_child_file *find_file(struct pm_child_files *files,
                                       const struct pm_stack_module *module)
{
	const struct pm_child_file wanted = { .number = module->number };
	const struct pm_child_file *key = &wanted;
	struct pm_child_file **found = NULL;

	if (files->count > 0)
		found = bsearch(&key, files->items, files->count, sizeof(struct pm_child_file *),
		                compare_numbers);
	if (found)
		return *found;

	struct pm_child_file *file = calloc(1, sizeof *file);
	if (file)
		*file = (struct pm_child_file){ .files = files,
			                        .number = module->number,
			                        .vdso = module->vdso != 0,
			                        .fd = -1,
			                        .debug_fd = -1 };
	return file;
}

/** Releases a file, and closes it. */
static void release_file(struct pm_child_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	pm_elf_symbols_deinit(&file->symbols);
	free(file);
}

/** Reports a module to libdw. */
static void report(struct pm_child_files *files, const struct pm_stack_module *module,
                   struct pm_child_file *file)
{
	char name[32];
	void **userdata;

	/* libdw keeps a module that has the same name and range. */
	snprintf(name, sizeof name, "%" PRIu32, module->number);
	Dwfl_Module *reported = dwfl_report_module(files->dwfl, name, module->start, module->end);
	if (reported && dwfl_module_info(reported, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = file;
}

/** Replaces the list, and releases the files that the new one lacks. */
static void replace(struct pm_child_files *files, struct pm_child_file **items, size_t count)
{
	for (size_t i = 0; i < files->count; i++)
		files->items[i]->mapped = false;
	for (size_t i = 0; i < count; i++)
		items[i]->mapped = true;
	for (size_t i = 0; i < files->count; i++)
		if (!files->items[i]->mapped)
			release_file(files->items[i]);

	free(files->items);
	files->items = items;
	files->count = count;
	if (count > 0)
		qsort(items, count, sizeof(struct pm_child_file *), compare_numbers);
}

bool pm_child_files_report(struct pm_child_files *files, const struct pm_stack_module *modules,
                           size_t count)
{
	struct pm_child_file **items = calloc(count + 1, sizeof(struct pm_child_file *));

	if (!items)
		return false;

	pm_child_rules_clear(&files->rules);
	dwfl_report_begin(files->dwfl);
	for (size_t i = 0; i < count; i++) {
		items[i] = find_file(files, &modules[i]);
		/* The caller exits. */
		if (!items[i]) {
			free(items);
			return false;
		}
		report(files, &modules[i], items[i]);
	}

	/* libdw still has the files that are no longer mapped until here. */
	bool reported = dwfl_report_end(files->dwfl, NULL, NULL) == 0;
	replace(files, items, count);
	return reported;
}

/** Reads the symbols of a mapped file and of its debug file. */
static void read_symbols(struct pm_child_file *file)
{
	struct pm_elf_symbols debug = { 0 };

	open_debug_file(file);
	if (file->fd < 0 || pm_elf_symbols_read(file->fd, &file->symbols, NULL) < 0)
		return;

	if (!file->symbols.whole && file->debug_fd >= 0 &&
	    pm_elf_symbols_read(file->debug_fd, &debug, NULL) == 0)
		pm_elf_symbols_add(&file->symbols, &debug, NULL);
	pm_elf_symbols_deinit(&debug);
}

const struct pm_child_file *pm_child_files_of(Dwfl_Module *module)
{
	void **userdata;
	struct pm_child_file *file;

	if (!dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;

	file = *userdata;
	if (file && !file->read) {
		file->read = true;
		read_symbols(file);
	}
	return file;
}

void pm_child_files_deinit(struct pm_child_files *files)
{
	pm_child_rules_clear(&files->rules);
	dwfl_end(files->dwfl);
	elf_end(files->vdso);
	for (size_t i = 0; i < files->count; i++)
		release_file(files->items[i]);
	free(files->items);
	free(files->thread);
	memset(files, 0, sizeof *files);
}
