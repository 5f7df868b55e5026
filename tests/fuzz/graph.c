/* SPDX-License-Identifier: MIT */
/*
 * The graph of a heap of glibc with any changes, in a core file with two threads: each question
 * must be answered in finite time, and the answers must agree with each other. The first byte of
 * the input selects the version, and whether the second arena has a second heap. Each of the
 * following groups of 12 bytes is a change: part (1), how (1), offset (2), value (8).
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include <procmem/leaks.h>
#include <procmem/refs.h>
#include <procmem/refs_tree.h>
#include <procmem/retained.h>
#include <procmem/retained_tree.h>

#include "support/core_image.h"
#include "support/fake_heap.h"

enum {
	GROUP = 12,
	THREADS = 2,
	STACK_SIZE = 2 * PAGE,
	/* Position of the stack pointers in the stacks, and of the descriptor of the thread */
	STACK_POINTER = PAGE + 512,
	DESCRIPTOR = PAGE + 1024,
	/* Position of variables in the data of libc */
	VARIABLES = 0x3000,
	/* Number of small chunks in a row that fake_heap_init() makes, and their size */
	SMALL_COUNT = 20,
	SMALL_SIZE = 0x60,
	/* Number of chunks and roots for which slow questions are asked */
	ASKED = 8,
	/* Positions in struct user_regs_struct */
	REGISTER_RAX = 10,
	REGISTER_ORIG_RAX = 15,
	REGISTER_RSP = 19,
	REGISTER_FS_BASE = 21,
};

/** The parts of the memory: those of the heap, the stacks, and the registers. */
enum part { PART_STACK = FAKE_PARTS_MAX, PART_REGISTERS = PART_STACK + THREADS, PARTS };

/** Kinds of changes. */
enum change { SET, ADD, XOR, SET_ADDRESS, GAP, CHANGES };

/** Addresses of the stacks: that of a thread, above a guard; and that of the program. */
static const uint64_t stacks[THREADS] = { 0x7f0000200000, 0x7ffc00000000 };

/** The target. */
struct subject {
	struct fake_heap heap;
	bool newer; /* the second arena has a second heap */
	unsigned char stacks[THREADS][STACK_SIZE];
	uint64_t registers[THREADS][PM_COPY_REGISTERS];
	size_t gaps[PART_REGISTERS]; /* 1 + number of the page that the core file does not contain
	                              */
	struct {
		unsigned char headers[PAGE];
		unsigned char parts[PART_REGISTERS][FAKE_PART_SIZE];
	} file;
};

/** What is examined. */
struct session {
	struct pm_copy *copy;
	struct pm_heap *heap;
	struct pm_chunk_types *types;
	struct pm_graph *graph;
	struct pm_leaks leaks;
};

/** Returns the first address of a part of the memory. */
static uint64_t memory_address(unsigned part)
{
	if (part < PART_STACK)
		return fake_heap_address((enum fake_part)part);
	return stacks[part - PART_STACK];
}

/** Returns the size of a part of the memory in bytes. */
static size_t memory_size(unsigned part)
{
	return part < PART_STACK ? FAKE_PART_SIZE : STACK_SIZE;
}

/** Returns the contents of a part of the memory. */
static unsigned char *memory_bytes(struct subject *subject, unsigned part)
{
	if (part < PART_STACK)
		return subject->heap.bytes[part];
	return subject->stacks[part - PART_STACK];
}

/** Returns an address in the memory. */
static uint64_t address_of(uint64_t value)
{
	unsigned part = (unsigned)(value % PART_REGISTERS);
	return memory_address(part) + (value >> 8) % memory_size(part);
}

/** Applies one change. */
static void change(struct subject *subject, const uint8_t *group)
{
	const unsigned part = group[0] % PARTS, how = group[1] % CHANGES;
	uint16_t offset;
	uint64_t value, word;
	size_t size = sizeof subject->registers;
	unsigned char *at = (unsigned char *)subject->registers;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	if (part < PART_REGISTERS) {
		size = memory_size(part);
		at = memory_bytes(subject, part);
	}
	if (how == GAP) {
		if (part < PART_REGISTERS)
			subject->gaps[part] = 1 + offset % size / PAGE;
		return;
	}

	at += offset % (size - sizeof word);
	memcpy(&word, at, sizeof word);
	switch (how) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case XOR:
		word ^= value;
		break;
	default:
		word = address_of(value);
		break;
	}
	memcpy(at, &word, sizeof word);
}

