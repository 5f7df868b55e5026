/* SPDX-License-Identifier: MIT */
#include <procmem/owner.h>

#include <string.h>

/** The texts of an owner. */
struct owner_text {
	const char *name;
	const char *title;
	const char *family;
};

static const struct owner_text texts[PM_OWNER_COUNT] = {
	[PM_OWNER_UNKNOWN] = { "unknown", "not known", "unknown" },
	[PM_OWNER_MALLOC] = { "malloc", "native malloc", "malloc" },
	[PM_OWNER_JEMALLOC] = { "jemalloc", "jemalloc", "jemalloc" },
	[PM_OWNER_TCMALLOC] = { "tcmalloc", "tcmalloc", "tcmalloc" },
	[PM_OWNER_MIMALLOC] = { "mimalloc", "mimalloc", "mimalloc" },
	[PM_OWNER_STACK] = { "stack", "stacks of threads", "stack" },
	[PM_OWNER_FILE] = { "file", "programs, libraries and files", "file" },
	[PM_OWNER_SHARED] = { "shm", "shared memory", "shm" },
	[PM_OWNER_KERNEL] = { "kernel", "kernel and devices", "kernel" },
	[PM_OWNER_CODE] = { "jit", "generated code", "jit" },
	[PM_OWNER_JAVA_HEAP] = { "java/heap", "Java heap", "java" },
	[PM_OWNER_JAVA_METASPACE] = { "java/metaspace", "metaspace", "java" },
	[PM_OWNER_JAVA_CLASS_SPACE] = { "java/class_space", "class space", "java" },
	[PM_OWNER_JAVA_CODE] = { "java/code", "code cache", "java" },
	[PM_OWNER_JAVA_ARCHIVE] = { "java/cds", "class data archive (CDS)", "java" },
	[PM_OWNER_JAVA_GC] = { "java/gc", "data of the garbage collector", "java" },
	[PM_OWNER_JAVA_COUNTERS] = { "java/counters", "performance counters", "java" },
	[PM_OWNER_JAVA_INTERNAL] = { "java/internal", "other memory of the JVM", "java" },
	[PM_OWNER_PYTHON_OBJECTS] = { "python/objects", "Python objects (pymalloc)", "python" },
	[PM_OWNER_PYTHON_INTERNAL] = { "python/internal", "other memory of CPython", "python" },
	[PM_OWNER_V8_HEAP] = { "v8/heap", "JavaScript heap (V8)", "v8" },
	[PM_OWNER_V8_CODE] = { "v8/code", "code of V8", "v8" },
	[PM_OWNER_V8_INTERNAL] = { "v8/internal", "other memory of V8", "v8" },
	[PM_OWNER_CHROMIUM_PARTITION] = { "chromium/partition_alloc",
	                                  "PartitionAlloc (Chromium's malloc)", "chromium" },
	[PM_OWNER_CHROMIUM_OILPAN] = { "chromium/oilpan", "Oilpan (objects of Blink)", "chromium" },
	[PM_OWNER_GO_HEAP] = { "go/heap", "Go heap", "go" },
	[PM_OWNER_GO_STACKS] = { "go/stacks", "goroutine stacks", "go" },
	[PM_OWNER_GO_INTERNAL] = { "go/internal", "data of the Go runtime", "go" },
	[PM_OWNER_DOTNET_HEAP] = { "dotnet/heap", ".NET heap", "dotnet" },
	[PM_OWNER_DOTNET_INTERNAL] = { "dotnet/internal", "other memory of CoreCLR", "dotnet" },
	[PM_OWNER_RUBY_HEAP] = { "ruby/heap", "Ruby heap", "ruby" },
};

static const struct owner_text *text_of(enum pm_owner owner)
{
	bool valid = (unsigned)owner < PM_OWNER_COUNT;
	return &texts[valid ? owner : PM_OWNER_UNKNOWN];
}

const char *pm_owner_name(enum pm_owner owner)
{
	return text_of(owner)->name;
}

const char *pm_owner_title(enum pm_owner owner)
{
	return text_of(owner)->title;
}

const char *pm_owner_family(enum pm_owner owner)
{
	return text_of(owner)->family;
}

bool pm_owner_parse(const char *name, enum pm_owner *owner)
{
	for (unsigned i = 0; i < PM_OWNER_COUNT; i++) {
		if (strcmp(texts[i].name, name) != 0)
			continue;
		*owner = (enum pm_owner)i;
		return true;
	}

	return false;
}
