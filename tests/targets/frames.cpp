// SPDX-License-Identifier: MIT
/*
 * frames: waits for commands in a function that is 20 calls deep, without frame pointers. The
 * functions are frames::descend<0> (the innermost) to frames::descend<19>. frames::enter is inlined
 * into frames::descend<0>.
 */
extern "C" {
#include "support.h"
}

namespace frames
{

static int obey(const char *)
{
	return 1;
}

[[gnu::always_inline]] static inline int enter(int number)
{
	target_ready();
	target_obey(obey);
	return number + 1;
}

template <int Depth> [[gnu::noinline]] int descend(int number)
{
	if constexpr (Depth == 0)
		return enter(number) * 3;
	else
		return descend<Depth - 1>(number + Depth) * 3 + Depth;
}

} // namespace frames

int main(int argc, char **)
{
	target_begin();
	return frames::descend<19>(argc) == 0;
}
