/* SPDX-License-Identifier: MIT */
#include "region/smaps_fields.h"

#include <string.h>

#include "base/number.h"

/* Codes of keys that are not sizes. The code of a size is its value in enum pm_size. */
enum { CODE_UNKNOWN = -1, CODE_VM_FLAGS = -2 };

static const struct key {
	const char *name;
	int size;
} keys[] = {
	{ "Rss", PM_SIZE_RSS },
	{ "Pss", PM_SIZE_PSS },
	{ "Pss_Dirty", PM_SIZE_PSS_DIRTY },
	{ "Shared_Clean", PM_SIZE_SHARED_CLEAN },
	{ "Shared_Dirty", PM_SIZE_SHARED_DIRTY },
	{ "Private_Clean", PM_SIZE_PRIVATE_CLEAN },
	{ "Private_Dirty", PM_SIZE_PRIVATE_DIRTY },
	{ "Referenced", PM_SIZE_REFERENCED },
	{ "Anonymous", PM_SIZE_ANONYMOUS },
	{ "KSM", PM_SIZE_KSM },
	{ "LazyFree", PM_SIZE_LAZYFREE },
	{ "AnonHugePages", PM_SIZE_ANON_HUGE },
	{ "ShmemPmdMapped", PM_SIZE_SHMEM_PMD },
	{ "FilePmdMapped", PM_SIZE_FILE_PMD },
	{ "Shared_Hugetlb", PM_SIZE_SHARED_HUGETLB },
	{ "Private_Hugetlb", PM_SIZE_PRIVATE_HUGETLB },
	{ "Swap", PM_SIZE_SWAP },
	{ "SwapPss", PM_SIZE_SWAP_PSS },
	{ "Locked", PM_SIZE_LOCKED },
	{ "KernelPageSize", PM_SIZE_KERNEL_PAGE },
	{ "MMUPageSize", PM_SIZE_MMU_PAGE },
	{ "VmFlags", CODE_VM_FLAGS },
};

/**
 * Returns the PM_VM_ bit of a flag, which smaps writes as two letters, or 0 if the library does not
 * use the flag. The kernel defines the letters in show_smap_vma_flags() (fs/proc/task_mmu.c).
 */
static uint32_t vm_flag(char first, char second)
{
	static const struct {
		char letters[3];
		uint32_t bit;
	} flags[] = {
		{ "rd", PM_VM_READ },         { "ac", PM_VM_ACCOUNT },
		{ "sd", PM_VM_SOFTDIRTY },    { "nh", PM_VM_NOHUGEPAGE },
		{ "nr", PM_VM_NORESERVE },    { "dd", PM_VM_DONTDUMP },
		{ "sh", PM_VM_SHARED },       { "hg", PM_VM_HUGEPAGE },
		{ "gd", PM_VM_GROWSDOWN },    { "pf", PM_VM_PFNMAP },
		{ "io", PM_VM_IO },           { "lo", PM_VM_LOCKED },
		{ "dc", PM_VM_DONTFORK },     { "ht", PM_VM_HUGETLB },
		{ "wf", PM_VM_WIPEONFORK },   { "mm", PM_VM_MIXEDMAP },
		{ "mg", PM_VM_MERGEABLE },    { "um", PM_VM_UFFD_MISSING },
		{ "uw", PM_VM_UFFD_WP },      { "ui", PM_VM_UFFD_MINOR },
		{ "ss", PM_VM_SHADOW_STACK }, { "sl", PM_VM_SEALED },
		{ "dp", PM_VM_DROPPABLE },
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].letters[0] == first && flags[i].letters[1] == second)
			return flags[i].bit;

	return 0;
}

static uint32_t parse_vm_flags(const char *text)
{
	uint32_t flags = PM_VM_KNOWN;
	for (;;) {
		text += strspn(text, " ");
		if (text[0] == '\0' || text[1] == '\0')
			return flags;
		if (text[2] == ' ' || text[2] == '\0')
			flags |= vm_flag(text[0], text[1]);
		text += strcspn(text, " ");
	}
}

/**
 * Parses the text of VmFlags. If the text is the same as that of the previous region, returns the
 * previous result.
 */
