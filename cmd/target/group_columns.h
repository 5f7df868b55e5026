/* SPDX-License-Identifier: MIT */
/** @file A group of regions, and the columns of lists of groups. For group.c. */
#ifndef CMD_TARGET_GROUP_COLUMNS_H
#define CMD_TARGET_GROUP_COLUMNS_H

#include "target/group.h"
#include "target/owner_parts.h"
#include "target/similar_name.h"

/** The columns that are summed for a group. */
enum group_sum {
	GROUP_SUM_SIZE,
	GROUP_SUM_RSS,
	GROUP_SUM_PSS,
	GROUP_SUM_DIRTY,
	GROUP_SUM_SWAP,
	GROUP_SUM_REFERENCED,
	GROUP_SUM_COUNT
};

/** A group. */
struct group {
	struct group *next; /**< the next group */
	char *key;          /**< the value that all regions of the group share; owned */
	char *name;         /**< the name of the group in the table; owned */
	bool rest;      /**< its regions lack the value that groups share; `key` is a placeholder */
	uint64_t arena; /**< address of the arena of its first region, 0 if there is none */
	pid_t thread;   /**< thread of its first region, 0 if there is none */
	uint64_t regions; /**< number of regions */
	uint64_t largest; /**< length of the longest region of the group, in bytes */
	uint64_t kinds;   /**< kinds of its regions, as a set of bits */
	uint64_t files;   /**< number of different file names, if `name` is their pattern; or 0 */
	struct similar_name names; /**< the names of the groups that were united to this group */
	uint64_t sums[GROUP_SUM_COUNT];         /**< sums in bytes, by enum group_sum */
	bool known[GROUP_SUM_COUNT];            /**< which sums are known */
	const struct pm_heap_arena *inside;     /**< what is inside the arena; NULL if not known */
	uint32_t index;                         /**< index of the arena, if `inside` is known */
	const struct pm_arena_threads *threads; /**< the threads of all arenas */
	bool by_owner;       /**< the regions of the group have the same owner: `owner` */
	enum pm_owner owner; /**< that owner */
	uint64_t inferred;   /**< bytes of which the owner is inferred */
	uint64_t share;      /**< share of RSS in tenths of a percent */
	/** What the memory of the owner consists of; NULL if not known. */
	const struct owner_parts *parts;
};

/** Number of columns. The last GROUP_ARENA_COLUMNS of them exist only for GROUP_BY_ARENA. */
enum { GROUP_COLUMNS = 14, GROUP_ARENA_COLUMNS = 3 };

/** Number of columns that only groups of GROUP_BY_OWNER have. */
enum { GROUP_OWNER_COLUMNS = 3 };

/** These columns. */
extern const struct list_column group_owner_columns[GROUP_OWNER_COLUMNS];

/**
 * A column that is added by group_know_referenced(): resident bytes that are not marked as
 * accessed.
 */
extern const struct list_column group_cold_column;

/** The columns. The first one has no name, title, index and needs. */
extern const struct list_column group_columns[GROUP_COLUMNS];

#endif
