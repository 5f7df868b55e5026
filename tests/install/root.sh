# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Functions for scripts that source this file: they create root directories of Debian systems, with
# the mirrors and proxies of the apt of this system, and run commands in them. Each command runs in
# namespaces of its own, so no mount and no process is left. Needs root, mmdebstrap and unshare.

# root_obstacle: prints the reason why this process cannot create and enter such a root; nothing if
# it can.
root_obstacle() {
	if [ "$(id -u)" != 0 ]; then
		echo 'only root can create a root directory of another system'
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		echo 'this process may not create namespaces'
	fi
}

# root_sources SUITE: prints lines for sources.list: the Debian mirrors of this system, for SUITE.
root_sources() {
	[ "$(sed -n 's/^ID=//p' /etc/os-release)" = debian ] || return 0
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v suite="$1" -v own="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" '
		$3 == "main" && ($2 == own || $2 == own "-updates" || $2 == own "-security") {
			print "deb", $1, suite substr($2, length(own) + 1), $3
		}' | sort -u
}

# root_settings: prints the settings of apt for proxies and dates, as lines of apt.conf.
root_settings() {
	apt-config dump --no-empty --format '%f "%v";%n' Acquire |
		grep -iE '^Acquire::((http|https|ftp)::Proxy|Check-(Valid-Until|Date)|Retries)' || :
}

# root_make DIRECTORY SUITE [OPTION]...: creates a root of SUITE in DIRECTORY; the options are those
# of mmdebstrap.
root_make() {
	root_directory=$1 root_suite=$2
	shift 2
	root_sources "$root_suite" >"$root_directory.list"
	root_settings >"$root_directory.conf"
	if grep -q 'https:' "$root_directory.list"; then
		set -- --include=ca-certificates "$@"
	fi
	# Without a list of mirrors, mmdebstrap uses its default mirror.
	if [ -s "$root_directory.list" ]; then
		set -- "$@" "$root_suite" "$root_directory" "$root_directory.list"
	else
		set -- "$@" "$root_suite" "$root_directory"
	fi
	root_status=0
	mmdebstrap --quiet --mode=root --aptopt="$root_directory.conf" "$@" || root_status=$?
	rm -f "$root_directory.list" "$root_directory.conf"
	return $root_status
}

# root_run DIRECTORY COMMAND [WORD]...: runs a command in a root with the environment of a new login
# of root, with /proc, /sys, /dev/pts and /dev/shm. It passes the proxy variables. It uses
# pivot_root, because a process in a chroot cannot create user namespaces; only without umount
# (--variant=essential) it uses chroot.
root_run() {
	root_directory=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare --mount --pid --fork --kill-child --propagation private sh -euc '
		root=$1
		shift
		mount --bind "$root" "$root"
		mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount -t devpts -o nosuid,noexec,newinstance,gid=5,mode=620,ptmxmode=666 devpts \
			"$root/dev/pts"
		mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$root/dev/shm"
		cd "$root"
		enter="chroot ."
		if [ -x usr/bin/umount ]; then
			pivot_root . mnt
			cd /
			umount -l /mnt
			enter=
		fi
		$enter env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root SHELL=/bin/sh USER=root LOGNAME=root TERM=dumb \
			${http_proxy:+http_proxy="$http_proxy"} \
			${https_proxy:+https_proxy="$https_proxy"} \
			${no_proxy:+no_proxy="$no_proxy"} "$@"
	' root_run "$root_directory" "$@"
}
