/* SPDX-License-Identifier: MIT */
/* The colours can be read on black and on white, by the formula of WCAG 2 for contrast. */
#include "base/out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Returns the part of a level of the 6 × 6 × 6 cube of xterm in the luminance. */
static double linear(int level)
{
	static const int values[] = { 0, 95, 135, 175, 215, 255 };
	double share = values[level] / 255.0;

	return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

static double luminance(int colour)
{
	int cube = colour - 16;

	assert_in_range(cube, 0, 215);
	return 0.2126 * linear(cube / 36) + 0.7152 * linear(cube / 6 % 6) +
	       0.0722 * linear(cube % 6);
}

static void colours_are_readable(void **state)
{
	int count = 0;

	(void)state;
	for (int style = 0; style < OUT_STYLE_COUNT; style++) {
		const struct out_colour_number *number = &out_colour_numbers[style];
		if (number->of_256 == 0)
			continue;

		double light = luminance(number->of_256);
		assert_true((light + 0.05) / 0.05 >= 4);
		assert_true(1.05 / (light + 0.05) >= 3.99);
		count++;
	}
	assert_int_equal(count, 3);
}

/** Expects the code of a style on a terminal. */
static void expect(const char *terminal, const char *colour_term, enum out_style style,
                   const char *code)
{
	struct out out = { .fd = -1 };

	setenv("TERM", terminal, 1);
	setenv("COLORTERM", colour_term, 1);
	out_set_colour(&out, OUT_COLOUR_ALWAYS);
	assert_string_equal(out_style_code(&out, style), code);
	out_set_colour(&out, OUT_COLOUR_NEVER);
	assert_string_equal(out_style_code(&out, style), "");
}

static void codes_depend_on_the_terminal(void **state)
{
	(void)state;
	expect("xterm-256color", "", OUT_NEW, "\033[38;5;63m");
	expect("xterm", "truecolor", OUT_NEW, "\033[38;5;63m");
	expect("linux", "", OUT_NEW, "\033[1;34m");
	expect("xterm-256color", "", OUT_GROWN, "\033[38;5;196m");
	expect("linux", "", OUT_GROWN, "\033[31m");
	expect("xterm-256color", "", OUT_LESS, "\033[38;5;28m");
	expect("xterm-256color", "", OUT_DIM, "\033[2m");
	expect("xterm-256color", "", OUT_PLAIN, "\033[0m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_readable),
		cmocka_unit_test(codes_depend_on_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
