/* SPDX-License-Identifier: MIT */
/*
 * The frame that a person looks for is the first one of the program itself: malloc() and mmap() are
 * at the inner end of nearly all stacks. System libraries are recognized by the names of their
 * files, and allocators in static programs by the names of their functions.
 */
#include "target/frames.h"

#include <inttypes.h>
#include <string.h>

#include "view/json.h"

/* The first letters of the names of system libraries. */
static const char *const system_files[] = {
	"libc.so",     "libc-2",        "libc.musl",   "ld-linux", "ld-musl",  "ld-2",
	"libpthread",  "libstdc++",     "libc++",      "libgcc_s", "libm.so",  "libdl",
	"libjemalloc", "libtcmalloc",   "libmimalloc", "[vdso]",   "linux-vd", "librt.so",
	"libc++abi",   "linux-gate.so", "libffi.so",
};

/* Functions that map or allocate memory for their callers, without leading underscores. */
static const char *const allocators[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"free",
	"memalign",
	"aligned_alloc",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"mmap",
	"mmap64",
	"munmap",
	"mremap",
	"brk",
	"sbrk",
	"mprotect",
	"madvise",
	"shmat",
	"operator new",
	"operator new[]",
	"operator delete",
	"syscall",
	"sysmalloc",
	"sysmalloc_mmap",
	"_int_malloc",
	"_int_realloc",
	"_int_memalign",
	"operator delete[]",
	"tcache_init",
	"arena_get2",
	"grow_heap",
	"new_heap",
	"mremap_chunk",
	"malloc_consolidate",
	/* Functions of programs that only pass requests on to malloc or mmap. */
	"PyObject_Malloc",
	"PyObject_Calloc",
	"PyObject_Realloc",
	"PyObject_ArenaMmap",
	"PyMem_Malloc",
	"PyMem_Calloc",
	"PyMem_Realloc",
	"PyMem_RawMalloc",
	"PyMem_RawCalloc",
	"PyMem_RawRealloc",
	"pymalloc_alloc",
	"pymalloc_pool_extend",
	"allocate_from_new_pool",
	"new_arena",
	"zmalloc",
	"zmalloc_usable",
	"zcalloc",
	"zrealloc",
	"zmalloc_usable_internal",
	"zrealloc_usable",
	"zcalloc_usable",
	"ztrymalloc_usable",
	"ztryrealloc_usable",
	"ztrymalloc_usable_internal",
	"ztryrealloc_usable_internal",
	"os::malloc",
	"os::realloc",
	"xmalloc",
	"xcalloc",
	"xrealloc",
	"g_malloc",
	"g_malloc0",
	"g_realloc",
};

/** Returns the part of a path after the last slash. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool frames_is_of(const struct pm_frame *frame, const char *name)
{
	return frame->module && strcmp(base_name(frame->module), name) == 0;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_system_file(const char *path)
{
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof system_files / sizeof *system_files; i++) {
		if (starts_with(name, system_files[i]))
			return true;
	}
	return false;
}

/* The first letters of functions of standard libraries that are compiled into programs. */
static const char *const standard_functions[] = {
	"std::",
	"__gnu_cxx::",
	"alloc::alloc::",
	"alloc::raw_vec::",
	"alloc::vec::",
	"alloc::boxed::",
	"alloc::string::",
	"alloc::collections::",
	"<u8 as alloc::vec::",
	"<alloc::",
	"<std::",
	"<core::",
};

/* Programs and libraries that run code of Java or JavaScript. */
static const char *const runtime_files[] = { "java",      "libjvm.so",    "libjava.so",
	                                     "libjli.so", "libnio.so",    "libnet.so",
	                                     "libzip.so", "libjimage.so", "libverify.so",
	                                     "node",      "nodejs" };

/* The first letters of methods of the libraries of Java, and of generated code of the JVM itself.
 */
static const char *const java_packages[] = { "java.",    "javax.",         "jdk.",   "sun.",
	                                     "com.sun.", "StubRoutines (", "I2C/C2I" };

/** Returns whether a frame is of the runtime of Java or JavaScript, or of its libraries. */
static bool is_runtime(const struct pm_frame *frame)
{
	for (size_t i = 0; i < sizeof runtime_files / sizeof *runtime_files; i++) {
		if (frames_is_of(frame, runtime_files[i]))
			return true;
	}
	if (!frame->function || frame->source != PM_FRAME_JIT)
		return false;

	for (size_t i = 0; i < sizeof java_packages / sizeof *java_packages; i++) {
		if (starts_with(frame->function, java_packages[i]))
			return true;
	}
	/* Functions of the libraries of node are such as "alloc node:buffer:391:30". */
	return strstr(frame->function, " node:") || starts_with(frame->function, "node:") ||
	       starts_with(frame->function, "Builtin:");
}

/** Returns whether a frame is of a standard library, but not the code of a lambda. */
static bool is_standard(const struct pm_frame *frame)
{
	if (!frame->function || strstr(frame->function, "lambda"))
		return false;

	for (size_t i = 0; i < sizeof standard_functions / sizeof *standard_functions; i++) {
		if (starts_with(frame->function, standard_functions[i]))
			return true;
	}
	return false;
}

