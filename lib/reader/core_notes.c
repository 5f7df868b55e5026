/* SPDX-License-Identifier: MIT */
/*
 * Reads the notes of a core file: PID, command and threads of the process, and the files that it
 * had mapped. The layouts are those of fs/binfmt_elf.c and <linux/elfcore.h>.
 */
#include "reader/core_notes.h"

#include <elf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/core_file.h"

enum {
	NOTE_HEADER = 12,
	/* Maximum number of notes that are read; each thread has several. NOTES_MAX,
	 * AUXILIARY_MAX and NAMES_SIZE_MAX limit the time and memory that a malicious file can
	 * cost. */
	NOTES_MAX = 1 << 20,
	/* maximum size of NT_AUXV in bytes; the kernel writes about 25 pairs */
	AUXILIARY_MAX = 4096,
	/* maximum size of NT_FILE in bytes; 65,530 long paths need 20 MiB */
	NAMES_SIZE_MAX = 64 << 20,
	/* Offset of pr_cursig in struct elf_prstatus, which is the same in 32-bit and 64-bit
	 * files */
	SIGNAL_OFFSET = 12,
	TID_OFFSET = 32,        /* offset of pr_pid, 64-bit */
	REGISTERS_OFFSET = 112, /* offset of pr_reg, 64-bit */
	/* Maximum number of bytes of struct elf_prstatus that are read. On x86-64 the structure
	 * has 336 bytes. */
	STATUS_SIZE = 384,
	COMM_SIZE = 16,
	COMMAND_SIZE = 80,
};

/** A note: its type (NT_...), and the offset and size of its description in the file, in bytes. */
struct note {
	uint32_t type;
	uint64_t offset;
	uint32_t size;
};

static uint64_t align4(uint64_t value)
{
	return (value + 3) & ~UINT64_C(3);
}

/**
 * Copies a field of a note as a string. The text in the field ends at a NUL, or fills the whole
 * field.
 * @param to    room for `room` + 1 bytes
 * @param room  size of the field in bytes
 */
static void copy_text(char *to, const unsigned char *from, size_t room)
{
	size_t length = strnlen((const char *)from, room);
	memcpy(to, from, length);
	to[length] = '\0';
}

static int read_process(struct pm_core *core, const struct note *note, struct pm_error *error)
{
	/* The three layouts of struct elf_prpsinfo, which are distinguished by the size of the
	 * structure: 64-bit, 32-bit with 16-bit user IDs (x86, ARM), and 32-bit with 32-bit user
	 * IDs. A note of any other size is ignored. */
	static const struct {
		uint32_t size, pid, comm, command;
	} layouts[] = { { 136, 24, 40, 56 }, { 124, 12, 28, 44 }, { 128, 16, 32, 48 } };

	unsigned char bytes[136];
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		if (note->size != layouts[i].size)
			continue;
		if (pm_core_file_read(core, note->offset, bytes, note->size, "NT_PRPSINFO note",
		                      error) < 0)
			return -1;
		core->info.pid = (pid_t)pm_core_u32(core, bytes + layouts[i].pid);
		copy_text(core->info.comm, bytes + layouts[i].comm, COMM_SIZE);
		copy_text(core->info.command, bytes + layouts[i].command, COMMAND_SIZE);
		for (size_t end = strlen(core->info.command);
		     end > 0 && core->info.command[end - 1] == ' '; end--)
			core->info.command[end - 1] = '\0';
	}

	return 0;
}

/**
 * Returns the offset of the stack pointer in struct elf_prstatus, in bytes, or 0 if the layout is
 * not known for the machine of the core file. The registers are in the member pr_reg, a struct
 * user_regs_struct (x86-64) or user_pt_regs (64-bit ARM).
 */
static uint32_t stack_pointer_offset(const struct pm_core *core)
{
	if (!core->wide)
		return 0;
	if (core->machine == EM_X86_64)
		return REGISTERS_OFFSET + 19 * 8;
	if (core->machine == EM_AARCH64)
		return REGISTERS_OFFSET + 31 * 8;

	return 0;
}

