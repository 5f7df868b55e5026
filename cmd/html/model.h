/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a report shows. It is plain data, which a command fills from what it has observed or read.
 * The report knows nothing of processes: it only draws.
 *
 * The caller owns all arrays and texts. Texts can have any bytes but NUL: they are escaped when
 * they are written. Sizes are in bytes. What is not known has a count of 0, a NULL or a `known`
 * that is false; its section is then left out.
 */
#ifndef CMD_HTML_MODEL_H
#define CMD_HTML_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/series.h>

/** Whether something is bad. It is never shown by colour alone. */
enum html_tone {
	HTML_PLAIN, /**< neither */
	HTML_BAD,   /**< such as growth without an end */
	HTML_GOOD,  /**< such as memory that was released */
};

/** A figure in large letters. */
struct html_tile {
	const char *label;   /**< such as "RSS now" */
	const char *value;   /**< such as "173.6M" */
	const char *note;    /**< small text below the value; NULL: none */
	enum html_tone tone; /**< tone of the value */
};

/** A line of a finding. */
struct html_line {
	const char *label; /**< such as "grows" */
	const char *text;  /**< a sentence */
};

/** Something that was found. */
struct html_finding {
	const char *title;             /**< one sentence without a full stop */
	const char *confidence;        /**< such as "sure" */
	enum html_tone tone;           /**< HTML_BAD: it needs attention */
	const struct html_line *lines; /**< in their order */
	size_t line_count;             /**< number of elements */
};

/** Maximum number of moments of a timeline, besides the first and the last. */
enum { HTML_MOMENTS_MAX = 10000 };

/** Number of colours in the style sheet, one for each enum pm_kind. A larger index starts again. */
enum { HTML_COLOURS = 18 };

/** The memory of one kind over time. */
struct html_kind {
	const char *name;       /**< such as "malloc" */
	unsigned colour;        /**< index of the colour: the same name has the same one in all
	                         * sections; enum pm_kind */
	const uint64_t *values; /**< bytes at each moment */
};

/** A limit, and when it is reached. */
struct html_limit {
	bool known;       /**< there is a limit */
	const char *name; /**< such as "cgroup /shop" */
	uint64_t max;     /**< bytes */
	/** Height of the line in the drawing: memory of the process at which the limit is reached,
	 * if nothing else that it counts changes; in bytes */
	uint64_t level;
	bool time_known;    /**< the limit is reached at the present rate */
	double rate;        /**< growth in bytes per second; with `time_known` */
	double seconds_min; /**< time left after the last moment, at the earliest */
	double seconds_max; /**< time left, at the latest */
};

/** Memory by kind over time. The sum of all kinds at a moment is the memory of the process. */
struct html_timeline {
	const double *times;           /**< seconds since `start`, ascending from 0 */
	size_t count;                  /**< number of moments, at most HTML_MOMENTS_MAX + 4 */
	uint64_t samples;              /**< number of samples that were taken, at least `count` */
	double start;                  /**< time of the first moment, seconds since 1970 (UTC) */
	const struct html_kind *kinds; /**< all kinds that ever had memory */
	size_t kind_count;             /**< number of elements */
	struct html_limit limit;       /**< the limit that is reached first */
};

/** The memory of one kind now. */
struct html_share {
	const char *name; /**< name of the kind */
	unsigned colour;  /**< as html_kind.colour */
	uint64_t bytes;   /**< bytes */
};

/** A region, or several that develop alike. */
struct html_region {
	uint64_t start;                 /**< first address of the representative region */
	size_t count;                   /**< number of regions */
	const char *kind;               /**< name of the kind */
	const char *owner;              /**< such as "malloc"; "" if not known */
	const char *mapping;            /**< name; "" if it has none */
	uint64_t bytes;                 /**< resident and swapped bytes now */
	int64_t growth;                 /**< change since the first sample */
	const char *verdict;            /**< such as "steady"; "" if there is none */
	enum html_tone tone;            /**< tone of the verdict */
	const struct pm_series *series; /**< bytes over time; NULL or empty: constant */
};

/** Chunks of malloc, or objects of a runtime, of one size or type. */
struct html_class {
	uint64_t size;     /**< size of each chunk; 0: they have several sizes */
	uint64_t count;    /**< number of chunks */
	uint64_t bytes;    /**< bytes of all chunks */
	bool growth_known; /**< `rate` is known */
	double rate;       /**< growth of `count` per second */
	const char *type;  /**< name of the type; "" if not known */
	const char *text;  /**< what the texts in them have in common; "" if there is none */
};

/** Something whose size is known at the start and at the end. */
struct html_change {
	const char *name;    /**< such as an address or a name */
	const char *kind;    /**< name of the kind */
	const char *mapping; /**< name of the mapping; "" if there is none */
	bool born;           /**< it did not exist at the start */
	bool gone;           /**< it does not exist at the end */
	uint64_t before;     /**< bytes at the start */
	uint64_t after;      /**< bytes at the end */
};

