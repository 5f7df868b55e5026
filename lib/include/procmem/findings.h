/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Findings: what the evidence about a process (evidence.h) means. Each rule of lib/findings looks
 * for one cause. A rule makes a claim only if the evidence has everything that the claim needs.
 *
 * A finding is structured: an identifier, the figures of the claim, and facts. Text for people is
 * made from it in one place, by the program that shows it.
 */
#ifndef PROCMEM_FINDINGS_H
#define PROCMEM_FINDINGS_H

#include <procmem/evidence.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What was found. The order has no meaning. pm_finding_name() returns the names. */
enum pm_finding_id {
	PM_FINDING_MALLOC_LEAK,     /**< chunks of malloc of one size are allocated and stay */
	PM_FINDING_MAPPED_CHUNKS,   /**< large blocks, each mapped by malloc separately, stay */
	PM_FINDING_MANY_CHUNKS,     /**< chunks of one size weigh; their growth is not known */
	PM_FINDING_ARENA_RETENTION, /**< malloc keeps much free memory */
	PM_FINDING_RESERVE,         /**< memory grows into a reserve, whose end is known */
	PM_FINDING_RISING_FLOOR,    /**< rises and falls, and what is left after a fall rises */
	PM_FINDING_PLATEAU,         /**< grew, and has stopped: warm-up or a filled cache */
	PM_FINDING_JAVA_DIRECT,     /**< direct buffers of Java approach their limit */
	PM_FINDING_RUNTIME_HEAP,    /**< the heap of a runtime is at its maximum */
	PM_FINDING_RUNTIME_GROWTH,  /**< the heap of a runtime grows: its types, if known */
	PM_FINDING_JAVA_CODE,       /**< the code cache of a JVM grows, or is full */
	PM_FINDING_JAVA_METASPACE,  /**< classes of Java: metaspace grows */
	PM_FINDING_OUTSIDE_RUNTIME, /**< memory grows outside of the heap of the runtime */
	PM_FINDING_CHILD_GROWS,     /**< a process below the target grows */
	PM_FINDING_GROUP_PROCESS,   /**< another process of the cgroup grows */
	PM_FINDING_SHARED_FILE,     /**< another process makes a shared file grow */
	PM_FINDING_NAMELESS_FILE,   /**< memfd or deleted file grows */
	PM_FINDING_TMPFS,           /**< files in a tmpfs fill the cgroup or the machine */
	PM_FINDING_KERNEL_MEMORY,   /**< memory of the kernel fills the cgroup */
	PM_FINDING_PAGE_CACHE,      /**< only page cache grows: harmless */
	PM_FINDING_THREADS,         /**< threads pile up */
	PM_FINDING_MAPPINGS,        /**< mappings pile up */
	PM_FINDING_DESCRIPTORS,     /**< descriptors pile up */
	PM_FINDING_SHARED_COUNTED,  /**< RSS counts memory that is shared after fork(2) twice */
	PM_FINDING_LOCKED,          /**< locked pages weigh */
	PM_FINDING_HUGE_PAGES,      /**< transparent huge pages weigh more than what is used */
	PM_FINDING_SWAPPING,        /**< the target is swapped out or thrashes */
	PM_FINDING_PRESSURE,        /**< memory is short, and others use it */
	PM_FINDING_GROWTH,          /**< a region grows; the cause is not known */
	PM_FINDING_COUNT,           /**< number of values of this enum */
};

/** How sure a finding is. */
enum pm_confidence {
	PM_CONFIDENCE_POSSIBLE, /**< the evidence fits, and others fit, too */
	PM_CONFIDENCE_LIKELY,   /**< the evidence fits; a part of it is estimated or inferred */
	PM_CONFIDENCE_SURE,     /**< measured, and proven by structures or by the kernel */
};

/** What a fact says. The comment names the members of struct pm_finding_fact that are used. */
enum pm_fact_id {
	PM_FACT_CHUNKS,      /**< `rate` chunks of `size` bytes per second stay */
	PM_FACT_RELEASED,    /**< a share of `percent` of the new chunks is released again */
	PM_FACT_IN_USE,      /**< `bytes` of `size` bytes are in use */
	PM_FACT_TRIMMABLE,   /**< about `bytes` can be returned by malloc_trim(3) */
	PM_FACT_TEXT,        /**< `count` times `text`, every `size` bytes if this is not 0 */
	PM_FACT_MODULE,      /**< the constants of the file `text` have the text */
	PM_FACT_TYPE,        /**< `count` objects of the type `text`, `rate` more per second */
	PM_FACT_THREAD,      /**< thread `count` with the name `text` uses the arena `size` */
	PM_FACT_SELF_FLAT,   /**< the target itself does not grow: `bytes` */
	PM_FACT_OWNER_FLAT,  /**< the memory of `owner` does not grow: `bytes` */
	PM_FACT_REGION_FLAT, /**< a region of `bytes` at `address` does not grow */
	PM_FACT_SAWTOOTH,    /**< rises and falls by `bytes`; the floor does not rise */
	PM_FACT_FLOOR,       /**< the floor rises by `rate` bytes per second */
	PM_FACT_FILES,       /**< `count` files in `text` */
	PM_FACT_PART,        /**< the part `text` of the cgroup: `bytes`, `rate` */
	PM_FACT_WRITER,      /**< process `count` with the name `text` writes it */
	PM_FACT_RESERVE,     /**< a reserve of `bytes` is left */
	PM_FACT_SHARE,       /**< `percent` percent of `bytes` */
	PM_FACT_SIGN, /**< the rule `count` (pm_pressure_rule) has the value `rate` in `text` */
	PM_FACT_NAME, /**< `count` of the `size` newest things have the name `text` */
	/** `text`, which is escaped, holds the chunk at `address`, and in all `count` chunks with
	 * `bytes`; 0 if this is not known */
	PM_FACT_HOLDER,
	/** The code `text`, which is escaped, has made `bytes` resident in `rate` seconds: it
	 * mapped them or, if `count` is 1, touched them first */
	PM_FACT_CODE,
	PM_FACT_COUNT, /**< number of values of this enum */
};

