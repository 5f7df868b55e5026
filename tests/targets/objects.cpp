// SPDX-License-Identifier: MIT
/*
 * objects: known numbers of C++ objects in the heap. Prints `class COUNT SIZE ADDRESS NAME` for
 * each class: the number of its objects, the bytes that the program may use in each chunk
 * (malloc_usable_size(3)), and the address of one of them. The program objects_stripped is the same
 * without symbols. shop::products[abi:cxx11] and shop::found(int)::kept[abi:cxx11] hold one chunk
 * each: their names have an ABI tag.
 */
extern "C" {
#include "support.h"
}

#include <malloc.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace
{

/** A class without external linkage. */
struct Hidden {
	virtual ~Hidden() = default;
	long number = 4711;
};

} // namespace

namespace shop
{

struct Order {
	virtual ~Order() = default;
	std::string customer = "a customer with a long name";
	double price = 12.5;
	int items[20] = { 1, 2, 3 };
};

std::vector<std::string> products;

std::vector<std::string> &found(int count)
{
	static std::vector<std::string> kept;
	kept.reserve(static_cast<std::size_t>(count));
	return kept;
}

} // namespace shop

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
	long padding[3] = { 1, 2, 3 };
};

struct Circle : Shape {
	double radius = 2;
	double area() const override
	{
		return 3 * radius * radius;
	}
};

struct Square : Shape {
	double side[3] = { 1, 1, 1 };
	double area() const override
	{
		return side[0] * side[1];
	}
};

struct Named {
	virtual ~Named() = default;
	char name[40] = "named";
};

/** Two base classes, so that its vtable has two parts. */
struct Sprite : Circle, Named {
	int layer = 3;
};

template <typename T> struct Box {
	virtual ~Box() = default;
	T value = 7;
	char text[90] = "boxed";
};

/** A class without virtual functions, so that its objects have no vtable. */
struct Plain {
	double numbers[12] = { 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 1.25, 2.25, 3.25 };
};

static std::vector<void *> all;

static void report(const char *name, int count, void *chunk)
{
	std::printf("class %d %zu %lx %s\n", count, malloc_usable_size(chunk),
	            reinterpret_cast<unsigned long>(chunk), name);
}

/** Creates objects of a class, and reports them. */
template <typename T> static void create(const char *name, int count)
{
	T *object = nullptr;
	for (int i = 0; i < count; i++) {
		object = new T;
		all.push_back(object);
	}
	report(name, count, object);
}

int main()
{
	target_begin();
	shop::products.reserve(20);
	shop::found(40);

	create<Circle>("Circle", 300);
	create<Square>("Square", 150);
	create<shop::Order>("shop::Order", 77);
	create<Hidden>("(anonymous namespace)::Hidden", 30);
	create<Sprite>("Sprite", 40);
	create<Box<int>>("Box<int>", 20);
	create<Plain>("numbers", 60);

	/* An array has the number of its elements before the first one. */
	Square *squares = nullptr;
	for (int i = 0; i < 12; i++) {
		squares = new Square[5];
		all.push_back(squares);
	}
	report("Square", 12, reinterpret_cast<char *>(squares) - sizeof(std::size_t));

	target_ready();
	target_obey(nullptr);
}