/** Stores the general registers that are in NT_PRSTATUS. */
static int add_registers(struct pm_core *core, pid_t tid, const unsigned char *status, size_t size,
                         struct pm_error *error)
{
	struct pm_core_registers registers = { .tid = tid };
	if (!core->wide || core->machine != EM_X86_64 ||
	    size < REGISTERS_OFFSET + sizeof registers.words)
		return 0;
	if (pm_array_reserve(&core->registers, &core->register_capacity, core->register_count, 1,
	                     sizeof registers, error) < 0)
		return -1;

	for (size_t i = 0; i < PM_CORE_REGISTERS; i++)
		registers.words[i] = pm_core_word(core, status + REGISTERS_OFFSET + 8 * i);
	core->registers[core->register_count++] = registers;

	return 0;
}

static int compare_registers(const void *a, const void *b)
{
	const struct pm_core_registers *first = a, *second = b;
	return (first->tid > second->tid) - (first->tid < second->tid);
}

const uint64_t *pm_core_registers(const struct pm_core *core, pid_t tid)
{
	const struct pm_core_registers key = { .tid = tid };
	if (core->register_count == 0)
		return NULL;

	const struct pm_core_registers *found = bsearch(&key, core->registers, core->register_count,
	                                                sizeof key, compare_registers);
	return found ? found->words : NULL;
}

/**
 * Reads NT_PRSTATUS, the note of one thread. The thread that received the signal is the first one
 * in the file, so the signal is read only from the note of the first thread.
 */
static int read_thread(struct pm_core *core, const struct note *note, struct pm_error *error)
{
	unsigned char bytes[STATUS_SIZE] = { 0 };
	uint32_t offset = stack_pointer_offset(core);
	size_t size = pm_min_size(note->size, sizeof bytes);
	struct pm_thread thread = { 0 };

	if (pm_core_file_read(core, note->offset, bytes, size, "NT_PRSTATUS note", error) < 0 ||
	    pm_array_reserve(&core->threads, &core->thread_capacity, core->info.threads, 1,
	                     sizeof thread, error) < 0)
		return -1;

	if (core->info.threads == 0)
		core->info.signal = pm_core_u16(core, bytes + SIGNAL_OFFSET);
	if (offset > 0) {
		thread.tid = (pid_t)pm_core_u32(core, bytes + TID_OFFSET);
		thread.stack_pointer = pm_core_word(core, bytes + offset);
		if (add_registers(core, thread.tid, bytes, size, error) < 0)
			return -1;
	}

	core->threads[core->info.threads++] = thread;
	return 0;
}

/**
 * Reads NT_AUXV, a list of pairs of words: type and value. Sets `vdso`, and `stack` to an address
 * in the stack of the first thread.
 */
static int read_auxiliary(struct pm_core *core, const struct note *note, struct pm_error *error)
{
	unsigned char pair[16];
	size_t word = core->wide ? 8 : 4;
	for (uint64_t at = 0; at + 2 * word <= note->size && at < AUXILIARY_MAX; at += 2 * word) {
		if (pm_core_file_read(core, note->offset + at, pair, 2 * word, "NT_AUXV note",
		                      error) < 0)
			return -1;
		uint64_t type = pm_core_word(core, pair);
		if (type == AT_SYSINFO_EHDR)
			core->vdso = pm_core_word(core, pair + word);
		if (type == AT_RANDOM)
			core->stack = pm_core_word(core, pair + word);
		if (type == AT_NULL)
			break;
	}

	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct pm_core_name *first = a, *second = b;
	return (first->start > second->start) - (first->start < second->start);
}

/**
 * Removes the suffix " (deleted)", which the kernel appends to the name of a deleted file (d_path()
 * in fs/d_path.c).
 * @return true if the path had this suffix
 */
static bool cut_deleted(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(path), ending = sizeof deleted - 1;
	if (length <= ending || strcmp(path + length - ending, deleted) != 0)
		return false;
	path[length - ending] = '\0';
	return true;
}

/**
 * Tests whether an entry of NT_FILE is valid: its name and range must not be empty. A name in
 * brackets does not belong to a file, except [anon_shmem:...], which is shared memory.
 */
static bool is_valid(const struct pm_core_name *name)
{
	static const char shared[] = "[anon_shmem:";

	if (name->path[0] == '\0' || name->start >= name->end)
		return false;

	return name->path[0] != '[' || strncmp(name->path, shared, sizeof shared - 1) == 0;
}

