/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A region: one mapping (the kernel's VMA) of a process, with its sizes and what it is for.
 *
 * Addresses are `uint64_t`, never pointers: the target is another address space, and may be of
 * another width. Ranges are always half-open, `[start, end)`. All sizes are in bytes.
 */
#ifndef PROCMEM_REGION_H
#define PROCMEM_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Permissions of a region, as in proc_pid_maps(5). */
enum pm_perm {
	PM_PERM_READ = 1,   /**< r */
	PM_PERM_WRITE = 2,  /**< w */
	PM_PERM_EXEC = 4,   /**< x */
	PM_PERM_SHARED = 8, /**< s; without it p, private (copy on write) */
};

/**
 * Says of a permission, which is not set then, that nothing tells whether it is: core files leave
 * some out. A `?` in texts.
 */
#define PM_PERM_MAYBE(perm) ((unsigned)(perm) << 4)

/** Permissions of which nothing is known. */
#define PM_PERM_UNKNOWN PM_PERM_MAYBE(PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC | PM_PERM_SHARED)

/** What a region is for. The names are those of pm_kind_name(). */
enum pm_kind {
	PM_KIND_UNKNOWN = 0, /**< not classified yet */
	PM_KIND_HEAP,        /**< the brk heap */
	PM_KIND_ARENA,       /**< a heap of one of glibc's malloc arenas */
	PM_KIND_MALLOC,      /**< blocks that malloc mapped one by one */
	PM_KIND_STACK,       /**< stack of a thread */
	PM_KIND_GUARD,       /**< inaccessible pages that catch overruns */
	PM_KIND_RESERVE,     /**< inaccessible address space kept for later */
	PM_KIND_JIT,         /**< code made at run time */
	PM_KIND_ANON,        /**< other anonymous memory */
	PM_KIND_SHM,         /**< shared memory without a file on a disk */
	PM_KIND_HUGE,        /**< huge pages of hugetlbfs */
	PM_KIND_CODE,        /**< machine code of a program or library */
	PM_KIND_RODATA,      /**< its read-only data */
	PM_KIND_DATA,        /**< its writable data, and data made read-only after relocation */
	PM_KIND_BSS,         /**< its zero-initialised data */
	PM_KIND_FILE,        /**< another mapped file */
	PM_KIND_DEVICE,      /**< a device, or memory of one */
	PM_KIND_KERNEL,      /**< made by the kernel: [vdso], [vvar], [vsyscall], ... */
	PM_KIND_COUNT,       /**< number of kinds, for tables */
};

/** How sure the kind is. */
enum pm_proof {
	PM_PROOF_NONE = 0, /**< not classified */
	PM_PROOF_INFERRED, /**< follows from names, flags and neighbours */
	PM_PROOF_PROVEN,   /**< the kernel or the target's own memory says so */
};

/**
 * The sizes that are kept for each region; index of pm_region.bytes. Sources: proc_pid_smaps(5), or
 * pagemap for RSS and SWAP.
 */
enum pm_size {
	PM_SIZE_RSS, /**< Rss: resident pages */
	PM_SIZE_PSS, /**< Pss: resident pages, each divided by the number of processes that map it
	              */
	PM_SIZE_PSS_DIRTY,       /**< Pss_Dirty (Linux 6.0) */
	PM_SIZE_SHARED_CLEAN,    /**< Shared_Clean */
	PM_SIZE_SHARED_DIRTY,    /**< Shared_Dirty */
	PM_SIZE_PRIVATE_CLEAN,   /**< Private_Clean */
	PM_SIZE_PRIVATE_DIRTY,   /**< Private_Dirty */
	PM_SIZE_REFERENCED,      /**< Referenced: marked as accessed */
	PM_SIZE_ANONYMOUS,       /**< Anonymous: pages that belong to no file */
	PM_SIZE_KSM,             /**< KSM (Linux 6.4): pages merged by KSM */
	PM_SIZE_LAZYFREE,        /**< LazyFree: freed by MADV_FREE, not yet taken back */
	PM_SIZE_ANON_HUGE,       /**< AnonHugePages: transparent huge pages */
	PM_SIZE_SHMEM_PMD,       /**< ShmemPmdMapped */
	PM_SIZE_FILE_PMD,        /**< FilePmdMapped */
	PM_SIZE_SHARED_HUGETLB,  /**< Shared_Hugetlb: not contained in Rss */
	PM_SIZE_PRIVATE_HUGETLB, /**< Private_Hugetlb: not contained in Rss */
	PM_SIZE_SWAP,            /**< Swap: swapped-out pages */
	PM_SIZE_SWAP_PSS,        /**< SwapPss */
	PM_SIZE_LOCKED,          /**< Locked: by mlock */
	PM_SIZE_KERNEL_PAGE, /**< KernelPageSize: page size that the kernel uses for it; not a sum
	                      */
	PM_SIZE_MMU_PAGE,    /**< MMUPageSize: page size of the hardware; not a sum */
	PM_SIZE_COUNT,       /**< number of sizes, for tables */
};

/** Bit of a size in pm_region.known. */
#define PM_SIZE_BIT(size) (1u << (unsigned)(size))

/**
 * VmFlags that the library acts on (proc_pid_smaps(5), Documentation/filesystems/proc.rst); bits of
 * pm_region.vm_flags.
 */
enum pm_vm_flag {
	PM_VM_READ = 1u << 0, /**< rd: always set on a readable region; all-zero flags mean "VmFlags
	                         not known" */
	PM_VM_GROWSDOWN = 1u << 1,   /**< gd: a stack that grows by itself */
	PM_VM_PFNMAP = 1u << 2,      /**< pf: pure page frame number range, must not be read */
	PM_VM_IO = 1u << 3,          /**< io: memory of a device, must not be read */
	PM_VM_LOCKED = 1u << 4,      /**< lo: locked in memory */
	PM_VM_DONTFORK = 1u << 5,    /**< dc: not given to children */
	PM_VM_ACCOUNT = 1u << 6,     /**< ac: accounted */
	PM_VM_NORESERVE = 1u << 7,   /**< nr: no swap space reserved */
	PM_VM_HUGETLB = 1u << 8,     /**< ht: huge pages of hugetlbfs */
	PM_VM_WIPEONFORK = 1u << 9,  /**< wf: wiped in children */
	PM_VM_DONTDUMP = 1u << 10,   /**< dd: not part of core dumps */
	PM_VM_SOFTDIRTY = 1u << 11,  /**< sd */
	PM_VM_MIXEDMAP = 1u << 12,   /**< mm: mixed map area */
	PM_VM_HUGEPAGE = 1u << 13,   /**< hg: MADV_HUGEPAGE */
	PM_VM_NOHUGEPAGE = 1u << 14, /**< nh: MADV_NOHUGEPAGE; MAP_STACK sets it since Linux 6.7 */
	PM_VM_MERGEABLE = 1u << 15,  /**< mg: KSM may merge */
	PM_VM_UFFD_MISSING = 1u << 16, /**< um: userfaultfd, missing pages */
	PM_VM_UFFD_WP = 1u << 17,      /**< uw: userfaultfd, write protection */
	PM_VM_UFFD_MINOR = 1u << 18,   /**< ui: userfaultfd, minor faults */
	PM_VM_SHADOW_STACK = 1u << 19, /**< ss: shadow stack */
	PM_VM_SEALED = 1u << 20,       /**< sl: mseal(2) */
	PM_VM_DROPPABLE = 1u << 21,    /**< dp: MAP_DROPPABLE */
	PM_VM_SHARED = 1u << 22,       /**< sh: shared */
	PM_VM_KNOWN = 1 << 30,         /**< a VmFlags line was seen for this region */
};

/** One region. Texts belong to the list the region stands in. */
struct pm_region {
	uint64_t start;        /**< first address */
	uint64_t end;          /**< address behind the last byte */
	uint64_t offset;       /**< offset in the mapped file, in bytes */
	uint64_t inode;        /**< inode of the mapped file, 0 for none */
	uint32_t device_major; /**< major number of the device that holds the file */
	uint32_t device_minor; /**< its minor number */
	uint32_t vm_flags;     /**< enum pm_vm_flag bits; 0 where smaps was not read */
	uint32_t known; /**< which of `bytes` are known: PM_SIZE_BIT() values or-ed together */
	uint8_t perms;  /**< enum pm_perm bits, and PM_PERM_MAYBE() of them */
	uint8_t kind;   /**< enum pm_kind */
	uint8_t proof;  /**< enum pm_proof */
	bool deleted;   /**< the kernel appended " (deleted)" to the name: the file has no such name
	                   any more */
	pid_t thread;   /**< thread whose stack it is, 0 for none */
	uint64_t arena; /**< address of the malloc arena it belongs to, 0 for none */
	uint64_t block; /**< bytes of the largest block of malloc's that is known in it
	                   (PM_KIND_MALLOC), 0 for none; not recorded */
	const char *mapping; /**< name as the kernel has it, `\012` turned back into a newline,
	                        without " (deleted)"; "" for none */
	const char *detail;  /**< more about the kind, for people: "112 malloc chunks of 16.0M"; ""
	                        for none */
	const char *why; /**< the rule that gave the kind, for people; "" where not classified */
	uint64_t bytes[PM_SIZE_COUNT]; /**< sizes in bytes, by enum pm_size; 0 where not known */
};

/** Texts of a list; opaque. Threads share it as they share the list. */
struct pm_texts;

/**
 * The regions of one process at one moment, by ascending address, never overlapping. Initialise
 * with pm_regions_init(). Several threads may read it, while none changes it.
 */
struct pm_regions {
	struct pm_region *items; /**< the regions; pointers into it are valid until the next change
	                            of the list */
	size_t count;            /**< how many there are */
	size_t capacity;         /**< private */
	struct pm_texts *texts;  /**< private: owns mapping, detail and why of all regions */
};

/** A range of addresses within one region, or one where nothing is mapped. */
struct pm_region_range {
	struct pm_range range; /**< the addresses */
	size_t region;         /**< index of the region that contains them; SIZE_MAX if nothing is
	                          mapped there */
};

/**
 * Makes an empty list.
 * @param regions the list
 */
PM_PUBLIC void pm_regions_init(struct pm_regions *regions);

/**
 * Releases what a list holds; it is empty afterwards.
 * @param regions the list
 */
PM_PUBLIC void pm_regions_deinit(struct pm_regions *regions);

/**
 * Empties a list, and keeps most of its memory for the next regions.
 * @param regions the list
 */
PM_PUBLIC void pm_regions_clear(struct pm_regions *regions);

/**
 * Appends a copy of a region; its texts are copied into the list (the same text as the last one's
 * is shared).
 *
 * @param regions  the list
 * @param region   the region; texts may be NULL for ""
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_regions_append(struct pm_regions *regions, const struct pm_region *region,
                                struct pm_error *error);

/**
 * Copies a text into the list, where it lives as long as the list.
 *
 * @param regions  the list
 * @param text     bytes, need not end in NUL
 * @param length   how many
 * @return         the NUL-terminated copy, or NULL when out of memory
 */
PM_PUBLIC const char *pm_regions_text(struct pm_regions *regions, const char *text, size_t length);

/**
 * The region that holds an address.
 *
 * @param regions  the list
 * @param address  the address
 * @return         the region, or NULL where nothing is mapped
 */
PM_PUBLIC struct pm_region *pm_regions_find(const struct pm_regions *regions, uint64_t address);

/**
 * Index of the first region that ends behind an address: the one that holds it, else the next
 * above.
 *
 * @param regions  the list
 * @param address  the address
 * @return         an index, regions->count where there is none
 */
PM_PUBLIC size_t pm_regions_index(const struct pm_regions *regions, uint64_t address);

/**
 * The addresses of a region.
 * @param region  the region
 * @return        its start and its end
 */
static inline struct pm_range pm_region_bounds(const struct pm_region *region)
{
	const struct pm_range bounds = { region->start, region->end };
	return bounds;
}

/**
 * Length of a region in bytes.
 * @param region the region
 * @return end - start
 */
static inline uint64_t pm_region_size(const struct pm_region *region)
{
	return region->end - region->start;
}

/**
 * Whether a size is known.
 * @param region the region
 * @param size which
 * @return true where smaps or pagemap gave it
 */
static inline bool pm_region_knows(const struct pm_region *region, enum pm_size size)
{
	return (region->known & PM_SIZE_BIT(size)) != 0;
}

/**
 * Whether a region is anonymous: no name at all or one set by prctl(2).
 * @param region the region
 * @return true or false
 */
PM_PUBLIC bool pm_region_is_anonymous(const struct pm_region *region);

/**
 * Dirty bytes: Private_Dirty + Shared_Dirty.
 *
 * @param region  the region
 * @return        bytes
 */
static inline uint64_t pm_region_dirty(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_PRIVATE_DIRTY] + region->bytes[PM_SIZE_SHARED_DIRTY];
}

