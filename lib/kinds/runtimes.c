/* SPDX-License-Identifier: MIT */
/*
 * Memory of language runtimes, by their own data structures. The rule claims regions that belong
 * to owners of the same family as a whole. Other rules claim regions with several owners.
 */
#include <procmem/runtimes.h>

#include "kinds/context.h"
#include "kinds/rules.h"

/** Reads the runtimes, unless the evidence has them. Missing rights are not an error. */
static int read_runtimes(struct pm_kinds_context *context, struct pm_error *error)
{
	const struct pm_kinds_evidence *evidence = context->evidence;
	struct pm_page_source pages;
	struct pm_runtimes_source source = {
		.regions = context->regions,
		.reader = evidence->reader,
		.process = evidence->process,
	};

	context->runtimes = evidence->runtimes;
	if (context->runtimes || !evidence->reader || (!evidence->pagemap && !evidence->any_page))
		return 0;

	if (evidence->pagemap && !evidence->any_page) {
		pages = pm_pagemap_source(evidence->pagemap);
		source.pages = &pages;
	}

	struct pm_error why = { 0 };
	if (pm_runtimes_open(&source, &context->own_runtimes, &why) < 0)
		return pm_kinds_fails(&why) ? pm_kinds_pass_on(&why, error) : 0;

	context->runtimes = context->own_runtimes;
	return 0;
}

/** Returns the kind of memory of an owner. */
static enum pm_kind kind_of(const struct pm_region *region, enum pm_owner owner)
{
	if (!(region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)))
		return PM_KIND_RESERVE;
	if (owner == PM_OWNER_JAVA_CODE || owner == PM_OWNER_V8_CODE ||
	    (region->perms & PM_PERM_EXEC))
		return PM_KIND_JIT;
	return PM_KIND_ANON;
}

/** Returns the detail of a region of an owner. Java heaps and their code have details of their own.
 */
static struct pm_detail detail_of(const struct pm_region *region, enum pm_owner owner)
{
	struct pm_detail detail = { .type = PM_DETAIL_OWNER, .owner = owner };

	if (owner == PM_OWNER_JAVA_HEAP)
		detail = (struct pm_detail){ .type = region->kind == PM_KIND_RESERVE
			                                     ? PM_DETAIL_RUNTIME_HEAP_REST
			                                     : PM_DETAIL_RUNTIME_HEAP,
			                     .runtime = PM_RUNTIME_JAVA };
	else if (owner == PM_OWNER_JAVA_CODE && region->perms & PM_PERM_EXEC)
		detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE,
			                     .runtime = PM_RUNTIME_JAVA };
	return detail;
}

/**
 * Returns whether a range that is not proven can claim a region. Only a Go program is known to have
 * no malloc in the memory that its reader labels; data of its runtime can look like malloc's.
 */
static bool may_claim(const struct pm_owner_range *range)
{
	return range->proof == PM_PROOF_PROVEN || range->owner == PM_OWNER_GO_HEAP ||
	       range->owner == PM_OWNER_GO_INTERNAL;
}

/**
 * Claims a region if ranges of one family cover it.
 * @param at  index of the first range that ends after the start of the region
 */
static void claim(struct pm_region *region, const struct pm_runtimes *runtimes, size_t at)
{
	uint64_t reached = region->start, largest = 0;
	const struct pm_owner_range *main = NULL;
	const char *why = "the data structures of the runtime say that it uses this memory";
	uint8_t proof = PM_PROOF_PROVEN;

	for (; at < runtimes->range_count && runtimes->ranges[at].range.start <= reached; at++) {
		const struct pm_owner_range *range = &runtimes->ranges[at];
		uint64_t size = pm_range_size(
			pm_range_clip(range->range, pm_region_bounds(region)));

		if (!may_claim(range) ||
		    (main && pm_owner_family(main->owner) != pm_owner_family(range->owner)))
			return;
		if (size > largest) {
			largest = size;
			main = range;
		}
		proof = (uint8_t)pm_min(proof, range->proof);
		reached = range->range.end;
		if (reached >= region->end)
			break;
	}
	if (!main || reached < region->end)
		return;

	if (proof != PM_PROOF_PROVEN)
		why = "where the Go runtime maps memory, in a program of Go";
	pm_kinds_claim(region, kind_of(region, main->owner), (enum pm_proof)proof, why);
	region->detail = detail_of(region, (enum pm_owner)main->owner);
}

int pm_rule_runtimes(struct pm_kinds_context *context, struct pm_error *error)
{
	static const enum pm_region_class classes[] = {
		PM_REGION_CLASS_WRITABLE,
		PM_REGION_CLASS_EXECUTABLE,
		PM_REGION_CLASS_READABLE,
		PM_REGION_CLASS_CLOSED,
	};
	struct pm_region *region;

	if (read_runtimes(context, error) < 0)
		return -1;
	if (!context->runtimes || context->runtimes->range_count == 0)
		return 0;

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		for (size_t at = 0; (region = pm_kinds_next(context, classes[i], &at));)
			claim(region, context->runtimes,
			      pm_runtimes_range_index(context->runtimes, region->start));
	}

	return 0;
}
