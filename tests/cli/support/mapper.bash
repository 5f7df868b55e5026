# SPDX-License-Identifier: MIT
# A mapper that is the target of all tests in a file (`load support/mapper`, outside of functions).

setup_file() {
	load "${BASH_SOURCE[0]%/*}/helper"
	target_start mapper
	export TARGET_PID TARGET_FACTS
}

teardown_file() {
	targets_stop
}
