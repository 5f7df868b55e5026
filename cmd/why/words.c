/* SPDX-License-Identifier: MIT */
#include "why/words.h"

/** The constant words of a finding. */
struct words {
	const char *title;
	const char *advice;                       /* NULL: there is none */
	const char *commands[WHY_WORDS_COMMANDS]; /* formats with the PID, which may be followed by
	                                             an address */
};

static const struct words words[PM_FINDING_COUNT] = {
	[PM_FINDING_MALLOC_LEAK] = { "malloc chunks are allocated and stay",
	                             "find out who keeps them, and why they are not released",
	                             { "procmem heap --growth 10s %d", "procmem refs %d %s" } },
	[PM_FINDING_MAPPED_CHUNKS] = { "large malloc blocks pile up",
	                               "find out who keeps these blocks",
	                               { "procmem strings -u %d %s",
	                                 "procmem trace --for 60s %d" } },
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
	                             "find out who keeps ByteBuffers; or raise "
	                             "-XX:MaxDirectMemorySize",
	                             { "procmem headroom --for 30s %d",
	                               "procmem strings -u %d %s" } },
	[PM_FINDING_RUNTIME_HEAP] = { "the heap of the runtime is at its maximum",
	                              "find out which objects fill it, or make it larger",
	                              { "procmem headroom --for 30s %d",
	                                "procmem map --by owner %d" } },
	[PM_FINDING_RUNTIME_GROWTH] = { "objects of the runtime pile up",
	                                "find out what keeps these objects",
	                                { "procmem why --for 5m %d",
	                                  "procmem map --by owner %d" } },
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
	                             NULL,
	                             { "procmem why %d", "procmem watch --children %d" } },
	[PM_FINDING_GROUP_PROCESS] = { "another process of its cgroup grows",
	                               NULL,
	                               { "procmem why %d", "procmem cgroup %d" } },
	[PM_FINDING_SHARED_FILE] = { "another process makes a shared file grow",
	                             NULL,
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
static const char title_of_garbage[] = "the heap of the runtime grows between its collections";
static const char advice_for_garbage[] =
	"observe it longer: only what collections leave can be a leak";

/** Returns the tool of a runtime that shows its objects; NULL if it is not known. */
static const char *tool_of(enum pm_owner owner)
{
	switch (owner) {
	case PM_OWNER_JAVA_HEAP:
		return "jcmd PID GC.class_histogram";
	case PM_OWNER_V8_HEAP:
		return "a heap snapshot (v8.writeHeapSnapshot)";
	case PM_OWNER_GO_HEAP:
		return "the heap profile of net/http/pprof";
	case PM_OWNER_DOTNET_HEAP:
		return "dotnet-gcdump";
	case PM_OWNER_PYTHON_OBJECTS:
		return "gc.get_referrers() and tracemalloc";
	default:
		return NULL;
	}
}

void why_words_put_advice(const struct pm_finding *finding, struct text *text)
{
	bool of_runtime = finding->id == PM_FINDING_RUNTIME_GROWTH ||
	                  finding->id == PM_FINDING_RUNTIME_HEAP;

	if (finding->id == PM_FINDING_RUNTIME_GROWTH &&
	    (finding->harmless || finding->confidence == PM_CONFIDENCE_POSSIBLE)) {
		text_string(text, advice_for_garbage);
		return;
	}
	if (finding->harmless || !words[finding->id].advice)
		return;

	text_string(text, words[finding->id].advice);
	if (of_runtime && tool_of(finding->owner))
		text_format(text, ": %s shows them", tool_of(finding->owner));
}

void why_words_put_title(const struct pm_finding *finding, struct text *text)
{
	bool shared = finding->id == PM_FINDING_SHARED_FILE ||
	              finding->id == PM_FINDING_NAMELESS_FILE;

	if (finding->harmless && shared)
		text_string(text, title_of_fixed);
	else if (finding->harmless && finding->id == PM_FINDING_RUNTIME_GROWTH)
		text_string(text, title_of_garbage);
	else
		text_string(text, words[finding->id].title);
}

const char *why_words_command(enum pm_finding_id id, size_t index)
{
	return index < WHY_WORDS_COMMANDS ? words[id].commands[index] : NULL;
}
