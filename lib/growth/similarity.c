/* SPDX-License-Identifier: MIT */
#include "growth/similarity.h"

/* FNV-1a, 64 bits: spreads short texts well, and needs no table. */
static const uint64_t basis = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);

static uint64_t mix(uint64_t key, uint64_t value)
{
	for (int i = 0; i < 8; i++, value >>= 8)
		key = (key ^ (value & 0xff)) * prime;
	return key;
}

/**
 * Mixes in a name without its numbers: `worker-1` and `worker-12`, `/tmp/part.000017` and
 * `/tmp/part.000018` are of one sort.
 */
static uint64_t mix_name(uint64_t key, const char *name)
{
	for (const char *at = name; *at; at++)
		if (*at < '0' || *at > '9')
			key = (key ^ (unsigned char)*at) * prime;
	return mix(key, 0);
}

/** Lengths within a factor of four count as similar. */
static uint64_t length_class(uint64_t size)
{
	uint64_t class = 0;
	for (; size > 0; size >>= 2)
		class ++;
	return class;
}

uint64_t pm_similarity_sort(const struct pm_region *region)
{
	uint64_t key = mix(basis, region->kind);
	key = mix(key, region->perms);
	/* How many blocks of malloc's lie in one region is chance: it depends on the holes of the
	 * address space. */
	uint64_t chunk = pm_region_chunk_max(region);
	return mix(key, length_class(chunk ? chunk : pm_region_size(region)));
}

/** Mixes in the names of the threads that have their stack in a region. */
static uint64_t mix_threads(uint64_t key, const struct pm_detail *detail)
{
	key = mix(key, detail->type);
	if (detail->type == PM_DETAIL_TEXT)
		return mix_name(key, detail->text);
	if (detail->type != PM_DETAIL_THREADS)
		return key;

	key = mix(key, detail->count > 1);
	for (uint32_t i = 0; i < detail->listed; i++)
		key = mix_name(key, detail->threads[i].name);

	return key;
}

uint64_t pm_similarity_key(const struct pm_region *region)
{
	uint64_t key = mix_name(pm_similarity_sort(region), region->mapping);
	return region->kind == PM_KIND_STACK ? mix_threads(key, &region->detail) : key;
}