/**
 * Makes pointers: a variable leads to a chunk of the first arena, from which a list leads through
 * the small chunks after it. Those of the second arena are a cycle that nothing points to.
 */
static void link_chunks(struct subject *subject)
{
	struct fake_heap *heap = &subject->heap;

	for (int arena = 0; arena < 2; arena++) {
		uint64_t from = heap->user_chunk[arena] + 16, first = from + 0x90, at = first;

		fake_heap_put(heap, from, first);
		for (int i = 1; i < SMALL_COUNT; i++, at += SMALL_SIZE)
			fake_heap_put(heap, at, at + SMALL_SIZE);
		if (arena == 1)
			fake_heap_put(heap, at, first);
	}

	fake_heap_put(heap, fake_heap_address(FAKE_DATA) + VARIABLES, heap->user_chunk[0] + 16);
}

/** Sets the registers of the threads, and words on their stacks. */
static void set_threads(struct subject *subject)
{
	uint64_t block[2] = { stacks[0], STACK_SIZE };
	uint64_t pointer = subject->heap.fast_chunk[0] + 16;

	for (int i = 0; i < THREADS; i++) {
		subject->registers[i][REGISTER_ORIG_RAX] = UINT64_MAX;
		subject->registers[i][REGISTER_RSP] = stacks[i] + STACK_POINTER;
		memcpy(subject->stacks[i] + STACK_POINTER + 64, &pointer, sizeof pointer);
		pointer = subject->heap.user_chunk[1] + 16; /* below the stack pointer */
		memcpy(subject->stacks[i] + 64, &pointer, sizeof pointer);
	}

	subject->registers[0][REGISTER_RAX] = subject->heap.user_chunk[0];
	subject->registers[0][REGISTER_FS_BASE] = stacks[0] + DESCRIPTOR;
	memcpy(subject->stacks[0] + DESCRIPTOR + 0x690, block, sizeof block);
}

/** Writes the notes of the core file. Returns their size. */
static size_t put_notes(const struct subject *subject, unsigned char *notes)
{
	static const char path[] = "/usr/lib/libc.so.6";
	const uint64_t data = fake_heap_address(FAKE_DATA);
	const uint64_t files[] = { 1, PAGE, data, data + FAKE_PART_SIZE, 0 };
	const uint64_t auxiliary[] = { AT_RANDOM, stacks[1] + 8, AT_NULL, 0 };
	unsigned char note[sizeof files + sizeof path];
	size_t size = 0;

	for (int i = 0; i < THREADS; i++) {
		struct elf_prstatus status = { .pr_pid = 100 + i };
		memcpy(&status.pr_reg, subject->registers[i], sizeof subject->registers[i]);
		core_image_note(notes, &size, NT_PRSTATUS, &status, sizeof status);
	}

	memcpy(note, files, sizeof files);
	memcpy(note + sizeof files, path, sizeof path);
	core_image_note(notes, &size, NT_FILE, note, sizeof note);
	core_image_note(notes, &size, NT_AUXV, auxiliary, sizeof auxiliary);
	return size;
}

/** Adds a part to the program headers, without its gap. Returns the number of headers. */
static uint16_t put_part(struct subject *subject, unsigned part, Elf64_Phdr *headers)
{
	const uint64_t address = memory_address(part), size = memory_size(part);
	const uint64_t offset = (uint64_t)(subject->file.parts[part] - subject->file.headers);
	const uint64_t gap = (subject->gaps[part] - 1) * PAGE;
	uint16_t count = 0;

	memcpy(subject->file.parts[part], memory_bytes(subject, part), size);
	if (subject->gaps[part] == 0) {
		headers[0] = core_image_load(address, size, offset, size);
		return 1;
	}

	if (gap > 0)
		headers[count++] = core_image_load(address, gap, offset, gap);
	if (gap + PAGE < size)
		headers[count++] = core_image_load(address + gap + PAGE, size - gap - PAGE,
		                                   offset + gap + PAGE, size - gap - PAGE);
	return count;
}