/**
 * Sorts the names by start address, and removes each name whose range starts before the range of
 * the previous remaining name ends.
 */
static void sort_names(struct pm_core *core)
{
	size_t kept = 0;
	qsort(core->names, core->name_count, sizeof *core->names, compare_names);
	for (size_t i = 0; i < core->name_count; i++)
		if (kept == 0 || core->names[i].start >= core->names[kept - 1].end)
			core->names[kept++] = core->names[i];
	core->name_count = kept;
}

/**
 * Parses the contents of NT_FILE: the number of entries and the page size; then start, end and
 * offset in pages of each entry; then the path of each entry. Entries without a path, because the
 * note is too short, and invalid entries are left out.
 * @param size  size of the note in bytes
 */
static int parse_names(struct pm_core *core, size_t size, struct pm_error *error)
{
	const unsigned char *bytes = (const unsigned char *)core->texts;
	size_t word = core->wide ? 8 : 4, table = 2 * word, entry = 3 * word;

	if (size < table)
		return 0;

	uint64_t count = pm_core_word(core, bytes), page = pm_core_word(core, bytes + word);
	if (count == 0 || count > (size - table) / entry)
		return 0;

	core->names = calloc((size_t)count, sizeof *core->names);
	if (!core->names)
		return pm_error_out_of_memory(error);

	char *text = core->texts + table + count * entry;
	const char *end = core->texts + size;
	for (size_t i = 0; i < count && text < end; i++) {
		const unsigned char *at = bytes + table + i * entry;
		size_t length = strlen(text);
		const struct pm_core_name name = {
			.start = pm_core_word(core, at),
			.end = pm_core_word(core, at + word),
			.offset = pm_core_word(core, at + 2 * word) * page,
			.path = text,
			.deleted = cut_deleted(text),
		};
		if (is_valid(&name))
			core->names[core->name_count++] = name;
		text += length + 1;
	}

	if (core->name_count > 0)
		sort_names(core);

	return 0;
}

static int read_names(struct pm_core *core, const struct note *note, struct pm_error *error)
{
	if (core->texts || note->size > NAMES_SIZE_MAX)
		return 0;

	core->texts = malloc((size_t)note->size + 1);
	if (!core->texts)
		return pm_error_out_of_memory(error);
	if (pm_core_file_read(core, note->offset, core->texts, note->size, "NT_FILE note", error) <
	    0)
		return -1;

	core->texts[note->size] = '\0';
	return parse_names(core, note->size, error);
}

static int compare_threads(const void *a, const void *b)
{
	const struct pm_thread *first = a, *second = b;
	return (first->tid > second->tid) - (first->tid < second->tid);
}

void pm_core_sort_threads(struct pm_core *core)
{
	if (core->info.threads > 0)
		qsort(core->threads, core->info.threads, sizeof *core->threads, compare_threads);
	if (core->register_count > 0)
		qsort(core->registers, core->register_count, sizeof *core->registers,
		      compare_registers);
}

int pm_core_read_notes(struct pm_core *core, uint64_t offset, uint64_t size, struct pm_error *error)
{
	unsigned char header[NOTE_HEADER];
	uint64_t end = core->size;

	if (offset <= core->size && size <= core->size - offset)
		end = offset + size;

	for (; core->note_count < NOTES_MAX && offset < end && end - offset >= NOTE_HEADER;
	     core->note_count++) {
		if (pm_core_file_read(core, offset, header, sizeof header, "notes", error) < 0)
			return -1;

		uint64_t description = offset + NOTE_HEADER + align4(pm_core_u32(core, header));
		struct note note = { .type = pm_core_u32(core, header + 8),
			             .offset = description,
			             .size = pm_core_u32(core, header + 4) };

		if (description > end || note.size > end - description)
			break;

		int result = 0;
		if (note.type == NT_PRPSINFO)
			result = read_process(core, &note, error);
		else if (note.type == NT_PRSTATUS)
			result = read_thread(core, &note, error);
		else if (note.type == NT_AUXV)
			result = read_auxiliary(core, &note, error);
		else if (note.type == NT_FILE)
			result = read_names(core, &note, error);

		if (result < 0)
			return -1;

		offset = description + align4(note.size);
	}

	return 0;
}
