/* SPDX-License-Identifier: MIT */
#include <procmem/symbols.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "symbols/elf_symbols.h"
#include "symbols/symbol_files.h"

/** A mapped file whose symbols were read. If no symbols were found, `symbols` is empty. */
struct file {
	const struct pm_region *region; /* a region that maps the file */
	struct pm_elf_symbols symbols;
};

/*
 * Limits for hostile targets: the number of files that are read, and the size in bytes of the
 * symbols of all files. The largest real programs map some hundred files with a hundred megabytes
 * of symbols.
 */
enum { FILES_MAX = 4096 };
static const size_t max_bytes = (size_t)1 << 30;

struct pm_symbols {
	struct pm_symbol_source source;
	const struct pm_regions *regions;
	char *root; /* prefix of all paths for a core file, otherwise NULL; owned */
	struct file *files;
	size_t count;
	size_t capacity;
	size_t bytes;                    /* size of the symbols of all files in bytes */
	const struct pm_region *program; /* a region that maps the program; NULL if there is none */
	bool program_known;              /* whether `program` is set */
};

static struct pm_symbols *make(const struct pm_symbol_source *source,
                               const struct pm_regions *regions, struct pm_error *error)
{
	struct pm_symbols *made = calloc(1, sizeof *made);
	if (!made) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	made->source = *source;
	made->regions = regions;
	return made;
}

int pm_symbols_open(struct pm_process *process, const struct pm_regions *regions,
                    struct pm_symbols **symbols, struct pm_error *error)
{
	struct pm_symbol_source source = { .process = process };
	struct pm_symbols *opened = make(&source, regions, error);

	if (!opened)
		return -1;

	*symbols = opened;
	return 0;
}

int pm_symbols_open_core(struct pm_core *core, const char *root, const struct pm_regions *regions,
                         struct pm_symbols **symbols, struct pm_error *error)
{
	struct pm_symbol_source source = { .core = core };
	struct pm_symbols *opened = make(&source, regions, error);

	if (!opened)
		return -1;

	/* All paths start with a slash. An empty prefix does not change them. */
	opened->root = strdup(root ? root : "");
	opened->source.root = opened->root;
	if (!opened->root) {
		pm_symbols_close(opened);
		return pm_error_out_of_memory(error);
	}

	*symbols = opened;
	return 0;
}

void pm_symbols_close(struct pm_symbols *symbols)
{
	if (!symbols)
		return;

	for (size_t i = 0; i < symbols->count; i++)
		pm_elf_symbols_deinit(&symbols->files[i].symbols);

	free(symbols->files);
	free(symbols->root);
	free(symbols);
}

/**
 * Returns the symbols of the file that a region is mapped from.
 * @return the symbols, which may be empty; NULL with `error` filled if this process has no more
 *         memory or descriptors
 */
static const struct pm_elf_symbols *file_of(struct pm_symbols *symbols,
                                            const struct pm_region *region, struct pm_error *error)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (pm_symbol_files_same(&symbols->source, symbols->files[i].region, region))
			return &symbols->files[i].symbols;

	static const struct pm_elf_symbols none = { 0 };
	struct file file = { .region = region };

	if (symbols->count == FILES_MAX)
		return &none;
	if (pm_array_reserve(&symbols->files, &symbols->capacity, symbols->count, 1,
	                     sizeof *symbols->files, error) < 0)
		return NULL;

	if (pm_symbol_files_read(&symbols->source, symbols->regions, region, &file.symbols, error) <
	    0) {
		/* Do not add the file to the list, so that the next call tries to read it again. */
		pm_elf_symbols_deinit(&file.symbols);
		return NULL;
	}

	symbols->bytes += file.symbols.capacity * sizeof *file.symbols.items +
	                  file.symbols.names_size;
	if (symbols->bytes > max_bytes)
		pm_elf_symbols_deinit(&file.symbols);
	symbols->files[symbols->count] = file;

	return &symbols->files[symbols->count++].symbols;
}

/**
 * Finds the region that maps the file to which a region belongs. If the region maps a file, this is
 * the region itself. If it is anonymous, it may contain the zero-initialised data of the file that
 * is mapped by the next region below, without a gap.
 * @return the region that maps the file, or NULL if there is none
 */
static const struct pm_region *file_below(const struct pm_symbols *symbols,
                                          const struct pm_region *region)
{
	const struct pm_region *first = symbols->regions->items;
	while (region > first && !pm_symbol_files_maps_file(&symbols->source, region) &&
	       pm_region_is_anonymous(region) && region[-1].end == region->start)
		region--;

	if (!pm_symbol_files_maps_file(&symbols->source, region))
		return NULL;
	return region;
}

/**
 * Finds the file to which an address belongs, and the address in this file.
 *
 * @param table   receives the symbols of the file
 * @param mapped  receives a region that maps the file
 * @param value   receives the address, without the load bias
 * @return        1; 0 if there is no such file; -1 on an error
 */