/** Returns whether a function maps or allocates memory for its callers. */
static bool is_allocator(const char *function)
{
	while (*function == '_' && !starts_with(function, "_int_"))
		function++;
	if (starts_with(function, "libc_") || starts_with(function, "GI_"))
		return true;

	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
		if (strcmp(function, allocators[i]) == 0)
			return true;
	}
	return false;
}

enum frame_kind frames_kind(const struct pm_frame *frame)
{
	if (frame->source == PM_FRAME_KERNEL)
		return FRAME_MARKER;
	if (frame->source == PM_FRAME_JIT || (!frame->module && frame->address))
		return FRAME_GENERATED;
	if (frame->module && is_system_file(frame->module))
		return FRAME_SYSTEM;
	if (frame->function && is_allocator(frame->function))
		return FRAME_SYSTEM;

	return FRAME_PROGRAM;
}

void frames_name(const struct pm_frame *frame, struct text *text)
{
	if (frame->function && frame->function[0]) {
		text_string(text, frame->function);
	} else if (frame->module && frame->module[0] == '[') {
		text_string(text, frame->module);
	} else if (frame->module) {
		text_char(text, '[');
		text_string(text, base_name(frame->module));
		text_char(text, ']');
	} else {
		text_string(text, "[unknown]");
	}
}

/** Returns whether a frame is generated code whose function is not known. */
static bool is_unknown_code(const struct pm_frame *frame)
{
	if (frame->module)
		return false;

	return !frame->function || strcmp(frame->function, "Interpreter") == 0;
}

/**
 * Finds the innermost frame of a Java or JavaScript program.
 *
 * @param stack  the stack
 * @param first  index of the first frame of the runtime
 * @return       index of the frame; without one, `first`, or the frame of a library of the runtime
 *               that was called by code that is not known, which can be the program
 */
static size_t find_managed(const struct pm_stack *stack, size_t first)
{
	for (size_t i = first; i < stack->count; i++) {
		const struct pm_frame *frame = &stack->frames[i];

		if (is_unknown_code(frame))
			return i > first && !stack->frames[i - 1].module ? i - 1 : first;
		if (!is_runtime(frame) && frames_kind(frame) == FRAME_GENERATED)
			return i;
	}
	return first;
}

size_t frames_own(const struct pm_stack *stack)
{
	size_t standard = 0;

	for (size_t i = stack->count; i-- > 0;) {
		if (frames_kind(&stack->frames[i]) != FRAME_SYSTEM)
			standard = i;
	}
	for (size_t i = standard; i < stack->count; i++) {
		if (is_runtime(&stack->frames[i]))
			return find_managed(stack, i);
		if (frames_kind(&stack->frames[i]) != FRAME_SYSTEM &&
		    !is_standard(&stack->frames[i]))
			return i;
	}
	return standard;
}

/** Returns whether two frames have the same name. */
static bool is_same_name(const struct pm_frame *left, const struct pm_frame *right)
{
	struct text one = { 0 }, other = { 0 };

	frames_name(left, &one);
	frames_name(right, &other);
	bool same = one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;

	text_deinit(&one);
	text_deinit(&other);
	return same;
}

/** Adds the place of a frame without a name in its file. Returns whether it is such a frame. */
static bool put_place(const struct pm_frame *frame, struct text *text)
{
	if (frame->function || !frame->module || frame->module[0] == '[')
		return false;

	text_format(text, "[%s+0x%" PRIx64 "]", base_name(frame->module), frame->module_address);
	return true;
}

void frames_line(const struct pm_stack *stack, bool before, struct text *text)
{
	if (stack->count == 0) {
		text_string(text, before ? FRAMES_BEFORE : FRAMES_NONE);
		return;
	}
	if (before)
		text_string(text, "touched by ");

	size_t i = frames_own(stack);
	if (put_place(&stack->frames[i], text)) {
		i++;
		if (i < stack->count)
			text_string(text, " < ");
	}

	while (i < stack->count) {
		size_t same = 1;

		while (i + same < stack->count &&
		       is_same_name(&stack->frames[i], &stack->frames[i + same]))
			same++;

		frames_name(&stack->frames[i], text);
		if (same > 1)
			text_format(text, " \xc3\x97%zu", same);
		i += same;
		if (i < stack->count)
			text_string(text, " < ");
	}
	if (stack->cut)
		text_string(text, " < " FRAMES_CUT);
}

json_t *frames_json(const struct pm_stack *stack)
{
	json_t *list = json_array();

	for (size_t i = 0; i < stack->count; i++) {
		const struct pm_frame *frame = &stack->frames[i];
		json_t *object = json_object();

		if (frame->function)
			json_object_set_new(object, "function", json_text(frame->function));
		if (frame->module)
			json_object_set_new(object, "module", json_text(frame->module));
		if (frame->file)
			json_object_set_new(object, "source_file", json_text(frame->file));
		if (frame->line > 0)
			json_object_set_new(object, "source_line", json_number(frame->line));
		json_object_set_new(object, "address", json_address(frame->address));
		if (frame->source == PM_FRAME_INLINED)
			json_object_set_new(object, "inlined", json_true());
		json_array_append_new(list, object);
	}
	return list;
}
