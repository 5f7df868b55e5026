/* SPDX-License-Identifier: MIT */
#include "heap/glibc_layout.h"

enum {
	MUTEX_MAX = 2, /* values of a low-level lock: free, locked, locked with waiters */
	FLAGS_MAX = 7,
	NONCONTIGUOUS = 2,
	ALIGNMENT = 16,
	PAGE = 4096,
	MMAPS_MAX = 65536,          /* default of M_MMAP_MAX */
	TCACHE_BINS_MAX = 76,       /* since 2.42; 64 before */
	TCACHE_BYTES_MAX = 1 << 23, /* the tunable glibc.malloc.tcache_max is at most 4 MiB */
	TCACHE_COUNT_MAX = 65535,
};

/* Threads that share an arena: more than the kernel allows processes (PID_MAX_LIMIT). */
enum { ATTACHED_MAX = 1 << 22 };

static const struct pm_glibc_layout layouts[PM_GLIBC_LAYOUTS] = {
	{ "2.27-2.42", 0x10, 0x60, 0x70, 0x870, 0x880, 0x888, 0x890, 0x898, 0 },
	{ "2.43-2.44", 0, 0x08, 0x18, 0x818, 0x828, 0x830, 0x838, 0x840, 16 },
	{ "2.26", 0x08, 0x58, 0x68, 0x868, 0x878, 0x880, 0x888, 0x890, 0 },
};

const struct pm_glibc_layout *pm_glibc_layout(size_t index)
{
	return &layouts[index];
}