/** Writes the core file, and opens it. */
static struct pm_core *open_core(struct subject *subject)
{
	/* In ascending order of the addresses */
	static const unsigned order[] = { FAKE_BRK,  FAKE_ARENA, FAKE_NEWER,    FAKE_MAPPED,
		                          FAKE_DATA, PART_STACK, PART_STACK + 1 };
	unsigned char *start = subject->file.headers;
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)start;
	Elf64_Phdr *headers = (Elf64_Phdr *)(void *)(header + 1);
	struct pm_error error = { 0 };
	struct pm_core *core = NULL;
	uint16_t count = 1;

	*header = (Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		                             ELFDATA2LSB },
		                .e_type = ET_CORE,
		                .e_machine = EM_X86_64,
		                .e_phoff = sizeof *header,
		                .e_phentsize = sizeof *headers };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (order[i] == FAKE_NEWER && !subject->newer)
			continue;
		if (order[i] == PART_STACK) {
			headers[count] = core_image_load(stacks[0] - PAGE, PAGE, 0, 0);
			headers[count++].p_flags = 0;
		}
		count = (uint16_t)(count + put_part(subject, order[i], &headers[count]));
	}

	size_t notes = (size_t)((unsigned char *)&headers[count] - start);
	headers[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = notes };
	headers[0].p_filesz = put_notes(subject, start + notes);
	fuzz_check(notes + headers[0].p_filesz <= PAGE);
	header->e_phnum = count;

	int fd = dup(fuzz_file(start, sizeof subject->file));
	fuzz_check(fd >= 0 && pm_core_open_fd(fd, &core, &error) == 0);
	return core;
}

static bool is_lost(const struct session *session, uint32_t number)
{
	return session->leaks.marks[0][number / 64] >> number % 64 & 1;
}

/** The groups must contain all lost chunks. */
static void check_leaks(const struct session *session)
{
	const struct pm_leaks *leaks = &session->leaks;
	uint64_t chunks = 0, bytes = 0, direct = 0, cycles = 0, through = 0, through_bytes = 0;
	struct pm_lost lost;

	for (size_t i = 0; i < leaks->count; i++) {
		const struct pm_leak_group *group = &leaks->groups[i];
		fuzz_check(group->chunks > 0 && group->direct <= group->chunks);
		fuzz_check(group->head_size <= PM_CHUNK_HEAD_SIZE && group->type != NULL);
		chunks += group->chunks;
		bytes += group->bytes;
		direct += group->direct;
		through += group->direct + group->indirect;
		through_bytes += group->direct_bytes + group->indirect_bytes;
	}
	fuzz_check(through == chunks && through_bytes == bytes);
	fuzz_check(chunks == leaks->chunks && bytes == leaks->bytes && direct == leaks->direct);
	fuzz_check(leaks->chunks <= leaks->in_use_chunks && leaks->bytes <= leaks->in_use_bytes);
	fuzz_check((leaks->chunks > 0) == (leaks->direct > 0));
	fuzz_check(leaks->below_stacks <= leaks->chunks);

	for (uint32_t number = 0; pm_leaks_next(session->graph, leaks, &number, &lost); chunks--) {
		fuzz_check(lost.chunk.state == PM_CHUNK_IN_USE && is_lost(session, number - 1));
		fuzz_check(lost.direct || !lost.cycle);
		cycles += lost.cycle;
	}
	fuzz_check(chunks == 0 && cycles == leaks->cycles);
}

