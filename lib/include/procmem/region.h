/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Regions. A region is one mapping (VMA) of a process, with its sizes and its kind.
 *
 * Addresses are `uint64_t` instead of pointers, because an address belongs to the address space of
 * another process, whose address width may differ. Ranges are always half-open, `[start, end)`. All
 * sizes are in bytes.
 */
#ifndef PROCMEM_REGION_H
#define PROCMEM_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/detail.h>
#include <procmem/error.h>
#include <procmem/owner.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Permissions of a region, as in proc_pid_maps(5). */
enum pm_perm {
	PM_PERM_READ = 1,   /**< r */
	PM_PERM_WRITE = 2,  /**< w */
	PM_PERM_EXEC = 4,   /**< x */
	PM_PERM_SHARED = 8, /**< s: shared; if not set, the mapping is private (p, copy on write) */
};

/**
 * Bit that marks a permission as unknown. Core files do not contain all permissions. If this bit is
 * set, the bit of the permission itself is 0. In text, an unknown permission is `?`.
 */
#define PM_PERM_MAYBE(perm) ((unsigned)(perm) << 4)

/** All permissions are unknown. */
#define PM_PERM_UNKNOWN PM_PERM_MAYBE(PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC | PM_PERM_SHARED)

/** The kind of a region: its purpose. pm_kind_name() returns the names. */
enum pm_kind {
	PM_KIND_UNKNOWN = 0, /**< not classified yet */
	PM_KIND_HEAP,        /**< the brk heap */
	PM_KIND_ARENA,       /**< a heap of a malloc arena of glibc */
	PM_KIND_MALLOC,      /**< a block that malloc mapped individually */
	PM_KIND_STACK,       /**< stack of a thread */
	PM_KIND_GUARD,       /**< inaccessible pages that detect overruns */
	PM_KIND_RESERVE,     /**< inaccessible address space, reserved for later use */
	PM_KIND_JIT,         /**< code generated at run time */
	PM_KIND_ANON,        /**< anonymous memory of no other kind */
	PM_KIND_SHM,         /**< shared memory without a file on a disk */
	PM_KIND_HUGE,        /**< huge pages of hugetlbfs */
	PM_KIND_CODE,        /**< machine code of a program or library */
	PM_KIND_RODATA,      /**< read-only data of a program or library */
	PM_KIND_DATA,   /**< writable data of a program or library, also data made read-only after
	                   relocation */
	PM_KIND_BSS,    /**< zero-initialised data of a program or library */
	PM_KIND_FILE,   /**< a mapped file of no other kind */
	PM_KIND_DEVICE, /**< a mapped device, or another object of the kernel, such as a ring
	                   buffer of perf_event_open(2) */
	PM_KIND_KERNEL, /**< mapped by the kernel itself, such as [vdso], [vvar] and [vsyscall] */
	PM_KIND_COUNT,  /**< number of kinds */
};

/** How certain the kind is. */
enum pm_proof {
	PM_PROOF_NONE = 0, /**< not classified */
	PM_PROOF_INFERRED, /**< concluded from names, flags and adjacent regions */
	PM_PROOF_PROVEN,   /**< reported by the kernel, or found in the memory of the target */
};

/**
 * The sizes of a region. Each value is an index into pm_region.bytes. The sizes come from
 * proc_pid_smaps(5); the sizes RSS and SWAP can also come from pagemap.
 */