/** A fact of a finding. Members that the identifier does not name are 0 or NULL. */
struct pm_finding_fact {
	enum pm_fact_id id;  /**< what it says */
	uint64_t bytes;      /**< bytes */
	uint64_t size;       /**< size of one thing in bytes, or a number */
	uint64_t count;      /**< number of things, or an identifier such as a PID */
	uint64_t address;    /**< an address */
	double rate;         /**< bytes or things per second */
	double percent;      /**< percentage */
	enum pm_owner owner; /**< an owner */
	const char *text;    /**< borrowed from the evidence; can have any bytes but NUL */
};

/** Maximum number of facts for a claim, and of facts against other causes. */
enum { PM_FINDING_FACTS_MAX = 8 };

/** A finding. Texts and pointers are borrowed from the evidence. */
struct pm_finding {
	enum pm_finding_id id;         /**< what was found */
	enum pm_confidence confidence; /**< how sure it is */
	/** From 0 to 100: how much it matters. What ends a process soon weighs more than what is
	 * large, and what grows more than what does not */
	double weight;
	bool harmless;    /**< it is an acquittal: nothing has to be done */
	pid_t pid;        /**< the process concerned: the target, or another one */
	const char *comm; /**< its command name */
	const struct pm_evidence_region *region; /**< the region concerned; NULL if none */
	const struct pm_evidence_limit *limit;   /**< the limit that is reached; NULL if none */
	const struct pm_evidence_chunks *chunks; /**< the chunks concerned; NULL if none */
	const struct pm_evidence_arena *arena;   /**< the arena concerned; NULL if none */
	const struct pm_evidence_shared *shared; /**< the file concerned; NULL if none */
	const struct pm_evidence_tmpfs *tmpfs;   /**< the directory concerned; NULL if none */
	enum pm_owner owner;     /**< the owner concerned; PM_OWNER_UNKNOWN if none */
	enum pm_verdict verdict; /**< how it develops; PM_VERDICT_TOO_EARLY if not observed */
	uint64_t bytes;          /**< bytes concerned now */
	uint64_t count;          /**< things concerned now, such as threads; 0 if not known */
	uint64_t count_max;      /**< with `count`: the kernel permits no more; 0 if not known, or
	                            if `limit` has it */
	double rate;             /**< growth in bytes per second; 0 if it does not grow */
	double count_rate;       /**< growth in things per second; 0 if not known */
	bool estimate;           /**< `rate` is an estimate */
	bool time_known;         /**< the times are known */
	double seconds_min;      /**< the limit is reached in this time at the earliest */
	double seconds_max;      /**< at the latest */
	struct pm_finding_fact facts[PM_FINDING_FACTS_MAX];   /**< what supports the claim */
	size_t fact_count;                                    /**< number of elements */
	struct pm_finding_fact against[PM_FINDING_FACTS_MAX]; /**< other suspects that it is not */
	size_t against_count;                                 /**< number of elements */
};

/** The findings, by descending weight. */
struct pm_findings {
	struct pm_finding *items; /**< owned */
	size_t count;             /**< number of findings */
	size_t capacity;          /**< private */
};

/**
 * Applies all rules. A finding that explains another one replaces it: the growth of an arena is not
 * reported beside the leak that causes it.
 *
 * @param evidence  what was observed; must outlive the findings
 * @param findings  receives the findings; release with pm_findings_deinit()
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_findings_make(const struct pm_evidence *evidence, struct pm_findings *findings,
                               struct pm_error *error);

/**
 * Releases findings.
 * @param findings  empty afterwards
 */
PM_PUBLIC void pm_findings_deinit(struct pm_findings *findings);

/**
 * Returns the name of a finding, as in JSON, such as "malloc_leak".
 * @param id  the identifier
 * @return    a constant text; "" for invalid values
 */
PM_PUBLIC const char *pm_finding_name(enum pm_finding_id id);

/**
 * Returns the name of a confidence: "possible", "likely" or "sure".
 * @param confidence  the confidence
 * @return            a constant text
 */
PM_PUBLIC const char *pm_confidence_name(enum pm_confidence confidence);

#ifdef __cplusplus
}
#endif

#endif