static uint32_t cached_vm_flags(struct pm_smaps_fields *fields, const char *text, size_t length)
{
	if (length >= sizeof fields->flags_text)
		return parse_vm_flags(text);

	if (memcmp(fields->flags_text, text, length + 1) != 0) {
		fields->flags = parse_vm_flags(text);
		memcpy(fields->flags_text, text, length + 1);
	}
	return fields->flags;
}

void pm_smaps_fields_init(struct pm_smaps_fields *fields)
{
	*fields = (struct pm_smaps_fields){ .flags = PM_VM_KNOWN };
}

void pm_smaps_fields_begin(struct pm_smaps_fields *fields)
{
	fields->learning = fields->learnt_count == 0;
	fields->next = 0;
}

bool pm_smaps_fields_complete(const struct pm_smaps_fields *fields)
{
	return fields->learnt_count > 0 && fields->next == fields->learnt_count;
}

/**
 * Returns the length in bytes of the key before the first colon. Returns 0 if the line does not
 * have the form `Key: value`, or if the key is longer than UINT8_MAX bytes.
 */
static size_t key_length(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	if (!colon || colon == line || line[0] < 'A' || line[0] > 'Z')
		return 0;

	size_t key = (size_t)(colon - line);
	if (key > UINT8_MAX)
		return 0;

	return key;
}

/**
 * Finds the code of a key.
 * @param line    text that starts with the key
 * @param length  length of the key in bytes
 * @param name    receives the name of the key; NULL if the library does not use the key
 * @return        the code; CODE_UNKNOWN if the library does not use the key
 */
static int look_up(const char *line, size_t length, const char **name)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strlen(keys[i].name) == length && memcmp(keys[i].name, line, length) == 0) {
			*name = keys[i].name;
			return keys[i].size;
		}
	}

	*name = NULL;
	return CODE_UNKNOWN;
}

/**
 * Finds the code and the length of the key of a line, and stores the key if the current region is
 * the first one.
 * @param key   receives the length of the key in bytes
 * @param code  receives the code of the key
 * @return      false if the line does not have the form `Key: value`
 */
static bool find_key(struct pm_smaps_fields *fields, const char *line, size_t length, size_t *key,
                     int *code)
{
	if (!fields->learning && fields->next < fields->learnt_count) {
		size_t expected = fields->learnt[fields->next].length;
		const char *name = fields->learnt[fields->next].name;
		if (name && length > expected && line[expected] == ':' &&
		    memcmp(line, name, expected) == 0) {
			*key = expected;
			*code = (int)fields->learnt[fields->next].size;
			fields->next++;
			return true;
		}
	}

	*key = key_length(line, length);
	if (*key == 0)
		return false;

	const char *name;
	*code = look_up(line, *key, &name);
	if (fields->learning && fields->learnt_count < PM_SMAPS_KEYS) {
		fields->learnt[fields->learnt_count].name = name;
		fields->learnt[fields->learnt_count].length = (unsigned char)*key;
		fields->learnt[fields->learnt_count].size = (int8_t)*code;
		fields->learnt_count++;
		fields->next++;
	} else if (fields->next < fields->learnt_count) {
		fields->next++;
	}

	return true;
}

bool pm_smaps_fields_parse(struct pm_smaps_fields *fields, const char *line, size_t length,
                           struct pm_region *region)
{
	size_t key;
	int code;
	if (!find_key(fields, line, length, &key, &code))
		return false;
	if (code == CODE_UNKNOWN)
		return true;

	const char *value = line + key + 1;
	if (code == CODE_VM_FLAGS) {
		region->vm_flags = cached_vm_flags(fields, value, length - key - 1);
		return true;
	}

	while (*value == ' ' || *value == '\t')
		value++;

	uint64_t kilobytes;
	if (!pm_scan_decimal(&value, &kilobytes) || value[0] != ' ' || value[1] != 'k' ||
	    value[2] != 'B' || value[3] != '\0' || kilobytes > UINT64_MAX / 1024)
		return false;

	region->bytes[code] = kilobytes * 1024;
	region->known |= PM_SIZE_BIT(code);

	return true;
}
