/* SPDX-License-Identifier: MIT */
/** @file The script of a flame graph. */
#ifndef CMD_TRACE_SVG_SCRIPT_H
#define CMD_TRACE_SVG_SCRIPT_H

/**
 * The lines of the script; NULL at the end. The script is the same in all files, so that a policy
 * of a web server (Content-Security-Policy) can allow it by its hash. It loads nothing, has no
 * handlers in attributes, and changes texts of the document only as texts.
 */
extern const char *const trace_svg_script[];

#endif