enum pm_size {
	PM_SIZE_RSS, /**< Rss: resident pages */
	PM_SIZE_PSS, /**< Pss: resident size; a page with N mappings counts as 1/N of a page */
	PM_SIZE_PSS_DIRTY,       /**< Pss_Dirty (Linux 6.0) */
	PM_SIZE_SHARED_CLEAN,    /**< Shared_Clean */
	PM_SIZE_SHARED_DIRTY,    /**< Shared_Dirty */
	PM_SIZE_PRIVATE_CLEAN,   /**< Private_Clean */
	PM_SIZE_PRIVATE_DIRTY,   /**< Private_Dirty */
	PM_SIZE_REFERENCED,      /**< Referenced: marked as accessed */
	PM_SIZE_ANONYMOUS,       /**< Anonymous: pages without a file */
	PM_SIZE_KSM,             /**< KSM (Linux 6.4): pages merged by KSM */
	PM_SIZE_LAZYFREE,        /**< LazyFree: freed by MADV_FREE, not reclaimed yet */
	PM_SIZE_ANON_HUGE,       /**< AnonHugePages: transparent huge pages */
	PM_SIZE_SHMEM_PMD,       /**< ShmemPmdMapped */
	PM_SIZE_FILE_PMD,        /**< FilePmdMapped */
	PM_SIZE_SHARED_HUGETLB,  /**< Shared_Hugetlb: not contained in Rss */
	PM_SIZE_PRIVATE_HUGETLB, /**< Private_Hugetlb: not contained in Rss */
	PM_SIZE_SWAP,            /**< Swap: swapped-out pages */
	PM_SIZE_SWAP_PSS,        /**< SwapPss */
	PM_SIZE_LOCKED,          /**< Locked: pages locked in memory by mlock(2) */
	PM_SIZE_KERNEL_PAGE,     /**< KernelPageSize: page size used by the kernel, not an amount of
	                            memory */
	PM_SIZE_MMU_PAGE,        /**< MMUPageSize: page size of the MMU, not an amount of memory */
	PM_SIZE_COUNT,           /**< number of sizes */
};

/** Bit of a size in pm_region.known. */
#define PM_SIZE_BIT(size) (1u << (unsigned)(size))

/**
 * VmFlags that the library uses (proc_pid_smaps(5), Documentation/filesystems/proc.rst). Each value
 * is a bit of pm_region.vm_flags.
 */
enum pm_vm_flag {
	PM_VM_READ = 1u << 0,        /**< rd: readable */
	PM_VM_GROWSDOWN = 1u << 1,   /**< gd: a stack that grows downwards */
	PM_VM_PFNMAP = 1u << 2,      /**< pf: pages without struct page, must not be read */
	PM_VM_IO = 1u << 3,          /**< io: memory of a device, must not be read */
	PM_VM_LOCKED = 1u << 4,      /**< lo: locked in memory */
	PM_VM_DONTFORK = 1u << 5,    /**< dc: not inherited by children */
	PM_VM_ACCOUNT = 1u << 6,     /**< ac: counts towards the committed memory */
	PM_VM_NORESERVE = 1u << 7,   /**< nr: no swap space reserved */
	PM_VM_HUGETLB = 1u << 8,     /**< ht: huge pages of hugetlbfs */
	PM_VM_WIPEONFORK = 1u << 9,  /**< wf: wiped in children */
	PM_VM_DONTDUMP = 1u << 10,   /**< dd: not part of core dumps */
	PM_VM_SOFTDIRTY = 1u << 11,  /**< sd: soft-dirty */
	PM_VM_MIXEDMAP = 1u << 12,   /**< mm: mixed map area */
	PM_VM_HUGEPAGE = 1u << 13,   /**< hg: MADV_HUGEPAGE */
	PM_VM_NOHUGEPAGE = 1u << 14, /**< nh: MADV_NOHUGEPAGE; MAP_STACK sets it since Linux 6.7 */
	PM_VM_MERGEABLE = 1u << 15,  /**< mg: KSM may merge its pages */
	PM_VM_UFFD_MISSING = 1u << 16, /**< um: userfaultfd, missing pages */
	PM_VM_UFFD_WP = 1u << 17,      /**< uw: userfaultfd, write protection */
	PM_VM_UFFD_MINOR = 1u << 18,   /**< ui: userfaultfd, minor faults */
	PM_VM_SHADOW_STACK = 1u << 19, /**< ss: shadow stack */
	PM_VM_SEALED = 1u << 20,       /**< sl: sealed by mseal(2) */
	PM_VM_DROPPABLE = 1u << 21,    /**< dp: MAP_DROPPABLE */
	PM_VM_SHARED = 1u << 22,       /**< sh: shared */
	PM_VM_KNOWN = 1 << 30,         /**< smaps had a VmFlags line for this region */
};

