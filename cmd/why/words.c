/* SPDX-License-Identifier: MIT */
#include "why/words.h"

#include <string.h>

#include "base/utf8.h"

/** The constant words of a finding. */
struct words {
	const char *title;
	const char *advice;                       /* NULL: there is none */
	const char *commands[WHY_WORDS_COMMANDS]; /* formats with the PID, which may be followed by
	                                             an address */
};

static const struct words words[PM_FINDING_COUNT] = {
	[PM_FINDING_MALLOC_LEAK] = { "malloc chunks pile up",
	                             "find out what keeps them, and why it does not free them",
	                             { "procmem heap --growth 10s %d", "procmem refs %d %s" } },
	[PM_FINDING_MAPPED_CHUNKS] = { "large malloc blocks pile up",
	                               "find out what keeps these blocks",
	                               { "procmem strings -u %d %s",
	                                 "procmem trace --for 60s %d" } },
	[PM_FINDING_MANY_CHUNKS] = { "much of the memory is malloc chunks of one size",
	                             "find out whether the program needs them all",
	                             { "procmem heap %d", "procmem refs %d %s" } },
	[PM_FINDING_ARENA_RETENTION] = { "malloc keeps memory that the program has freed",
	                                 "malloc_trim(0), fewer arenas (MALLOC_ARENA_MAX), or "
	                                 "another allocator",
	                                 { "procmem heap %d", NULL } },
	[PM_FINDING_RESERVE] = { "memory grows into a reserve that has an end",
	                         "make the reserve larger, or find out what fills it",
	                         { "procmem watch %d %s", "procmem strings -u %d %s" } },
	[PM_FINDING_RISING_FLOOR] = { "memory rises and falls, and what is left rises",
	                              "find out what is not released in each cycle",
	                              { "procmem watch %d %s", "procmem heap --growth 30s %d" } },
	[PM_FINDING_PLATEAU] = { "has grown, and has stopped: warm-up, or a cache that is full",
	                         NULL,
	                         { "procmem watch %d", NULL } },
	[PM_FINDING_JAVA_DIRECT] = { "direct buffers of Java fill their limit",
	                             "find out who keeps ByteBuffers, or blocks of native code; or "
	                             "raise -XX:MaxDirectMemorySize",
	                             { "procmem headroom --for 30s %d",
	                               "procmem strings -u %d %s" } },
	[PM_FINDING_RUNTIME_HEAP] = { "the heap of the runtime is at its maximum",
	                              "find out which objects fill it, or make it larger",
	                              { "procmem headroom --for 30s %d",
	                                "procmem map --by owner %d" } },
	[PM_FINDING_RUNTIME_GROWTH] = { "objects of the runtime pile up",
	                                "find out what keeps these objects",
	                                { "procmem map --by owner %d",
	                                  "procmem watch --by owner %d" } },
	[PM_FINDING_JAVA_CODE] = { "the code cache of the JVM fills up",
	                           "raise -XX:ReservedCodeCacheSize, or find what generates code",
	                           { "procmem headroom %d", NULL } },
	[PM_FINDING_JAVA_METASPACE] = { "classes of Java pile up in the metaspace",
	                                "find out who loads classes, and what keeps their loaders",
	                                { "procmem map --by owner %d", NULL } },
	[PM_FINDING_OUTSIDE_RUNTIME] = { "memory grows outside of the runtime's heap",
	                                 "look for buffers of native code: the runtime does not "
	                                 "count them",
	                                 { "procmem map --by owner %d",
	                                   "procmem strings -u %d %s" } },
	[PM_FINDING_CHILD_GROWS] = { "a process below it grows",
	                             "investigate that process, with the first command",
	                             { "procmem why %d", "procmem watch --children %d" } },
	[PM_FINDING_GROUP_PROCESS] = { "another process of its cgroup grows",
	                               "investigate that process, with the first command",
	                               { "procmem why %d", "procmem cgroup %d" } },
	[PM_FINDING_SHARED_FILE] = { "another process makes a shared file grow",
	                             "find out why that process writes it, and who removes from it",
	                             { "procmem who %d %s", NULL } },
	[PM_FINDING_NAMELESS_FILE] = { "shared memory without a name grows",
	                               "find out who writes to it and never truncates it",
	                               { "procmem who %d %s", "procmem strings -u %d %s" } },
	[PM_FINDING_TMPFS] = { "files in a tmpfs pile up: they are memory",
	                       "remove the files, or move the directory to a disk",
	                       { "procmem cgroup %d", NULL } },
	[PM_FINDING_KERNEL_MEMORY] = { "memory of the kernel grows in its cgroup",
	                               "look for sockets, files, or mounts that pile up",
	                               { "procmem cgroup %d", NULL } },
	[PM_FINDING_PAGE_CACHE] = { "only page cache grows: the kernel drops it when it needs "
	                            "memory",
	                            NULL,
	                            { "procmem cgroup %d", NULL } },
	[PM_FINDING_THREADS] = { "threads pile up",
	                         "find out who starts threads that do not end",
	                         { "procmem map --by thread %d", "procmem trace --for 60s %d" } },
	[PM_FINDING_MAPPINGS] = { "mappings pile up",
	                          "find out who maps memory and does not unmap it",
	                          { "procmem trace --for 60s %d", "procmem watch %d" } },
	[PM_FINDING_DESCRIPTORS] = { "open descriptors pile up",
	                             "find out who opens files or sockets and does not close them",
	                             { "ls -l /proc/%d/fd", NULL } },
	[PM_FINDING_SHARED_COUNTED] = { "RSS counts memory that other processes have, too",
	                                NULL,
	                                { "procmem map -o address,rss,pss,kind,mapping %d",
	                                  NULL } },
	[PM_FINDING_LOCKED] = { "locked memory: the kernel cannot reclaim it",
	                        NULL,
	                        { "procmem map -o address,rss,locked,kind,mapping %d", NULL } },
	[PM_FINDING_HUGE_PAGES] = { "much memory is in huge pages, of which parts can be unused",
	                            NULL,
	                            { "procmem map -o address,rss,anon_huge,kind,mapping %d",
	                              NULL } },
	[PM_FINDING_SWAPPING] = { "memory is swapped out", NULL, { "procmem pressure %d", NULL } },
	[PM_FINDING_PRESSURE] = { "memory is short, but not because of it",
	                          NULL,
	                          { "procmem pressure %d", "procmem ps" } },
	[PM_FINDING_GROWTH] = { "memory grows; who uses it is not known",
	                        NULL,
	                        { "procmem strings -u %d %s", "procmem trace --for 60s %d" } },
};

