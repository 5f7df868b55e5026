/* SPDX-License-Identifier: MIT */
/**
 * @file Measures how fast the usage of limits grows, and how fast the process grows.
 */
#ifndef CMD_HEADROOM_RATES_H
#define CMD_HEADROOM_RATES_H

#include <stdbool.h>

#include <procmem/error.h>
#include <procmem/headroom.h>
#include <procmem/kills.h>
#include <procmem/process.h>
#include <procmem/recording.h>
#include <procmem/reserve.h>
#include <procmem/sample.h>
#include <procmem/series.h>
#include <procmem/tracker.h>
#include <procmem/trend.h>

#include "base/text.h"
#include "headroom/around.h"
#include "target/forecast.h"

/** What is reported of a process that ends during the measurement. */
struct headroom_last {
	bool known;                  /**< there was a sample */
	struct pm_process_info info; /**< as it was at the start */
	char *command;               /**< command line, owned */
	struct pm_totals totals;     /**< sizes of the process at the last sample */
	struct pm_headroom headroom; /**< its limits at the last sample */
	struct pm_kills *kills;      /**< counts OOM kills in its cgroup; owned; NULL: unknown */
	uint64_t killed;             /**< number of OOM kills before the last sample */
	struct text reason;          /**< why it ended, such as "exited after 27s"; owned */
};

/** How the usage of the limits, and the sizes of the process, changed over time. */
struct headroom_rates {
	uint64_t stopped; /**< number of samples at which a signal or a debugger had stopped it */
	bool known;       /**< rates were measured */
	bool ended;       /**< the process ended before all samples were taken */
	pid_t pid;        /**< the process that was measured */
	struct headroom_last last; /**< its state at the last sample */
	bool recorded;             /**< the rates are those of a recording */
	double age;                /**< with `recorded`: time since the last sample, in seconds */
	uint64_t reached;          /**< pm_limit_events.max at the first sample */
	struct limit_counters counters; /**< usage of each limit */
	struct pm_series memory;        /**< resident and swapped bytes of the process */
	/**
	 * Anonymous, shared and swapped bytes of the process, without pages of mapped files: the
	 * kernel can drop these, so they do not use up a limit of memory
	 */
	struct pm_series kept;
	struct pm_series own;       /**< `kept` without shared bytes */
	struct pm_series shmem;     /**< shared bytes of the process */
	struct pm_series size;      /**< bytes of address space of the process */
	struct pm_tracker *tracker; /**< follows the regions; owned; NULL if unknown */
	struct pm_series threads;   /**< number of threads of the process */
	struct pm_trend trend;      /**< trend of `memory` */
	struct pm_trend kept_trend; /**< trend of `kept` */
	struct pm_trend own_trend;  /**< trend of `own` */
	/** The shared memory of the process grows, but is not charged to the cgroup with the limit
	 */
	bool charged_elsewhere;
	struct pm_trend threads_trend; /**< trend of `threads` */
	/** The track that grows although `memory` does not; NULL if there is none. */
	const struct pm_track *beneath;
	struct pm_trend beneath_trend; /**< trend of `beneath` */
	struct pm_reserves *reserves;  /**< finds reserves; owned; NULL if unknown */
	/** The reserve that will be used up first; NULL if there is none. */
	const struct pm_reserve *reserve;
	struct pm_trend reserve_trend; /**< trend of the used part of `reserve` */
	double reserve_seconds;        /**< time until `reserve` is used up */
	struct headroom_around around; /**< what fills memory around the process */
};

/**
 * Returns the rates as the source of forecasts.
 * @param rates  the rates; must outlive the result
 * @return       the source
 */
struct forecast_source headroom_rates_source(const struct headroom_rates *rates);

/** What another command does with the samples of the measurement. */
struct headroom_hook {
	/**
	 * Called after each sample.
	 *
	 * @param context  the context
	 * @param rates    the rates so far; `tracker` has the sample
	 * @param sample   the sample
	 * @param error    any; ends the measurement
	 * @return         0; 1 if this was the last sample; -1
	 */
	int (*sampled)(void *context, const struct headroom_rates *rates,
	               const struct pm_sample *sample, struct pm_error *error);
	/**
	 * Called after each sample of a recording.
	 *
	 * @param context   the context
	 * @param recorded  the sample
	 * @param regions   its regions, valid during the call
	 * @param error     any; ends the reading
	 * @return          0, or -1
	 */
	int (*recorded)(void *context, const struct pm_recorded *recorded,
	                const struct pm_regions *regions, struct pm_error *error);
	void *context; /**< passed to `sampled` and `recorded` */
	bool pages;    /**< samples have pm_sample.appeared */
};

/** What is measured. */
struct headroom_source {
	double seconds;            /**< duration of --for in seconds; 0 if --for was not given */
	const char *recording;     /**< file of --from; NULL if not given */
	enum headroom_scope scope; /**< processes that have rows of their own */
	const char *name;          /**< with HEADROOM_NAMED: the name; otherwise NULL */
	bool follow;               /**< with --follow: if the process ends, that is not an error */
	bool quiet;                /**< print no note if the user interrupted */
	/** Processes that were observed before, for another target; they are moved to the rates.
	 * NULL or zeroed: none */
	struct neighbours *observed;
	const struct headroom_hook *hook; /**< NULL: there is none */
};

/**
 * Releases rates.
 * @param rates  as filled by headroom_rates_measure(), or zeroed; zeroed afterwards
 */
void headroom_rates_deinit(struct headroom_rates *rates);

/**
 * Marks the process as ended, and finds the reason. Call it if `rates->last` is known, and the
 * process has ended.
 *
 * @param rates  the rates; `ended` and `last.reason` are set
 * @param error  why the process could not be read
 */
void headroom_rates_end(struct headroom_rates *rates, const struct pm_error *error);

/**
 * Returns how long the process was measured.
 * @return seconds; 0 if no rate is known
 */
double headroom_rates_seconds(const struct headroom_rates *rates);

/**
 * Returns how often per second the usage of the cgroup reached its limit, so that the kernel had to
 * reclaim memory.
 * @return the rate; 0 if it did not, or if that is not known
 */
double headroom_rates_reached(const struct headroom_rates *rates);

/**
 * Measures the rates: reads the recording of --from, or takes samples for the time of --for.
 * Without these options, no rate is measured. The processes of headroom_source.scope are always
 * read, once at least.
 *
 * @param rates    filled; release with headroom_rates_deinit()
 * @param process  the process
 * @param source   the duration or the recording
 * @param error    PM_ERROR_GONE, PM_ERROR_USAGE, errors of recordings
 * @return         0, 1 if the user interrupted, -1 on error. If the process ended, and
 *                 headroom_source.follow is set or `last` is known, `ended` is set, and the result
 *                 is 0
 */
int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_source *source, struct pm_error *error);

/**
 * Reads the rates of a recording of any process, also of one that has ended.
 *
 * @param rates      filled; release with headroom_rates_deinit()
 * @param recording  the recording
 * @param hook       headroom_hook.recorded is called; NULL: there is none
 * @param error      errors of recordings
 * @return           0 or -1; on failure, there is nothing to release
 */
int headroom_rates_read(struct headroom_rates *rates, struct pm_recording *recording,
                        const struct headroom_hook *hook, struct pm_error *error);

#endif
