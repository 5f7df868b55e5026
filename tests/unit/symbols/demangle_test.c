/* SPDX-License-Identifier: MIT */
/* Names of C++ and Rust. The expected names are those of the source code that c++filt(1) and
 * rustfilt also print. */
#include <procmem/demangle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *mangled, const char *name)
{
	char buffer[PM_DEMANGLED_SIZE];
	assert_true(pm_demangle(mangled, buffer, sizeof buffer));
	assert_string_equal(buffer, name);
}

static void expect_type(const char *mangled, const char *name)
{
	char buffer[PM_DEMANGLED_SIZE];
	assert_true(pm_demangle_type(mangled, buffer, sizeof buffer));
	assert_string_equal(buffer, name);
}

static void expect_copy(const char *name)
{
	char buffer[PM_DEMANGLED_SIZE];
	assert_false(pm_demangle(name, buffer, sizeof buffer));
	assert_string_equal(buffer, name);
}

static void names_of_cxx(void **state)
{
	(void)state;
	expect("_ZTVN4shop5OrderE", "vtable for shop::Order");
	expect("_ZN4shop5Order3addEi", "shop::Order::add(int)");
	expect("_ZTI5Shape", "typeinfo for Shape");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_ZN12_GLOBAL__N_16HiddenD0Ev", "(anonymous namespace)::Hidden::~Hidden()");
}

static void names_of_rust(void **state)
{
	(void)state;
	expect("_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	       "core::fmt::Formatter::write_str");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	/* With an identifier that is not ASCII. */
	expect("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	       "utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83"
	       "\x9a\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1"
	       "\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93"
	       "\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98");
}

static void names_of_types(void **state)
{
	(void)state;
	expect_type("N4shop5OrderE", "shop::Order");
	expect_type("5Shape", "Shape");
	expect_type("3BoxIiE", "Box<int>");
	expect_type("i", "int");
}

static void other_names_are_copied(void **state)
{
	char buffer[PM_DEMANGLED_SIZE];
	(void)state;
	expect_copy("main");
	expect_copy("");
	expect_copy("_ZZZ");
	expect_copy("_R");
	expect_copy("__cxa_throw");
	expect_copy("\xff\xfe");
	assert_false(pm_demangle_type("", buffer, sizeof buffer));
	assert_string_equal(buffer, "");
	assert_false(pm_demangle_type("5Sha", buffer, sizeof buffer));
	assert_string_equal(buffer, "5Sha");
}

static void long_names_are_cut(void **state)
{
	char name[4000], buffer[PM_DEMANGLED_SIZE], small[16];
	(void)state;

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_false(pm_demangle(name, buffer, sizeof buffer));
	assert_int_equal(strlen(buffer), sizeof buffer - 1);
	assert_string_equal(buffer + sizeof buffer - 6, "xx...");

	assert_true(pm_demangle("_ZTVN4shop5OrderE", small, sizeof small));
	assert_string_equal(small, "vtable for s...");
	/* A name that fits exactly is whole. */
	assert_true(pm_demangle_type("15AAAAABBBBBCCCCC", small, sizeof small));
	assert_string_equal(small, "AAAAABBBBBCCCCC");
}

/** Never cuts within a character. */
static void characters_are_not_cut(void **state)
{
	char buffer[64];
	(void)state;

	for (size_t size = 16; size < sizeof buffer; size++) {
		assert_true(pm_demangle("_RNqCs4fqI2P2rA04_11utf8_identsu30____"
		                        "7hkackfecea1cbdathfdh9hlq6y",
		                        buffer, size));
		size_t length = strlen(buffer);
		assert_true(length < size);
		assert_string_equal(buffer + length - 3, "...");
		/* The byte before the dots is not the first byte of a longer character. */
		assert_true(length < 4 || (unsigned char)buffer[length - 4] < 0xc0);
	}
}

/**
 * Writes a name in which each parameter contains the one before twice: the result has 2^60 times
 * the letters of the first one.
 */
static void write_bomb(char *name, const char *first)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcpy(name, first);
	for (unsigned i = 0; i < 60; i++) {
		char number[3] = { digits[i / 36], digits[i % 36], '\0' };
		const char *shown = i < 36 ? number + 1 : number;
		sprintf(name + strlen(name), "S_IS%s_S%s_E", shown, shown);
	}
}

static void bombs_of_cxx_end(void **state)
{
	char name[2048], buffer[PM_DEMANGLED_SIZE];
	(void)state;

	write_bomb(name, "_Z1fSt4pairIiiE");
	assert_true(pm_demangle(name, buffer, sizeof buffer));
	assert_int_equal(strlen(buffer), sizeof buffer - 1);
	assert_memory_equal(buffer, "f(std::pair<int, int>, std::pair<std::pair<int", 46);
	assert_string_equal(buffer + sizeof buffer - 4, "...");

	/* The name of the class is not ASCII. */
	write_bomb(name, "_Z1fSt4p\xe1irIiiE");
	assert_true(pm_demangle(name, buffer, sizeof buffer));
	assert_memory_equal(buffer, "f(std::p\xe1ir<int, int>", 21);
}

/** The same in Rust: each tuple contains the tuple before twice, the second time by a reference. */
static void bombs_of_rust_end(void **state)
{
	enum { LEVELS = 40 };
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_RMC0", buffer[PM_DEMANGLED_SIZE];
	(void)state;

	for (unsigned i = 0; i < LEVELS; i++)
		strcat(name, "T");
	strcat(name, "u");
	/* The inner types start at the highest offset after "_R". */
	for (unsigned i = LEVELS; i > 0; i--)
		sprintf(name + strlen(name), "B%c_E", digits[3 + i - 1]);

	assert_true(pm_demangle(name, buffer, sizeof buffer));
	assert_int_equal(strlen(buffer), sizeof buffer - 1);
	assert_string_equal(buffer + sizeof buffer - 4, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_cxx),       cmocka_unit_test(names_of_rust),
		cmocka_unit_test(names_of_types),     cmocka_unit_test(other_names_are_copied),
		cmocka_unit_test(long_names_are_cut), cmocka_unit_test(characters_are_not_cut),
		cmocka_unit_test(bombs_of_cxx_end),   cmocka_unit_test(bombs_of_rust_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