/* Words of findings of growth that has an end, or that can be garbage. */
static const char title_of_fixed[] = "shared memory of a fixed length fills up";
static const char title_of_variables[] = "more and more of the program's global variables is used";
static const char title_of_malloc[] = "memory of malloc grows; which chunks is not known";
static const char advice_for_garbage[] =
	"observe it longer: only what collections leave can be a leak";

/* Columns of a name in a title. */
enum { NAME_COLUMNS = 32 };

/* Commands that show more about a heap whose growth can be garbage. */
static const char *const commands_for_garbage[WHY_WORDS_COMMANDS] = { "procmem why --for 5m %d",
	                                                              "procmem map --by owner %d" };

/* Commands that show more about growth of malloc. */
static const char *const commands_for_malloc[WHY_WORDS_COMMANDS] = { "procmem heap --growth 10s %d",
	                                                             "procmem trace --for 60s %d" };

/** Adds a tool of a runtime that shows its objects; nothing if none is known. */
static void put_tool(const struct pm_finding *finding, struct text *text)
{
	switch (finding->owner) {
	case PM_OWNER_JAVA_HEAP:
		text_format(text, ": jcmd %d GC.class_histogram", (int)finding->pid);
		break;
	case PM_OWNER_V8_HEAP:
		text_string(text, ": v8.writeHeapSnapshot()");
		break;
	case PM_OWNER_GO_HEAP:
		text_string(text, ": the heap profile of net/http/pprof");
		break;
	case PM_OWNER_DOTNET_HEAP:
		text_format(text, ": dotnet-gcdump collect -p %d", (int)finding->pid);
		break;
	case PM_OWNER_PYTHON_OBJECTS:
		text_string(text, ": gc.get_referrers(), tracemalloc");
		break;
	default:
		break;
	}
}

/** Returns who uses malloc in a process with a runtime; NULL if the runtime is not known. */
static const char *users_of_malloc(enum pm_owner heap)
{
	switch (heap) {
	case PM_OWNER_JAVA_HEAP:
		return "direct buffers, JNI and native libraries use malloc";
	case PM_OWNER_V8_HEAP:
		return "Buffers and native modules use malloc";
	case PM_OWNER_GO_HEAP:
		return "C code (cgo) uses malloc";
	case PM_OWNER_PYTHON_OBJECTS:
		return "large objects and C extensions use malloc";
	case PM_OWNER_RUBY_HEAP:
		return "long strings and C extensions use malloc";
	default:
		return NULL;
	}
}

/** Returns the heap of the runtime of the target; PM_OWNER_UNKNOWN if it has none. */
static enum pm_owner runtime_heap(const struct pm_evidence *evidence)
{
	for (size_t i = 0; i < evidence->owner_count; i++)
		if (users_of_malloc(evidence->owners[i].owner))
			return evidence->owners[i].owner;
	return PM_OWNER_UNKNOWN;
}

/** Tests whether a finding is about memory of malloc in the target. */
static bool is_of_malloc(const struct pm_finding *finding)
{
	return finding->id == PM_FINDING_MALLOC_LEAK || finding->id == PM_FINDING_MAPPED_CHUNKS;
}

/** Tests whether a finding is growth of malloc whose chunks are not known. */
static bool is_growth_of_malloc(const struct pm_finding *finding)
{
	return finding->id == PM_FINDING_GROWTH && finding->owner == PM_OWNER_MALLOC;
}

