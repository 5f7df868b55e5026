/* SPDX-License-Identifier: MIT */
/*
 * Runtimes that are recognised by the names of their libraries and programs. Of Ruby, the heap
 * pages are known; of .NET, the heap is inferred; of the others, only the name.
 */
#include "runtimes/readers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtimes/dotnet.h"
#include "runtimes/ruby.h"

/** Where the version of a runtime is. */
enum version_place {
	VERSION_NONE,
	VERSION_NAME,   /* "libruby-3.1.so.3.1.2" or "ruby3.1" */
	VERSION_FOLDER, /* ".../8.0.1/libcoreclr.so" */
};

/** A runtime. */
struct other {
	const char *family;
	const char *library; /**< start of the name of its library */
	const char *program; /**< start of the name of its program; NULL if there is none */
	enum version_place version;
	const char *missing; /**< why its memory is not known */
};

enum { DOTNET, RUBY };

static const struct other others[] = {
	[DOTNET] = { "dotnet", "libcoreclr.so", NULL, VERSION_FOLDER,
	             "its structures are not read: the heap is inferred from its address range" },
	[RUBY] = { "ruby", "libruby", "ruby", VERSION_NAME,
	           "memory outside of heap pages is malloc's" },
	{ "mono", "libmonosgen-", "mono", VERSION_NONE, "its structures are not read" },
	{ "luajit", "libluajit-", "luajit", VERSION_NAME,
	  "its structures are not read; its own allocator maps memory" },
};

/** Returns the last part of the name of a mapped file. */
static const char *name_of(const struct pm_region *region)
{
	const char *slash = strrchr(region->mapping, '/');
	return slash ? slash + 1 : region->mapping;
}

/** Finds a runtime: its library, or its program. Returns a region that maps it, or NULL. */
static const struct pm_region *find(struct pm_runtimes_context *context, const struct other *other,
                                    const struct pm_region *program)
{
	const struct pm_region *region = pm_runtime_find_file(context, other->library);

	if (!region && other->program && program &&
	    strncmp(name_of(program), other->program, strlen(other->program)) == 0)
		return program;
	return region;
}

/** Copies the version of a runtime, from the path of the file; "" if it is not there. */
static void copy_version(char *version, const struct other *other, const struct pm_region *region)
{
	const char *name = name_of(region), *start = "", *library = strstr(name, ".so.");
	size_t length = 0;

	if (other->version == VERSION_NAME && library)
		start = library + strlen(".so.");
	else if (other->version == VERSION_NAME && other->program &&
	         strncmp(name, other->program, strlen(other->program)) == 0)
		start = name + strlen(other->program);
	else if (other->version == VERSION_FOLDER && name - region->mapping > 1)
		for (start = name - 1; start > region->mapping && start[-1] != '/'; start--)
			;

	while (length < PM_RUNTIME_TEXT_SIZE - 1 &&
	       (isdigit((unsigned char)start[length]) || start[length] == '.'))
		length++;
	memcpy(version, start, length);
	version[length] = '\0';
}

static int add(struct pm_runtimes_context *context, const struct other *other,
               const struct pm_region *region, struct pm_error *error)
{
	struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_UNKNOWN, error);
	if (!info)
		return -1;

	const char *missing = other->missing;
	info->family = other->family;
	copy_version(info->version, other, region);
	snprintf(info->proof, sizeof info->proof, "%.140s is mapped", region->mapping);
	if (other == &others[RUBY] && pm_runtime_ruby_read(context) == 0)
		missing = "no heap pages of Ruby 3.1 or later were found";
	else if (other == &others[RUBY] && !pm_runtime_ends(context))
		info->complete = true;
	if (other == &others[DOTNET] && !pm_runtime_dotnet_guess(context))
		missing = "its structures are not read, and no range is large enough for its heap";
	if (!info->complete)
		snprintf(info->missing, sizeof info->missing, "%s", missing);
	return 0;
}

int pm_runtime_read_others(struct pm_runtimes_context *context, struct pm_error *error)
{
	const struct pm_region *program = pm_runtime_find_program(context);

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		const struct pm_region *region = find(context, &others[i], program);
		if (region && add(context, &others[i], region, error) < 0)
			return -1;
	}

	return 0;
}
