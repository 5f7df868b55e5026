/* SPDX-License-Identifier: MIT */
/** @file A question in the last line of the live screen, and the answer being typed. */
#ifndef CMD_WATCH_SCREEN_PROMPT_H
#define CMD_WATCH_SCREEN_PROMPT_H

#include "view/terminal.h"

/** What the answer is for. */
enum watch_question {
	WATCH_ASKS_NOTHING,
	WATCH_ASKS_FILTER, /**< which rows to show */
	WATCH_ASKS_SEARCH, /**< what to search for */
	WATCH_ASKS_FILE,   /**< where to write the selected region to */
};

/** A question; zeroed means that nothing is asked. */
struct screen_prompt {
	enum watch_question question; /**< what the answer is for */
	struct text label;            /**< the question */
	struct text answer;           /**< what was typed so far, UTF-8 */
};

/** What a key did to a question. */
enum watch_typed {
	WATCH_TYPES,    /**< the user is still typing */
	WATCH_ANSWERED, /**< the answer is there; nothing is asked any more */
	WATCH_GAVE_UP,  /**< nothing is asked any more */
};

/**
 * Asks.
 * @param prompt the prompt
 * @param question what for
 * @param label the question
 * @param answer one to begin with
 */
void screen_prompt_ask(struct screen_prompt *prompt, enum watch_question question,
                       const char *label, const char *answer);

/**
 * Takes a key.
 * @param prompt a question
 * @param key as of terminal_key()
 * @return what it did
 */
enum watch_typed screen_prompt_key(struct screen_prompt *prompt, uint32_t key);

/**
 * Draws it.
 * @param prompt a question
 * @param terminal where
 * @param line the line
 * @return column of the cursor
 */
int screen_prompt_draw(const struct screen_prompt *prompt, struct terminal *terminal, int line);

/**
 * Releases it.
 * @param prompt the prompt
 */
void screen_prompt_deinit(struct screen_prompt *prompt);

#endif