/** Tests whether a finding is growth of memory of a runtime, about which no rule knows more. */
static bool is_growth_of_runtime(const struct pm_finding *finding)
{
	return finding->id == PM_FINDING_GROWTH &&
	       strcmp(pm_owner_family(finding->owner), pm_owner_name(finding->owner)) != 0;
}

/** Tests whether growth of a heap can be garbage. */
static bool can_be_garbage(const struct pm_finding *finding)
{
	return finding->id == PM_FINDING_RUNTIME_GROWTH &&
	       (finding->harmless || finding->confidence == PM_CONFIDENCE_POSSIBLE);
}

const char *why_words_confidence(const struct pm_finding *finding)
{
	if (!finding->harmless)
		return pm_confidence_name(finding->confidence);
	return finding->id == PM_FINDING_RUNTIME_GROWTH ? "too early" : "harmless";
}

void why_words_put_advice(const struct pm_finding *finding, const struct pm_evidence *evidence,
                          struct text *text)
{
	bool of_runtime = finding->id == PM_FINDING_RUNTIME_GROWTH ||
	                  finding->id == PM_FINDING_RUNTIME_HEAP;

	if (can_be_garbage(finding)) {
		text_string(text, advice_for_garbage);
		return;
	}
	if (finding->harmless || !words[finding->id].advice)
		return;

	const char *users = is_of_malloc(finding) ? users_of_malloc(runtime_heap(evidence)) : NULL;
	if (users)
		text_format(text, "%s; ", users);
	text_string(text, words[finding->id].advice);
	if (of_runtime)
		put_tool(finding, text);
}

/** Adds a name after a colon. */
static void put_name(const char *name, struct text *text)
{
	if (!*name)
		return;
	text_string(text, ": ");
	utf8_escape_end(text, name, strlen(name), NAME_COLUMNS);
}

/** Adds what grows in the heap of a runtime. */
static void put_heap_title(const struct pm_finding *finding, struct text *text)
{
	const char *heap = pm_owner_title(finding->owner);

	if (can_be_garbage(finding)) {
		text_format(text, "%s grows between its collections", heap);
		return;
	}

	bool of_python = finding->owner == PM_OWNER_PYTHON_OBJECTS;
	text_string(text, of_python ? "Python objects pile up" : heap);
	if (!of_python)
		text_string(text, ": objects pile up");
	for (size_t i = 0; i < finding->fact_count; i++) {
		if (finding->facts[i].id == PM_FACT_TYPE) {
			put_name(finding->facts[i].text, text);
			return;
		}
	}
}

/** Tests whether something of the target rises and falls, and is not the cause. */
static bool has_sawtooth(const struct pm_finding *finding)
{
	for (size_t i = 0; i < finding->against_count; i++)
		if (finding->against[i].id == PM_FACT_SAWTOOTH)
			return true;
	return false;
}

/** Adds what the memory of malloc is hidden by: a runtime, or a sawtooth. */
static void put_cover(const struct pm_finding *finding, const struct pm_evidence *evidence,
                      struct text *text)
{
	enum pm_owner heap = runtime_heap(evidence);

	if (heap == PM_OWNER_PYTHON_OBJECTS)
		text_string(text, ", outside of the Python objects");
	else if (heap != PM_OWNER_UNKNOWN)
		text_format(text, ", outside of the %s", pm_owner_title(heap));
	if (has_sawtooth(finding))
		text_string(text, ", under a sawtooth");
}

void why_words_put_title(const struct pm_finding *finding, const struct pm_evidence *evidence,
                         struct text *text)
{
	bool shared = finding->id == PM_FINDING_SHARED_FILE ||
	              finding->id == PM_FINDING_NAMELESS_FILE;
	bool variables = finding->region && (finding->region->kind == PM_KIND_BSS ||
	                                     finding->region->kind == PM_KIND_DATA);

	if (finding->harmless && shared)
		text_string(text, title_of_fixed);
	else if (finding->id == PM_FINDING_RUNTIME_GROWTH)
		put_heap_title(finding, text);
	else if (finding->id == PM_FINDING_GROWTH && variables)
		text_string(text, title_of_variables);
	else if (is_growth_of_malloc(finding))
		text_string(text, title_of_malloc);
	else if (is_growth_of_runtime(finding))
		text_format(text, "memory grows: %s", pm_owner_title(finding->owner));
	else
		text_string(text, words[finding->id].title);

	if (is_of_malloc(finding))
		put_cover(finding, evidence, text);
	if (finding->pid != evidence->pid && !shared && *finding->comm)
		put_name(finding->comm, text);
	if (finding->pid != evidence->pid && !shared && finding->pid > 0)
		text_format(text, " (%d)", (int)finding->pid);
}

const char *why_words_command(const struct pm_finding *finding, size_t index)
{
	if (index >= WHY_WORDS_COMMANDS)
		return NULL;
	if (can_be_garbage(finding))
		return commands_for_garbage[index];
	if (is_growth_of_malloc(finding))
		return commands_for_malloc[index];
	return words[finding->id].commands[index];
}