/** The rows must contain everything that the root holds. */
static void check_tree(const struct session *session, const struct pm_retained_root *root,
                       bool by_type)
{
	const struct pm_retained_tree_options options = { session->types, by_type };
	struct pm_retained_tree tree;
	uint64_t chunks = 0, bytes = 0, held = 0;

	fuzz_check(pm_retained_tree_find(session->graph, root->root, &options, &tree, NULL) == 0);
	for (size_t i = 0; i < tree.count; i++) {
		const struct pm_retained_row *row = &tree.rows[i];
		chunks += row->chunks;
		bytes += row->bytes;
		fuzz_check(row->bytes <= row->held && row->chunks <= row->held_chunks);
		if (row->parent == PM_RETAINED_NO_ROW) {
			held += row->held;
			fuzz_check(row->depth == 0);
			continue;
		}
		fuzz_check(row->parent < i && row->depth == tree.rows[row->parent].depth + 1);
		fuzz_check(row->held <= tree.rows[row->parent].held);
	}

	fuzz_check(tree.chunks == root->chunks && tree.bytes == root->held);
	fuzz_check(chunks == tree.chunks && bytes == tree.bytes && held == tree.bytes);
	pm_retained_tree_deinit(&tree);
}

/** What the roots hold, and what is lost, must be everything. */
static void check_retained(const struct session *session)
{
	struct pm_retained retained;
	size_t root_count;
	const struct pm_leaks *leaks = &session->leaks;
	uint64_t chunks = leaks->chunks, bytes = leaks->bytes;

	pm_graph_roots(session->graph, &root_count);
	fuzz_check(pm_retained_find(session->graph, &retained, NULL) == 0);
	fuzz_check(retained.lost_chunks == chunks && retained.lost_bytes == bytes);
	for (size_t i = 0; i < retained.root_count; i++) {
		const struct pm_retained_root *root = &retained.roots[i];
		chunks += root->chunks;
		bytes += root->held;
		fuzz_check(root->root < root_count && root->only <= root->held);
		fuzz_check(i == 0 || root->held <= root[-1].held);
		if (i < ASKED)
			check_tree(session, root, i % 2 == 1);
	}

	const struct pm_retained_root lost = { .root = PM_RETAINED_LOST,
		                               .held = leaks->bytes,
		                               .chunks = leaks->chunks };
	check_tree(session, &lost, false);
	fuzz_check(chunks == retained.in_use_chunks && bytes == retained.in_use_bytes);
	fuzz_check(chunks == leaks->in_use_chunks && bytes == leaks->in_use_bytes);
	for (size_t i = 0; i < retained.set_count; i++)
		fuzz_check(retained.sets[i].chunks > 0 && retained.sets[i].count >= 1 &&
		           retained.sets[i].bytes <= bytes);
	pm_retained_deinit(&retained);
}

/** Counts references, and checks each of them. */
struct counting {
	struct pm_range range; /* where the references must lead */
	uint64_t count;
	uint64_t address; /* of the last word in memory */
	bool in_chunks;   /* the addresses have started again: the memory of malloc is searched */
};

static int count_ref(void *context, const struct pm_ref *ref)
{
	struct counting *counting = context;

	fuzz_check(ref->value >= counting->range.start && ref->value < counting->range.end);
	if (ref->address != 0 && ref->address <= counting->address) {
		fuzz_check(!counting->in_chunks);
		counting->in_chunks = true;
	}
	fuzz_check(ref->address != 0 || counting->address == 0);
	counting->address = ref->address;
	counting->count++;
	return 0;
}

/** Checks the references to and from a chunk over several levels. */
static void check_refs(const struct session *session, const struct pm_chunk *chunk)
{
	const struct pm_range range = { chunk->start, chunk->end };
	struct counting counts[] = { { .range = range }, { .range = { 0, UINT64_MAX } } };

	fuzz_check(pm_refs_find(session->graph, range, count_ref, &counts[0], NULL) == 0);
	fuzz_check(pm_refs_from(session->graph, range, count_ref, &counts[1], NULL) == 0);
	for (int to = 0; to < 2; to++) {
		const struct pm_refs_tree_options options = {
			.to = to, .depth = 4, .width_first = 10, .width = 3
		};
		struct pm_refs_tree tree;

		fuzz_check(pm_refs_tree_find(session->graph, range, &options, &tree, NULL) == 0);
		fuzz_check(tree.total == counts[to].count);
		for (size_t i = 0; i < tree.count; i++) {
			const struct pm_refs_node *node = &tree.nodes[i];
			fuzz_check(node->kept <= node->count && node->depth < options.depth);
			fuzz_check(node->parent == PM_REFS_NO_NODE ? node->depth == 0
			                                           : node->parent < i);
		}
		pm_refs_tree_deinit(&tree);
	}
}

