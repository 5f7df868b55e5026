/* SPDX-License-Identifier: MIT */
#include "watch/screen/keys.h"

#include <stddef.h>

#include "view/terminal.h"

const char screen_keys_help[] = "up, down, j, k, PgUp, PgDn, Home, End   select a row\n"
				"Enter      show the text in the newest pages of the row\n"
				"d          write the bytes of the row to a file\n"
				"t          show which code maps or touches the memory of\n"
				"           the row: a trace of 10 s\n"
				"w          show why the process grows or weighs, as far as\n"
				"           the samples so far tell: procmem why shows more\n"
				"Esc        cancel Enter, d or t; pressing the key again\n"
				"           does the same\n"
				"s          sort by growth, rate, rss (all rows) or delta\n"
				"F6, <, >   choose the order from a list: also address, kind\n"
				"           and mapping; or click the title of a column\n"
				"+, -, F5   show the single regions of a row such as \"+7\",\n"
				"           or hide them; or click its address. Enter, d\n"
				"           and t then act on the selected region\n"
				"g          switch between regions, sums by kind, and\n"
				"           sums by owner (who manages the memory)\n"
				"f, F4      show only rows whose kind or mapping matches a\n"
				"           regular expression, whatever its case (empty:\n"
				"           show all rows)\n"
				"/, F3      search for an address, kind or mapping\n"
				"n          search again\n"
				"b          reset growth: count it from now on\n"
				"p, Space   pause or resume the screen; sampling,\n"
				"           --record and --on continue while it is paused\n"
				"e          list the conditions that were met (--on), and\n"
				"           the actions\n"
				"m          mouse on or off. On: click a row, a title, a key\n"
				"           in the last line; turn the wheel. Select text\n"
				"           with Shift pressed, or with the mouse off\n"
				"?, h, F1   this help; the same key closes it\n"
				"q, F10     quit with a summary\n"
				"\n"
				"ADDRESS  +2: two more regions are in this row; sizes are\n"
				"         sums, the address is of the region that grew last\n"
				"MAPPING  \xc3\x97"
				"3: the row has three regions, which are alike or\n"
				"         belong together; (+0.1/s): growth of their number\n"
				"RSS      resident and swapped bytes\n"
				"DELTA    change of RSS in the last sample\n"
				"GROWTH   change of RSS since the start, or since b\n"
				"RATE     rate of growth, only if growth continues;\n"
				"         ~: estimate from a few steps\n"
				"VERDICT  steady: grows continuously, as a leak does\n"
				"         steps: grew in a few steps; burst: grew once\n"
				"         plateau: no longer grows, or rises and falls\n"
				"         no growth: has not grown so far; shrinking\n"
				"         uneven: grows without a pattern\n"
				"         too early: needs 10 s and 5 samples\n"
				"HISTORY  RSS from the start until now\n"
				"\n"
				"A blue address: the region did not exist at the start.\n"
				"A narrow screen has fewer columns.\n";

const char screen_keys_help_family[] =
	"up, down, j, k, PgUp, PgDn, Home, End   select a process\n"
	"Enter      show the regions of the process (Esc, q: back);\n"
	"           their growth is counted from that time on\n"
	"s          sort by growth, rate, rss or delta (change in\n"
	"           the last sample)\n"
	"F6, <, >   choose the order from a list\n"
	"b          reset growth: count it from now on\n"
	"m          mouse on or off. On: click a row, or a key in\n"
	"           the last line; turn the wheel. Select text with\n"
	"           Shift pressed, or with the mouse off\n"
	"?, h, F1   this help; the same key closes it\n"
	"q, F10     quit with a summary\n"
	"\n"
	"RSS      resident and swapped bytes; in the sum, memory that\n"
	"         processes share counts for each of them\n"
	"GROWTH   change of RSS since the process was found, or\n"
	"         since b\n"
	"RATE     rate of growth, only if growth continues;\n"
	"         ~: estimate from a few steps\n"
	"VERDICT  as on the screen of a single process\n"
	"DETAIL   the regions that grow fastest, for the processes\n"
	"         that grow most; how a process ended, or why it\n"
	"         cannot be read\n";

static const struct {
	uint32_t key;
	enum screen_action action;
} actions[] = {
	{ TERMINAL_UP, SCREEN_UP },
	{ 'k', SCREEN_UP },
	{ TERMINAL_DOWN, SCREEN_DOWN },
	{ 'j', SCREEN_DOWN },
	{ TERMINAL_PAGE_UP, SCREEN_PAGE_UP },
	{ TERMINAL_PAGE_DOWN, SCREEN_PAGE_DOWN },
	{ TERMINAL_HOME, SCREEN_FIRST },
	{ TERMINAL_END, SCREEN_LAST },
	{ TERMINAL_ENTER, SCREEN_STRINGS },
	{ TERMINAL_ESCAPE, SCREEN_CANCEL },
	{ TERMINAL_WHEEL_UP, SCREEN_WHEEL_UP },
	{ TERMINAL_WHEEL_DOWN, SCREEN_WHEEL_DOWN },
	{ TERMINAL_CLICK, SCREEN_CLICK },
	{ 'm', SCREEN_MOUSE },
	{ '+', SCREEN_EXPAND },
	{ '=', SCREEN_EXPAND },
	{ '-', SCREEN_COLLAPSE },
	{ TERMINAL_F5, SCREEN_TOGGLE },
	{ '>', SCREEN_PICK_SORT },
	{ '<', SCREEN_PICK_SORT },
	{ TERMINAL_F6, SCREEN_PICK_SORT },
	{ TERMINAL_F4, SCREEN_FILTER },
	{ TERMINAL_F3, SCREEN_SEARCH },
	{ TERMINAL_F1, SCREEN_HELP },
	{ TERMINAL_F10, SCREEN_QUIT },
	{ 'd', SCREEN_SAVE },
	{ 't', SCREEN_TRACE },
	{ 's', SCREEN_SORT },
	{ 'g', SCREEN_GROUP },
	{ 'f', SCREEN_FILTER },
	{ '/', SCREEN_SEARCH },
	{ 'n', SCREEN_SEARCH_AGAIN },
	{ 'b', SCREEN_REBASE },
	{ 'p', SCREEN_PAUSE },
	{ ' ', SCREEN_PAUSE },
	{ 'w', SCREEN_WHY },
	{ 'e', SCREEN_EVENTS },
	{ '?', SCREEN_HELP },
	{ 'h', SCREEN_HELP },
	{ 'q', SCREEN_QUIT },
};

enum screen_action screen_keys_action(uint32_t key)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (actions[i].key == key)
			return actions[i].action;

	return SCREEN_UNKNOWN;
}
