/* SPDX-License-Identifier: MIT */
/** @file FILL options.c */
#ifndef CMD_GREP_OPTIONS_H
#define CMD_GREP_OPTIONS_H

#include "grep/grep.h"

/**
 * What the options ask for, taken together.
 * @param options they
 * @return the form
 */
enum grep_options_form grep_options_form(const struct grep_options *options);

#endif
