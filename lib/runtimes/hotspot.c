/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory of HotSpot, the JVM of OpenJDK, by the description that libjvm.so exports of its
 * own data structures.
 */
#include "runtimes/hotspot.h"

#include <stdio.h>

#include "runtimes/hotspot_limits.h"
#include "runtimes/readers.h"

static int add_info(struct pm_hotspot *jvm, struct pm_error *error)
{
	struct pm_runtime_info *info = pm_runtime_add(jvm->context, PM_OWNER_JAVA_HEAP, error);

	if (!info)
		return -1;

	jvm->info = jvm->context->result->count - 1;
	snprintf(info->proof, sizeof info->proof, "libjvm.so is mapped");
	if (!jvm->structs)
		snprintf(info->missing, sizeof info->missing,
		         "the data structures of this JVM are not known");
	return 0;
}

int pm_runtime_read_hotspot(struct pm_runtimes_context *context, struct pm_error *error)
{
	struct pm_hotspot jvm = { .context = context };
	struct pm_vm_variables variables;

	jvm.library = pm_runtime_find_file(context, "libjvm.so");
	if (!jvm.library)
		return 0;

	if (pm_vm_structs_find(context, jvm.library, &variables) &&
	    pm_vm_structs_open(context, &variables, &jvm.structs, error) < 0)
		return -1;

	int result = add_info(&jvm, error);

	if (result == 0 && jvm.structs)
		pm_hotspot_limits_add(&jvm);
	pm_vm_structs_close(jvm.structs);
	return result;
}
