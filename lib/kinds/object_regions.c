/* SPDX-License-Identifier: MIT */
/*
 * Programs and libraries: files with an executable mapping. The kind of a region (code, read-only
 * data, data, data that was made read-only after relocation) is determined by the segment of the
 * ELF file or, if the segments are not known, by the permissions and neighbours of the region. A
 * file without an executable mapping is not claimed, even if it is an ELF file.
 */
#include <elf.h>
#include <string.h>

#include "kinds/context.h"
#include "kinds/jit.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

static bool begins(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

/**
 * Returns whether to leave a region to the rule for generated code. Such a region maps memory
 * without a persistent file, which may contain generated code, or a file in which a JIT compiler
 * describes its code.
 */
static bool is_left_to_jit(const struct pm_region *region, const struct pm_object *object)
{
	if (object->format == PM_FORMAT_ELF)
		return false;
	if (begins(region->mapping, "/memfd:") || begins(region->mapping, "/dev/") ||
	    begins(region->mapping, "/SYSV"))
		return true;

	/*
	 * A library that was replaced is also shown as deleted. If its format is not known, as in
	 * saved lists, only a shared mapping is left to the other rule, because the loader never
	 * maps a library as shared.
	 */
	if (region->deleted)
		return object->format == PM_FORMAT_OTHER || (region->perms & PM_PERM_SHARED);

	return pm_jit_is_record(region->mapping);
}

/**
 * Claims a region by the segment of the ELF file that contains its address.
 * @return false if the layout of the file is not known, or no segment contains the address
 */
static bool claim_by_segment(const struct pm_kinds_context *context, const struct pm_object *object,
                             struct pm_region *region)
{
	uint64_t bias;
	if (!object->has_copy || !pm_elf_bias(&object->layout, object->copy_start, &bias) ||
	    region->start < bias)
		return false;

	uint64_t address = region->start - bias;
	const struct pm_elf_segment *segment = pm_elf_segment_at(&object->layout, address,
	                                                         context->page);
	if (!segment)
		return false;

	/*
	 * If the permissions are not known, the kind is only inferred, from the segment that is
	 * usually mapped at this address.
	 */
	enum pm_proof proof = PM_PROOF_PROVEN;
	if (pm_kinds_may(region, PM_PERM_EXEC) && !(region->perms & PM_PERM_EXEC))
		proof = PM_PROOF_INFERRED;

	if (segment->flags & PF_X) {
		pm_kinds_claim(region, PM_KIND_CODE, proof,
		               "an executable segment of the ELF file");
	} else if (segment->flags & PF_W) {
		bool relro = !pm_kinds_may(region, PM_PERM_WRITE) &&
		             address < object->layout.relro_end &&
		             region->end - bias > object->layout.relro_start;
		pm_kinds_claim(region, PM_KIND_DATA, proof, "a writable segment of the ELF file");
		if (relro) {
			region->detail.type = PM_DETAIL_RELRO;
			region->why = "data that the ELF file makes read-only after relocation "
				      "(PT_GNU_RELRO)";
		}
	} else {
		pm_kinds_claim(region, PM_KIND_RODATA, proof,
		               "a read-only segment of the ELF file");
	}

	return true;
}

static bool maps_same_file(const struct pm_region *one, const struct pm_region *other)
{
	return other && pm_objects_same_file(one, other);
}

/**
 * Returns whether a read-only region was writable before. The kernel has charged such a region as
 * private memory (VmFlags ac). If VmFlags are not known, the regions directly above and below must
 * map the same file, the region above must be writable, and the region below must not be
 * executable.
 */
static bool was_writable(const struct pm_kinds_context *context, const struct pm_region *region)
{
	if (region->vm_flags & PM_VM_KNOWN)
		return (region->vm_flags & PM_VM_ACCOUNT) != 0;
	const struct pm_region *above = pm_kinds_above(context, region),
			       *below = pm_kinds_below(context, region);
	return maps_same_file(region, above) && (above->perms & PM_PERM_WRITE) &&
	       maps_same_file(region, below) && !(below->perms & PM_PERM_EXEC);
}

static void claim_by_permissions(const struct pm_kinds_context *context, struct pm_region *region)
{
	if (region->perms & PM_PERM_EXEC) {
		pm_kinds_claim(region, PM_KIND_CODE, PM_PROOF_INFERRED,
		               "an executable mapping of a file");
	} else if (pm_kinds_may(region, PM_PERM_EXEC)) {
		pm_kinds_claim(
			region, PM_KIND_FILE, PM_PROOF_INFERRED,
			"a mapping of a program or library; the core file contains neither its "
			"permissions nor a matching ELF header");
	} else if (region->perms & PM_PERM_WRITE) {
		pm_kinds_claim(region, PM_KIND_DATA, PM_PROOF_INFERRED,
		               "a writable mapping of a file that is also mapped executable");

	} else if (was_writable(context, region)) {
		pm_kinds_claim(region, PM_KIND_DATA, PM_PROOF_INFERRED,
		               "a read-only mapping of a file that is also mapped executable; it "
		               "was writable before, like relocated data");
		region->detail.type = PM_DETAIL_RELRO;
	} else {
		pm_kinds_claim(region, PM_KIND_RODATA, PM_PROOF_INFERRED,
		               "a read-only mapping of a file that is also mapped executable");
	}
}

int pm_rule_objects(struct pm_kinds_context *context, struct pm_error *error)
{
	if (pm_objects_read(context, error) < 0)
		return -1;

	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		struct pm_object *object = pm_objects_find(context->objects, region);
		if (!object || !object->executable || is_left_to_jit(region, object))
			continue;

		pm_object_follow(context, object, region);
		if (!pm_kinds_may(region, PM_PERM_READ) && !pm_kinds_may(region, PM_PERM_WRITE) &&
		    !pm_kinds_may(region, PM_PERM_EXEC))
			pm_kinds_claim(
				region, PM_KIND_RESERVE, PM_PROOF_PROVEN,
				"no access: a gap between the segments of a program or library");
		else if (region->perms & PM_PERM_SHARED && !(region->perms & PM_PERM_EXEC))
			continue; /* The loader never creates shared mappings, so the program has
			             mapped the file as data. */
		else if (!claim_by_segment(context, object, region))
			claim_by_permissions(context, region);
	}

	return 0;
}