/** A chunk in use must have a path to a root if, and only if, it is not lost. */
static void check_path(const struct session *session, const struct pm_chunk *chunk)
{
	struct pm_path path = { 0 };
	uint64_t length = 0;
	int found = pm_refs_path(session->graph, chunk->start, &path, NULL);
	bool reachable = chunk->state == PM_CHUNK_IN_USE && !is_lost(session, chunk->number);

	fuzz_check(found == (reachable && chunk->start < chunk->end));
	for (size_t i = 0; found && i < path.count; i++) {
		const struct pm_path_step *step = &path.steps[i];
		length += step->repeats;
		fuzz_check(step->repeats > 0);
		fuzz_check((step->ref.root == PM_REF_CHUNK) == (i + 1 < path.count));
	}
	fuzz_check(!found || (path.count > 0 && length == path.length));
	pm_path_deinit(&path);
}

/** Asks all questions. */
static void check_graph(struct session *session)
{
	const uint32_t step = session->heap->chunk_count / ASKED + 1;

	fuzz_check(pm_leaks_find(session->graph, session->types, &session->leaks, NULL) == 0);
	check_leaks(session);
	check_retained(session);
	for (uint32_t i = 0; i < session->heap->chunk_count; i += step) {
		struct pm_chunk chunk;
		pm_heap_chunk(session->heap, i, &chunk);
		check_path(session, &chunk);
		check_refs(session, &chunk);
	}
	pm_leaks_deinit(&session->leaks);
}

/** Copies the memory of the core file, and examines the graph. */
static void examine(struct pm_core *core, bool intact)
{
	struct session session = { 0 };
	struct pm_symbols *symbols;

	fuzz_check(pm_copy_open_core(core, NULL, &session.copy, NULL) == 0);
	fuzz_check(pm_copy_take(session.copy, NULL) == 0);

	struct pm_reader reader = pm_copy_reader(session.copy);
	struct pm_page_source pages = pm_copy_source(session.copy);
	const struct pm_regions *regions = pm_copy_regions(session.copy);
	const struct pm_heap_source source = {
		.regions = regions, .reader = &reader, .pages = &pages, .stopped = true
	};
	const struct pm_chunk_type_source types = { .memory = &source };

	fuzz_check(pm_heap_open(&source, &session.heap, NULL) == 0);
	fuzz_check(pm_chunk_types_open(&types, &session.types, NULL) == 0);
	fuzz_check(pm_symbols_open_core(core, "/nonexistent", regions, &symbols, NULL) == 0);
	fuzz_check(pm_graph_open(session.copy, session.heap, symbols, NULL, &session.graph, NULL) ==
	           0);
	fuzz_check(!intact || session.heap->complete);
	check_graph(&session);

	pm_graph_close(session.graph);
	pm_symbols_close(symbols);
	pm_chunk_types_close(session.types);
	pm_heap_close(session.heap);
	pm_copy_close(session.copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct subject subject;

	if (size == 0)
		return 0;

	memset(&subject, 0, sizeof subject);
	subject.newer = data[0] >= 128;
	fake_heap_init(&subject.heap, (enum fake_glibc)(data[0] % FAKE_GLIBC_COUNT));
	if (subject.newer)
		fake_heap_add(&subject.heap, fake_heap_address(FAKE_ARENA));
	link_chunks(&subject);
	set_threads(&subject);
	for (size_t at = 1; size - at >= GROUP; at += GROUP)
		change(&subject, data + at);

	struct pm_core *core = open_core(&subject);
	examine(core, size == 1);
	pm_core_close(core);
	fake_heap_deinit(&subject.heap);

	return 0;
}