/** A region. Its texts are owned by the list that contains the region. */
struct pm_region {
	uint64_t start;  /**< first address */
	uint64_t end;    /**< address after the last byte */
	uint64_t offset; /**< offset in the mapped file, in bytes */
	uint64_t inode;  /**< inode of the mapped file; 0 if no file is mapped */
	/** Major number of the device that holds the mapped file */
	uint32_t device_major;
	uint32_t device_minor; /**< minor number of that device */
	uint32_t vm_flags;     /**< enum pm_vm_flag bits; 0 if smaps was not read */
	uint32_t known;        /**< PM_SIZE_BIT() of each known size */
	uint8_t perms; /**< enum pm_perm bits, and PM_PERM_MAYBE() of each unknown permission */
	uint8_t kind;  /**< enum pm_kind */
	uint8_t proof; /**< enum pm_proof */
	/**
	 * Whether the mapped file was deleted or replaced. If so, /proc/PID/maps shows " (deleted)"
	 * after the name.
	 */
	bool deleted;
	/**
	 * enum pm_owner: who manages the memory of the region. If there are several owners, the one
	 * with the largest part of the addresses
	 */
	uint8_t owner;
	uint8_t owner_proof; /**< enum pm_proof of the owner; PM_PROOF_NONE if it is not known */
	bool owner_mixed;    /**< the region has parts of several owners (runtimes.h) */
	pid_t thread;   /**< TID of the thread that has its stack in the region; 0 if not known */
	uint64_t arena; /**< address of the malloc arena to which the region belongs; 0 if none */
	/**
	 * Name as in maps, but with newlines instead of `\012`, and without " (deleted)"; "" if the
	 * region has no name
	 */
	const char *mapping;
	struct pm_detail detail; /**< what is known about the region besides the kind */
	const char *why;         /**< human-readable reason for the kind; "" if not classified */
	/** The sizes in bytes, indexed by enum pm_size. A size that is not in `known` is 0. */
	uint64_t bytes[PM_SIZE_COUNT];
};

/**
 * The texts and details that belong to a list of regions; opaque. Several threads may read them
 * while no thread changes the list.
 */
struct pm_texts;

/**
 * The regions of a process at one moment, by ascending address, without overlaps. Initialise with
 * pm_regions_init(). Several threads may read a list while no thread changes it.
 */
struct pm_regions {
	struct pm_region *items; /**< the regions; a pointer to a region is valid until the list is
	                            changed */
	size_t count;            /**< number of regions */
	size_t capacity;         /**< private */
	struct pm_texts *texts;  /**< private: owns the texts and details of all regions */
};

/** A range of addresses within one region, or a range where nothing is mapped. */
struct pm_region_range {
	struct pm_range range; /**< the addresses */
	/** Index of the region that contains the range; SIZE_MAX if nothing is mapped there */
	size_t region;
};

/**
 * Initialises an empty list.
 * @param regions  the list
 */
PM_PUBLIC void pm_regions_init(struct pm_regions *regions);

/**
 * Releases the memory of a list; the list is empty afterwards.
 * @param regions  the list
 */
PM_PUBLIC void pm_regions_deinit(struct pm_regions *regions);

/**
 * Removes all regions from a list. Most of the memory of the list is kept for further regions.
 * @param regions  the list
 */
PM_PUBLIC void pm_regions_clear(struct pm_regions *regions);

/**
 * Appends a copy of a region, with copies of its texts and its detail.
 *
 * @param regions  the list
 * @param region   the region; a text that is NULL counts as ""
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_regions_append(struct pm_regions *regions, const struct pm_region *region,
                                struct pm_error *error);

/**
 * Copies a text into a list.
 *
 * @param regions  the list
 * @param text     the text; need not end in NUL
 * @param length   length of the text in bytes
 * @return         the copy, NUL-terminated, valid until the list is cleared or released; NULL if
 *                 out of memory
 */
PM_PUBLIC const char *pm_regions_text(struct pm_regions *regions, const char *text, size_t length);

/**
 * Copies a detail. The lists and texts of the copy are stored in `regions`. They are valid until
 * `regions` is cleared or released.
 *
 * @param regions  the list of regions that owns the lists and texts of the copy
 * @param from     the detail
 * @param to       receives the copy; may be the detail of a region of `regions`
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_regions_copy_detail(struct pm_regions *regions, const struct pm_detail *from,
                                     struct pm_detail *to, struct pm_error *error);

/**
 * Finds the region that contains an address.
 *
 * @param regions  the list
 * @param address  the address
 * @return         the region; NULL if nothing is mapped there
 */