/**
 * Whether a region continues the one before it: adjacent, and parts of the same thing (both
 * anonymous with the same name, or the same file at the following offset). Allocators and
 * mprotect(2) split mappings; data crosses such borders.
 *
 * @param before  the region below
 * @param region  the region above
 * @return        true or false
 */
PM_PUBLIC bool pm_region_continues(const struct pm_region *before, const struct pm_region *region);

/** Bytes that pm_format_perms() needs. */
#define PM_PERMS_TEXT_SIZE 5

/**
 * Writes permissions as in maps, `rw-p`, `?` where not known.
 * @param perms as in pm_region @param text at least PM_PERMS_TEXT_SIZE bytes
 */
PM_PUBLIC void pm_format_perms(unsigned perms, char *text);

/**
 * Name of a kind, as in listings.
 * @param kind the kind
 * @return a constant text; "" for PM_KIND_UNKNOWN
 */
PM_PUBLIC const char *pm_kind_name(enum pm_kind kind);

/**
 * Kind of a name.
 *
 * @param name   the name, as pm_kind_name() gives it
 * @param kind   where to store the kind
 * @param error  PM_ERROR_USAGE, the text lists all names
 * @return       0 or -1
 */
PM_PUBLIC int pm_kind_parse(const char *name, enum pm_kind *kind, struct pm_error *error);

/**
 * Name of a proof: "proven", "inferred" or "".
 * @param proof the proof
 * @return a constant text
 */
PM_PUBLIC const char *pm_proof_name(enum pm_proof proof);

/**
 * Name of a size in JSON and in column lists ("rss", "private_dirty").
 * @param size the size
 * @return a constant text
 */
PM_PUBLIC const char *pm_size_name(enum pm_size size);

#ifdef __cplusplus
}
#endif

#endif