static int locate(struct pm_symbols *symbols, uint64_t address, const struct pm_elf_symbols **table,
                  const struct pm_region **mapped, uint64_t *value, struct pm_error *error)
{
	const struct pm_region *region = pm_regions_find(symbols->regions, address);
	if (!region)
		return 0;

	*mapped = file_below(symbols, region);
	if (!*mapped)
		return 0;

	*table = file_of(symbols, *mapped, error);
	if (!*table)
		return -1;

	uint64_t offset = address - (*mapped)->start + (*mapped)->offset;
	bool in_file = *mapped == region && pm_elf_symbols_address(*table, offset, value);
	return in_file || pm_elf_symbols_zeroed_address(*table, (*mapped)->offset, offset, value);
}

/** Sets a symbol that was found in a file. */
static void set_symbol(const struct pm_elf_symbols *table, const struct pm_elf_symbol *found,
                       const struct pm_region *mapped, uint64_t value, struct pm_symbol *symbol)
{
	*symbol = (struct pm_symbol){
		.name = table->names + found->name,
		.object = mapped->mapping,
		.offset = value - found->value,
		.size = found->size,
		.local = pm_elf_symbol_is_local(found),
	};
}

int pm_symbols_find(struct pm_symbols *symbols, uint64_t address, struct pm_symbol *symbol,
                    struct pm_error *error)
{
	const struct pm_elf_symbols *table;
	const struct pm_region *mapped;
	uint64_t value;

	int result = locate(symbols, address, &table, &mapped, &value, error);
	if (result <= 0)
		return result;

	const struct pm_elf_symbol *found = pm_elf_symbols_at(table, value);
	if (!found)
		return 0;

	set_symbol(table, found, mapped, value, symbol);
	return 1;
}

int pm_symbols_find_object(struct pm_symbols *symbols, uint64_t address, const char **object,
                           struct pm_error *error)
{
	const struct pm_elf_symbols *table;
	const struct pm_region *mapped;
	uint64_t value;

	int result = locate(symbols, address, &table, &mapped, &value, error);
	if (result == 1)
		*object = mapped->mapping;
	return result;
}

/** Finds a region that maps the program: the file with the inode of /proc/PID/exe. */
static const struct pm_region *find_program(const struct pm_symbols *symbols)
{
	struct stat status;
	int fd;
	if (!symbols->source.process ||
	    pm_process_open_file(symbols->source.process, "exe", O_PATH, &fd, NULL) < 0)
		return NULL;

	int result = fstat(fd, &status);
	close(fd);
	for (size_t i = 0; result == 0 && i < symbols->regions->count; i++) {
		const struct pm_region *region = &symbols->regions->items[i];
		if (region->inode == status.st_ino && region->mapping[0] == '/' &&
		    pm_symbol_files_maps_file(&symbols->source, region))
			return region;
	}

	return NULL;
}

/**
 * Finds the symbols of the program.
 * @param table  receives the symbols; NULL if the file of the program cannot be identified
 */
static int program_table(struct pm_symbols *symbols, const struct pm_elf_symbols **table,
                         struct pm_error *error)
{
	*table = NULL;
	if (!symbols->program_known) {
		symbols->program = find_program(symbols);
		symbols->program_known = true;
	}
	if (!symbols->program)
		return 0;

	*table = file_of(symbols, symbols->program, error);
	return *table ? 0 : -1;
}

int pm_symbols_thread_local_sizes(struct pm_symbols *symbols, struct pm_thread_local_sizes *sizes,
                                  struct pm_error *error)
{
	struct pm_thread_local_sizes found = { 0 };
	const struct pm_elf_symbols *program;
	if (program_table(symbols, &program, error) < 0)
		return -1;

	for (size_t i = 0; program && i < symbols->regions->count; i++) {
		const struct pm_region *region = &symbols->regions->items[i];
		if (region->perms & PM_PERM_EXEC &&
		    pm_symbol_files_maps_file(&symbols->source, region) &&
		    !file_of(symbols, region, error))
			return -1;
	}

	for (size_t i = 0; program && i < symbols->count; i++) {
		uint64_t size = symbols->files[i].symbols.thread_local_size;
		if (pm_symbol_files_same(&symbols->source, symbols->files[i].region,
		                         symbols->program))
			found.program = size;
		else
			found.libraries += size;
	}

	*sizes = found;
	return 0;
}

int pm_symbols_find_thread_local(struct pm_symbols *symbols, uint64_t distance,
                                 struct pm_symbol *symbol, struct pm_error *error)
{
	const struct pm_elf_symbols *table;
	if (program_table(symbols, &table, error) < 0)
		return -1;
	if (!table || distance == 0 || distance > table->thread_local_size)
		return 0;

	uint64_t offset = table->thread_local_size - distance;
	const struct pm_elf_symbol *found = pm_elf_symbols_thread_local_at(table, offset);
	*symbol = (struct pm_symbol){ .name = "", .object = symbols->program->mapping };
	if (found)
		set_symbol(table, found, symbols->program, found->value, symbol);
	if (found)
		symbol->offset = offset - (found->value & ~PM_ELF_THREAD_LOCAL);

	return 1;
}
