#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: docs/package.sh [FOLDER]
#
# Writes packages to FOLDER (default: build/packages): the Debian packages procmem, libprocmem1 and
# libprocmem-dev, and an archive that runs from any folder.
set -eu

usage() {
	echo "usage: ${0##*/} [FOLDER]" >&2
	exit 2
}

[ $# -le 1 ] || usage
case ${1:-} in
-*) usage ;;
esac
folder=${1:-$(dirname "$0")/../build/packages}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
sh docs/setup.sh build

# The flags of Debian's own packages: hardened, and without the name of this folder in the binaries.
CFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS)
CFLAGS="$CFLAGS $(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CPPFLAGS)"
CFLAGS="$CFLAGS -ffile-prefix-map=$PWD=."
LDFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get LDFLAGS)
export CFLAGS LDFLAGS

# make PRESET GENERATOR SUFFIX: builds in FOLDER/PRESET, and moves the packages to FOLDER.
make() {
	log=$folder/$1.log
	{
		cmake --preset "$1" -B "$folder/$1" &&
			cmake --build "$folder/$1" &&
			rm -rf "$folder/$1/made" &&
			cpack --config "$folder/$1/CPackConfig.cmake" -G "$2" -B "$folder/$1/made"
	} >"$log" 2>&1 || {
		cat "$log" >&2
		exit 1
	}
	mv "$folder/$1/made"/*."$3" "$folder"
}

# Other packages in FOLDER, and packages of other versions, stay.
make debian DEB deb
make archive TGZ tar.gz
ls "$folder"/*.deb "$folder"/*.tar.gz