/** A table of changes. */
struct html_changes {
	const char *id;                 /**< identifier of the section, such as "changes" */
	const char *heading;            /**< its heading */
	const char *what;               /**< heading of the names */
	const char *kind;               /**< heading of the kinds; NULL: there is no such column */
	const char *mapping;            /**< heading of the mappings; NULL: as for `kind` */
	const char *note;               /**< a sentence below the heading; NULL: none */
	const struct html_change *rows; /**< by descending amount */
	size_t count;                   /**< number of elements */
	size_t left_out;                /**< number of changes that are not among them */
};

/** A text in new pages. */
struct html_string {
	uint64_t count;    /**< number of such texts */
	const char *text;  /**< the text */
	const char *where; /**< region in which it was found */
};

/** The kind of code of a function: the values of enum frame_kind. */
enum html_code {
	HTML_CODE_PROGRAM,   /**< the program, or one of its own libraries */
	HTML_CODE_SYSTEM,    /**< a system library */
	HTML_CODE_GENERATED, /**< code that a runtime has generated */
	HTML_CODE_NONE,      /**< no code: a remark about the stack */
	HTML_CODE_COUNT,     /**< number of kinds, for tables */
};

/** A function in the tree of stacks. */
struct html_frame {
	const char *name;    /**< name of the function */
	size_t parent;       /**< index of the caller, less than its own; SIZE_MAX for the root */
	uint64_t bytes;      /**< with those of the functions it calls */
	enum html_code code; /**< kind of its code */
};

/** The tree of stacks. The first frame is the root. */
struct html_stacks {
	const struct html_frame *frames; /**< callers before the functions they call */
	size_t count;                    /**< number of elements; 0: nothing was traced */
	const char *what;                /**< what the bytes are, such as "mapped" */
};

/** A process of the family or of the cgroup, or a part of the cgroup. */
struct html_member {
	const char *name;    /**< name of the process or part */
	pid_t pid;           /**< PID; 0: it is not a process */
	const char *what;    /**< such as "child", "same cgroup", "part of the cgroup" */
	uint64_t bytes;      /**< bytes now */
	bool growth_known;   /**< `growth` is known */
	int64_t growth;      /**< change since the first sample */
	const char *verdict; /**< such as "steady"; "" if there is none */
	enum html_tone tone; /**< tone of the verdict */
};

/** A command that repeats or shows more. */
struct html_command {
	const char *command; /**< the command line */
	const char *purpose; /**< what it shows */
};

/** A report. Zero-initialise it, and fill what is known. */
struct html_report {
	const char *title;   /**< such as "shop (14187)" */
	const char *command; /**< command line of the target; NULL: not shown */
	const char *host;    /**< name of the machine; NULL: not known */
	const char *source;  /**< such as "live, 30 s" or the name of a recording */
	bool times_known;    /**< `start` and `end` are known */
	double start;        /**< first sample, seconds since 1970 (UTC) */
	double end;          /**< last sample, seconds since 1970 (UTC) */
	uint64_t samples;    /**< number of samples; 0: not said */
	const char *heading; /**< the verdict in one sentence: of the first finding */
	enum html_tone tone; /**< tone of the verdict */
	const char *verdict; /**< further sentences of the verdict; NULL: none */

	const struct html_finding *findings; /**< the gravest first */
	size_t finding_count;                /**< number of elements */
	const struct html_tile *tiles;       /**< in their order */
	size_t tile_count;                   /**< number of elements */
	struct html_timeline timeline;       /**< with at least two moments */
	const struct html_share *shares;     /**< by descending bytes */
	size_t share_count;                  /**< number of elements */
	double series_start; /**< time of the first sample, as in html_region.series */
	const struct html_share *shares_before; /**< the same at the start; shown beside `shares` */
	size_t share_before_count;              /**< number of elements */
	const struct html_region *regions;      /**< by descending growth, then bytes */
	size_t region_count;                    /**< number of elements */
	size_t regions_left_out;                /**< number of regions that are not among them */
	const struct html_class *classes;       /**< by descending growth, then bytes */
	size_t class_count;                     /**< number of elements */
	size_t classes_left_out;                /**< number of classes that are not among them */
	const struct html_change *changes;      /**< by descending amount */
	size_t change_count;                    /**< number of elements */
	size_t changes_left_out;                /**< number of changes that are not among them */
	const struct html_changes *more;        /**< further tables of changes */
	size_t more_count;                      /**< number of elements */
	const struct html_string *strings;      /**< by descending count */
	size_t string_count;                    /**< number of elements */
	bool strings_hidden;                    /**< the user wants no content of memory */
	struct html_stacks stacks;              /**< which code mapped the memory */
	const struct html_member *members;      /**< by descending bytes */
	size_t member_count;                    /**< number of elements */
	size_t members_left_out;                /**< number of processes not among them */
	const struct html_command *commands;    /**< in their order */
	size_t command_count;                   /**< number of elements */
	const char *const *unseen;              /**< what could not be seen */
	size_t unseen_count;                    /**< number of elements */
	const char *cost;                       /**< what it cost; NULL: nothing to say */
};

#endif