PM_PUBLIC struct pm_region *pm_regions_find(const struct pm_regions *regions, uint64_t address);

/**
 * Finds the first region that ends after an address. This is the region that contains the address
 * or, if there is none, the next region at higher addresses.
 *
 * @param regions  the list
 * @param address  the address
 * @return         index of the region; `regions->count` if no region ends after the address
 */
PM_PUBLIC size_t pm_regions_index(const struct pm_regions *regions, uint64_t address);

/**
 * Returns the addresses of a region.
 * @param region  the region
 * @return        the start and the end of the region
 */
static inline struct pm_range pm_region_bounds(const struct pm_region *region)
{
	const struct pm_range bounds = { region->start, region->end };
	return bounds;
}

/**
 * Returns the size of a region.
 * @param region  the region
 * @return        bytes
 */
static inline uint64_t pm_region_size(const struct pm_region *region)
{
	return region->end - region->start;
}

/**
 * Tests whether a size of a region is known.
 * @param region  the region
 * @param size    the size
 * @return        true if it is known; if false, pm_region.bytes has 0 for this size
 */
static inline bool pm_region_knows(const struct pm_region *region, enum pm_size size)
{
	return (region->known & PM_SIZE_BIT(size)) != 0;
}

/**
 * Returns the size of the largest chunk that malloc mapped in a region.
 *
 * @param region  the region
 * @return        bytes; 0 if no chunk is known in the region
 */
static inline uint64_t pm_region_chunk_max(const struct pm_region *region)
{
	return region->detail.type == PM_DETAIL_CHUNKS ? region->detail.chunks.largest : 0;
}

/**
 * Tests whether a region is anonymous: it has no name, or a name that was set by prctl(2).
 * @param region  the region
 * @return        true or false
 */
PM_PUBLIC bool pm_region_is_anonymous(const struct pm_region *region);

/**
 * Returns the dirty bytes of a region: Private_Dirty + Shared_Dirty. A size that is not known
 * counts as 0.
 *
 * @param region  the region
 * @return        bytes
 */
static inline uint64_t pm_region_dirty(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_PRIVATE_DIRTY] + region->bytes[PM_SIZE_SHARED_DIRTY];
}

/**
 * Tests whether a region continues the previous region. The regions must be adjacent, and either
 * both shared or both private. If they map a file, they must map consecutive parts of the same
 * file; otherwise, they must have the same name. Allocators and mprotect(2) split mappings, so data
 * can extend across the border between two such regions.
 *
 * @param before  the region with the lower addresses
 * @param region  the region with the higher addresses
 * @return        true or false
 */
PM_PUBLIC bool pm_region_continues(const struct pm_region *before, const struct pm_region *region);

/** Size of the buffer for pm_format_perms(). */
#define PM_PERMS_TEXT_SIZE 5

/**
 * Formats permissions as in maps, such as `rw-p`, with `?` for unknown permissions.
 * @param perms  enum pm_perm bits, and PM_PERM_MAYBE() of each unknown permission
 * @param text   buffer of at least PM_PERMS_TEXT_SIZE bytes; receives the text
 */
PM_PUBLIC void pm_format_perms(unsigned perms, char *text);

/**
 * Returns the name of a kind, as in listings.
 * @param kind  the kind
 * @return      a constant text; "" for PM_KIND_UNKNOWN and for invalid values
 */
PM_PUBLIC const char *pm_kind_name(enum pm_kind kind);

/**
 * Parses the name of a kind.
 *
 * @param name   the name, as returned by pm_kind_name()
 * @param kind   receives the kind
 * @param error  PM_ERROR_USAGE; the text lists all names
 * @return       0 or -1
 */
PM_PUBLIC int pm_kind_parse(const char *name, enum pm_kind *kind, struct pm_error *error);

/**
 * Returns the name of a proof: "proven" or "inferred".
 * @param proof  the proof
 * @return       a constant text; "" for PM_PROOF_NONE
 */
PM_PUBLIC const char *pm_proof_name(enum pm_proof proof);

/**
 * Returns the name of a size in JSON and in column lists, such as "private_dirty".
 * @param size  the size
 * @return      a constant text; "" for invalid values
 */
PM_PUBLIC const char *pm_size_name(enum pm_size size);

#ifdef __cplusplus
}
#endif

#endif
