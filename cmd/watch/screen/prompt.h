/* SPDX-License-Identifier: MIT */
/** @file A question in the last line of the live screen, and its answer. */
#ifndef CMD_WATCH_SCREEN_PROMPT_H
#define CMD_WATCH_SCREEN_PROMPT_H

#include "view/terminal.h"

/** The purpose of a question. */
enum screen_question {
	SCREEN_ASKS_NOTHING, /**< no question is asked */
	SCREEN_ASKS_FILTER,  /**< the filter of rows */
	SCREEN_ASKS_SEARCH,  /**< the text to search for in rows */
	SCREEN_ASKS_FILE,    /**< to which file to write the bytes of the selected row */
};

/** A question. In a zeroed struct, no question is asked. */
struct screen_prompt {
	enum screen_question question; /**< the purpose of the question */
	struct text label;             /**< the question */
	struct text answer;            /**< the text that was typed so far, UTF-8 */
};

/** The effect of a key on a question. */
enum screen_typed {
	SCREEN_TYPES,    /**< the user is still typing */
	SCREEN_ANSWERED, /**< the answer is complete; the question is closed */
	SCREEN_GAVE_UP,  /**< the question is closed without an answer */
};

/**
 * Asks a question.
 * @param prompt the prompt
 * @param question the purpose of the question
 * @param label the question, copied
 * @param answer an answer that the user can edit, copied
 */
void screen_prompt_ask(struct screen_prompt *prompt, enum screen_question question,
                       const char *label, const char *answer);

/**
 * Processes a key.
 * @param prompt a prompt with a question
 * @param key the key, as from terminal_key()
 * @return the effect of the key
 */
enum screen_typed screen_prompt_key(struct screen_prompt *prompt, uint32_t key);

/**
 * Draws the question and the answer.
 * @param prompt a prompt with a question
 * @param terminal the terminal
 * @param line the line
 * @return column of the cursor
 */
int screen_prompt_draw(const struct screen_prompt *prompt, struct terminal *terminal, int line);

/**
 * Releases a prompt.
 * @param prompt the prompt
 */
void screen_prompt_deinit(struct screen_prompt *prompt);

#endif
