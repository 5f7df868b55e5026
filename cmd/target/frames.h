/* SPDX-License-Identifier: MIT */
/** @file Frames of stacks as text. */
#ifndef CMD_FRAMES_H
#define CMD_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include <procmem/stacks.h>

#include "base/text.h"

/** The kind of code of a frame. */
enum frame_kind {
	FRAME_PROGRAM,   /**< the program, or one of its own libraries */
	FRAME_SYSTEM,    /**< libc, the loader, an allocator, or another system library */
	FRAME_GENERATED, /**< code that a runtime has generated */
	FRAME_MARKER,    /**< no code: a remark about the stack */
};

/** Text of the frame in place of callers that are not known. */
#define FRAMES_CUT "[callers not known]"

/** Text of a stack that could not be unwound. */
#define FRAMES_NONE "[no stack]"

/** Text of the memory that was mapped before the trace. */
#define FRAMES_BEFORE "[mapped before the trace]"

/**
 * Adds the name of a frame, unescaped: the function; else the name of the file in brackets; else
 * "[unknown]".
 *
 * @param frame  the frame
 * @param text   receives the name
 */
void frames_name(const struct pm_frame *frame, struct text *text);

/**
 * Returns the kind of code of a frame.
 * @param frame  the frame
 * @return       not FRAME_MARKER, unless the library has made the frame as a marker
 */
enum frame_kind frames_kind(const struct pm_frame *frame);

/**
 * Tests whether a frame is of a file with this name.
 *
 * @param frame  the frame
 * @param name   name of the file, without folders
 * @return       true or false; false if the code is in no file
 */
bool frames_is_of(const struct pm_frame *frame, const char *name);

/**
 * Finds the innermost frame of the program: the first one that is not in a system library and is
 * neither a function of an allocator, nor of the standard library of C++ or Rust, nor of the
 * runtime of Java or JavaScript and its libraries. Frames of a runtime are not left out if
 * generated code without a name has called them: this code can be the program.
 *
 * @param stack  the stack
 * @return       index of the frame. Without such a frame, the first one that is neither in a
 *               system library nor a function of an allocator; 0 if there is none of both;
 *               `stack->count` if there are no frames
 */
size_t frames_own(const struct pm_stack *stack);

/**
 * Adds a stack in one line, unescaped: "grow_table < handle_request < main". It starts with the
 * innermost frame of the program. Frames with the same name that follow each other are one item:
 * "search ×12". If the memory was mapped before the trace, "touched by " comes first.
 *
 * @param stack   the stack
 * @param before  whether the memory was mapped before the trace
 * @param text    receives the line
 */
void frames_line(const struct pm_stack *stack, bool before, struct text *text);

/**
 * Makes the JSON of a stack: an array with its frames, the innermost first.
 * @param stack  the stack
 * @return       the array
 */
json_t *frames_json(const struct pm_stack *stack);

#endif
