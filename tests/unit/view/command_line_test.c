/* SPDX-License-Identifier: MIT */
/* Command lines that are shortened: they fit, and the program and its script stay. */
#include "view/command_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void expect(const char *command, size_t columns, const char *expected)
{
	struct text line = { 0 };
	command_line_put(&line, command, columns);
	assert_string_equal(text_terminate(&line), expected);
	text_deinit(&line);
}

static void short_command_lines_are_kept(void **state)
{
	(void)state;
	expect("", 8, "");
	expect("cat", 8, "cat");
	expect("cat file", 8, "cat file");
	expect("a\nb", 8, "a\\x0ab");
}

static void middle_is_cut(void **state)
{
	(void)state;
	expect("java -Xmx256m -XX:+UseG1GC -Dlong=value -jar shop.jar", 30,
	       "java -Xmx256m … shop.jar");
	expect("java -Xmx256m -XX:+UseG1GC -jar shop.jar --port 80", 40,
	       "java -Xmx256m … shop.jar --port 80");
	expect("python3 -u leak.py --first --second --third", 20, "python3 … leak.py -…");
	expect("/usr/bin/server --with=many --options=here --last", 30,
	       "/usr/bin/server --w…ere --last");
}

/** Every width: the text fits, starts with the program and, if there is room, has the script. */
static void every_width_fits(void **state)
{
	(void)state;
	static const char *const commands[] = {
		"java -Xmx1g -cp /very/long/class/path:/another -jar /opt/shop/shop.jar --port 80",
		"python3 \346\227\245\346\234\254\350\252\236 "
		"--\346\227\245\346\234\254\350\252\236 x",
		"/no/interpreter \346\227\245\346\234\254\350\252\236\346\227\245\346\234\254\350 "
		"\a end",
		"node /a/path/without/any/space/in/all/of/its/length/of/many/letters/server.js",
		"onewordthatislongerthananyterminalwouldeverbeinthistest",
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		for (size_t columns = COMMAND_LINE_MIN; columns < 120; columns++) {
			struct text line = { 0 };
			command_line_put(&line, commands[i], columns);
			const char *text = text_terminate(&line);
			assert_true(utf8_columns(text, strlen(text)) <= columns);
			assert_int_equal(text[0], commands[i][0]);
			if (i == 0 && columns >= 40)
				assert_non_null(strstr(text, " /opt/shop/shop.jar"));
			text_deinit(&line);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_command_lines_are_kept),
		cmocka_unit_test(middle_is_cut),
		cmocka_unit_test(every_width_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