static uint32_t half(const unsigned char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

/** Returns whether the bins, and what is between `flags` and the bins, consist of zeros. */
static bool is_empty(const struct pm_glibc_layout *layout, const unsigned char *bytes)
{
	for (size_t at = 8; at < layout->next; at += 8)
		if (pm_glibc_word(bytes + at) != 0)
			return false;
	return true;
}

/** Returns whether the words of a bin can be addresses of chunks, or of the bin. */
static bool bin_has_pointers(const unsigned char *words)
{
	uint64_t first = pm_glibc_word(words), last = pm_glibc_word(words + 8);

	return first != 0 && last != 0 && first % 8 == 0 && last % 8 == 0;
}

/**
 * Returns whether most bins are empty lists, or have pointers that can belong to chunks. The others
 * are damaged, or malloc changes them now.
 */
static bool bins_are_plausible(const struct pm_glibc_layout *layout, uint64_t address,
                               const unsigned char *bytes)
{
	unsigned bad = 0;

	for (size_t i = 0; i < PM_GLIBC_BINS; i++) {
		size_t offset = layout->bins + i * 16;
		uint64_t bin = address + offset - 16;
		uint64_t first = pm_glibc_word(bytes + offset);
		uint64_t last = pm_glibc_word(bytes + offset + 8);

		bad += !bin_has_pointers(bytes + offset) || (first == bin) != (last == bin);
		if (bad > PM_GLIBC_BINS_BAD_MAX)
			return false;
	}
	return true;
}

/** Returns the address of the first bin that does not have pointers; 0 if there is none. */
static uint64_t find_bad_bin(const struct pm_glibc_layout *layout, uint64_t address,
                             const unsigned char *bytes)
{
	for (size_t i = 0; i < PM_GLIBC_BINS; i++) {
		size_t offset = layout->bins + i * 16;
		if (!bin_has_pointers(bytes + offset))
			return address + offset;
	}
	return 0;
}

bool pm_glibc_state_is_sane(const struct pm_glibc_layout *layout, const unsigned char *bytes)
{
	uint64_t system = pm_glibc_word(bytes + layout->system);
	uint64_t next = pm_glibc_word(bytes + layout->next);
	uint64_t top = pm_glibc_word(bytes + layout->top);

	return half(bytes) <= MUTEX_MAX && half(bytes + 4) <= FLAGS_MAX &&
	       system <= pm_glibc_word(bytes + layout->max) && system % ALIGNMENT == 0 &&
	       pm_glibc_word(bytes + layout->attached) <= ATTACHED_MAX && next != 0 &&
	       next % 8 == 0 && top != 0 && top % 8 == 0;
}

enum pm_glibc_guess pm_glibc_guess_state(const struct pm_glibc_layout *layout, uint64_t address,
                                         const unsigned char *bytes)
{
	uint64_t next = pm_glibc_word(bytes + layout->next);
	uint64_t top = pm_glibc_word(bytes + layout->top);

	if (half(bytes) > MUTEX_MAX || half(bytes + 4) > FLAGS_MAX || next == 0)
		return PM_GLIBC_NOTHING;

	if (top == 0) {
		bool unused = next == address && pm_glibc_word(bytes + layout->attached) == 1 &&
		              pm_glibc_word(bytes + layout->system) == 0 &&
		              pm_glibc_word(bytes + layout->max) == 0 && is_empty(layout, bytes);
		return unused ? PM_GLIBC_UNUSED : PM_GLIBC_NOTHING;
	}

	if (!pm_glibc_state_is_sane(layout, bytes) || !bins_are_plausible(layout, address, bytes))
		return PM_GLIBC_NOTHING;
	return PM_GLIBC_PLAUSIBLE;
}

void pm_glibc_parse_state(const struct pm_glibc_layout *layout, uint64_t address,
                          const unsigned char *bytes, struct pm_glibc_arena *arena)
{
	*arena = (struct pm_glibc_arena){
		.address = address,
		.top = pm_glibc_word(bytes + layout->top),
		.next = pm_glibc_word(bytes + layout->next),
		.attached = pm_glibc_word(bytes + layout->attached),
		.system = pm_glibc_word(bytes + layout->system),
		.contiguous = (half(bytes + 4) & NONCONTIGUOUS) == 0,
		.bad_bin = find_bad_bin(layout, address, bytes),
	};

	if (layout->fastbins != 0)
		memcpy(arena->fastbins, bytes + layout->fastbins, sizeof arena->fastbins);
}

/** The counters of mapped chunks in mp_. */
struct counters {
	uint32_t count;   /* n_mmaps */
	uint32_t max;     /* n_mmaps_max */
	uint32_t highest; /* max_n_mmaps */
	uint32_t fixed;   /* no_dyn_threshold */
};

static struct counters counters_at(const unsigned char *bytes)
{
	return (struct counters){ half(bytes), half(bytes + 4), half(bytes + 8), half(bytes + 12) };
}

static bool counters_are_sane(const struct counters *counters, uint64_t mapped, uint64_t max)
{
	return counters->count <= counters->highest && counters->highest <= INT32_MAX &&
	       counters->max <= INT32_MAX && counters->fixed <= 1 &&
	       (counters->count == 0) == (mapped == 0) && (counters->highest == 0) == (max == 0) &&
	       mapped / PAGE >= counters->count;
}

/** Returns whether the tcache parameters of mp_ have their defaults, which tunables can change. */
static bool tcache_is_default(uint64_t bins, uint64_t bytes, uint64_t count)
{
	return (bins == 64 || bins == TCACHE_BINS_MAX) && bytes >= 0x400 && bytes <= 0x411 &&
	       (count == 7 || count == 16);
}

bool pm_glibc_parse_parameters(const unsigned char *bytes, struct pm_glibc_parameters *parameters)
{
	uint64_t mapped = pm_glibc_word(bytes), max = pm_glibc_word(bytes + 8);
	uint64_t bins = pm_glibc_word(bytes + 24), most = pm_glibc_word(bytes + 32);
	uint64_t count = pm_glibc_word(bytes + 40);

	if (mapped > max || mapped % PAGE != 0 || max % PAGE != 0 || bins == 0 ||
	    bins > TCACHE_BINS_MAX || most == 0 || most > TCACHE_BYTES_MAX ||
	    count > TCACHE_COUNT_MAX)
		return false;

	/* Since 2.35 the counters begin 20 bytes before `mmapped_mem`, and padding follows. */
	struct counters old = counters_at(bytes - 16), new = counters_at(bytes - 20);
	bool is_default = tcache_is_default(bins, most, count);
	bool is_new = half(bytes - 4) == 0 &&
	              (counters_are_sane(&new, mapped, max) || (is_default && new.fixed <= 1));
	bool is_old = counters_are_sane(&old, mapped, max) || (is_default && old.fixed <= 1);

	if (is_new && is_old)
		is_new = new.max == MMAPS_MAX || old.max != MMAPS_MAX;
	if (!is_new && !is_old)
		return false;

	const struct counters *counters = is_new ? &new : &old;
	*parameters = (struct pm_glibc_parameters){
		.mapped = mapped,
		.mapped_count = counters->count,
		.sbrk_base = pm_glibc_word(bytes + 16),
		.tcache_count = count,
		.has_huge_pages = is_new,
		.tuned = counters->max != MMAPS_MAX && !is_default,
	};
	return true;
}
