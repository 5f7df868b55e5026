# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion for bash; installed as procmem in the directory of bash-completion.

_procmem_owners='unknown malloc jemalloc tcmalloc mimalloc stack file shm kernel jit java java/heap java/metaspace java/class_space java/code java/cds java/gc java/counters java/internal python python/objects python/internal v8 v8/heap v8/code v8/internal chromium chromium/partition_alloc chromium/oilpan go go/heap go/stacks go/internal dotnet dotnet/heap dotnet/internal ruby ruby/heap'
_procmem_kinds='heap arena malloc stack guard reserve jit anon shm huge code rodata data bss file device kernel'
_procmem_region_columns='address start end size rss pss pss_dirty dirty shared_clean shared_dirty private_clean private_dirty referenced anonymous
	lazyfree anon_huge hugetlb swap swap_pss locked perm offset device inode mapping kind detail owner proof why thread arena'
_procmem_group_columns='count size rss pss dirty swap referenced largest detail files'
_procmem_stale_columns='cold share touched growth growing'
_procmem_watch_columns='address rss delta growth size size-growth rate hour day verdict kind mapping'
_procmem_process_columns='pid ppid user uid state threads start size rss pss uss swap rss_swap rate new tree_rss tree_pss tree_rate depth peak limit limit% cgroup container name command'
_procmem_process_group_columns='processes memory uss shared pss rss swap rate new ended unread runtime pod largest program cgroup user container'
_procmem_class_columns='size count bytes share zeros equal arena state threads type text what example'
_procmem_leak_columns='bytes count size direct direct_bytes indirect indirect_bytes total each cycles type text example what'
_procmem_site_columns='resident change mapped calls live regions faults sites tid thread function object start end cut earlier stack site'
_procmem_output='--json --bytes --color --quiet --verbose --help --version'
_procmem_list='--sort --reverse --top --columns --csv --no-header'

# Names of running processes, or PIDs if the word starts with a digit. Names are untrusted: compgen -W
# would run a command in a name such as `$(...)`, so only plain names are offered.
_procmem_targets() {
	case $1 in
	[0-9]*) ps -e -o pid= ;;
	*) ps -e -o comm= | grep -Ex '[A-Za-z0-9][A-Za-z0-9._+-]*' | sort -u ;;
	esac
}

# Prints the number of operands before the cursor: words that are neither options nor their arguments.
# $1 is the command. With a pattern that an option gives, one more is counted for grep.
_procmem_operands() {
	local i word count=0 skip=
	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ -n "$skip" ]; then
			# The argument can follow an equals sign, which is a word of its own.
			[ "$word" = = ] || skip=
			continue
		fi
		case $1:$word in
		*:=) skip=yes ;;
		grep:-[efmABCk] | strings:-[netk] | dump:-[ok] | map:-[ksno] | watch:-[icsnok] | stale:-[ksno]) skip=yes ;;
		*:--kind | *:--owner | *:--mapping | *:--perms | *:--min-rss | *:--min-size | *:--by | *:--sort | *:--top | *:--columns | *:--output) skip=yes ;;
		strings:--bytes | *:--encoding | *:--budget | *:--growth | *:--radix | *:--for | *:--interval | *:--record | *:--peek | *:--on | *:--do | *:--cool-down) skip=yes ;;
		grep:--regexp | grep:--file | grep:--max-count | grep:--*-context | grep:--context | grep:--timeout | grep:--int | grep:--float | grep:--save | grep:--next | grep:--keep) skip=yes ;;
		watch:--count) skip=yes ;;
		*:-*) ;;
		*) count=$((count + 1)) ;;
		esac
		case $1:$word in grep:-[ef] | grep:--regexp | grep:--file | grep:--int | grep:--float | grep:--next) count=$((count + 1000)) ;; esac
	done
	# Several patterns count once.
	[ "$count" -lt 1000 ] || count=$((count % 1000 + 1))
	printf '%s\n' "$count"
}

# Completes the last word of a comma-separated list that may start with a plus sign. $1 is the typed
# text, $2 the words.
_procmem_words() {
	local before=
	case $1 in *,*) before=${1%,*}, ;; +*) before=+ ;; esac
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${1#"$before"}")
	compopt -o nospace
}

_procmem() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} columns=$_procmem_region_columns joined=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'why ps who cgroup map dump heap refs leaks strings grep watch snap diff headroom trace stale pressure shell help --help --version' -- "$word")
		return
	fi
	# bash splits --sort=rss into three words.
	case $word:$before in
	=:*) word= joined== ;;
	*:=) before=${COMP_WORDS[COMP_CWORD - 2]} joined== ;;
	esac
	case $command:${COMP_WORDS[*]} in
	ps:*' --by'[\ =]*) columns=$_procmem_process_group_columns ;;
	ps:*) columns=$_procmem_process_columns ;;
	heap:*) columns=$_procmem_class_columns ;;
	leaks:*) columns=$_procmem_leak_columns ;;
	trace:*) columns=$_procmem_site_columns ;;
	watch:*) columns=$_procmem_watch_columns ;;
	stale:*' --by '*) columns="$(expr "${COMP_WORDS[*]}" : '.* --by  *=* *\([a-z]*\)') $_procmem_group_columns cold"
		[[ $columns != 'owner '* ]] || columns+=' share inferred what' ;;
	stale:*) columns="$_procmem_region_columns $_procmem_stale_columns" ;;
	# Sums have their own columns, and the column by which they are grouped.
	map:*' --by '*) columns="$(expr "${COMP_WORDS[*]}" : '.* --by  *=* *\([a-z]*\)') $_procmem_group_columns"
		[[ $columns != 'owner '* ]] || columns+=' share inferred what'
		[[ $columns != 'arena '* ]] || columns+=' in_use free threads' ;;
	esac
	case $command:$before in
	snap:-o | snap:--output | dump:-o | dump:--output) compopt -o default && return ;;
	watch:--by) mapfile -t COMPREPLY < <(compgen -W 'owner' -- "$word") && return ;;
	watch:-s | watch:--sort) mapfile -t COMPREPLY < <(compgen -W 'growth rate rss delta' -- "$word") && return ;;
	watch:--on) mapfile -t COMPREPLY < <(compgen -W 'rss> grow> rate> kind: region> headroom< regions> threads>' -- "$word") && return ;;
	watch:--do) mapfile -t COMPREPLY < <(compgen -W 'exit exec: snap: dump: why:' -- "$word") && return ;;
	watch:--record | headroom:--from) compopt -o default && return ;;
	watch:-i | watch:--interval | watch:-c | watch:--count | *:--for | watch:--budget | watch:--peek | watch:--cool-down | headroom:--min | headroom:-s | headroom:--sort) return ;;
	strings:-e | strings:--encoding) _procmem_words "$word" 'all u s S l b L B' && return ;;
	strings:-t | strings:--radix) mapfile -t COMPREPLY < <(compgen -W 'x d o n' -- "$word") && return ;;
	strings:-n | strings:--bytes | strings:--budget | strings:--growth | strings:-s | strings:--sort | strings:-o | strings:--columns) return ;;
	heap:--by) _procmem_words "$word" 'size type text arena state thread' && return ;;
	ps:--by) mapfile -t COMPREPLY < <(compgen -W 'program cgroup user container' -- "$word") && return ;;
	trace:--by) mapfile -t COMPREPLY < <(compgen -W 'stack function thread object' -- "$word") && return ;;
	trace:--backend) mapfile -t COMPREPLY < <(compgen -W 'auto perf ptrace' -- "$word") && return ;;
	trace:--svg | trace:--folded | trace:--pprof | trace:--record) compopt -o default && return ;;
	trace:--every | trace:--stack | trace:--strings) return ;;
	heap:--state) _procmem_words "$word" 'in_use cached free top all' && return ;;
	heap:--growth | heap:--max-stop | why:--max-stop | heap:--tree | heap:--size | heap:--type | heap:--text | leaks:--max-stop | refs:--max-stop | refs:--depth) return ;;
	grep:--by) mapfile -t COMPREPLY < <(compgen -W 'kind' -- "$word") && return ;;
	diff:--by) mapfile -t COMPREPLY < <(compgen -W 'kind mapping owner site' -- "$word") && return ;;
	grep:--keep) mapfile -t COMPREPLY < <(compgen -W 'changed same grew shrank' -- "$word") && return ;;
	grep:--int | grep:--float) return ;;
	grep:--save | grep:--next | grep:-f | grep:--file | shell:-f | shell:--file) compopt -o default && return ;;
	shell:-c | shell:--command) return ;;
	shell:-k | shell:--keep-going) before= ;;
	grep:-[emABC] | grep:--regexp | grep:--max-count | grep:--after-context | grep:--before-context | grep:--context | grep:--timeout) return ;;
	# These letters take an argument in other commands.
	grep:-s | grep:-o) before= ;;
	strings:--sort) mapfile -t COMPREPLY < <(compgen -W 'bytes count length' -- "$word") && return ;;
	snap:-s | snap:--sort | diff:-s | diff:--sort | dump:-s | dump:--sort) return ;;
	esac
	# The argument of --color is optional, so it must follow an equals sign.
	[ "$joined$before" != =--color ] || mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word")
	[ ${#COMPREPLY[@]} -eq 0 ] || return
	case $before in
	-s | --sort) mapfile -t COMPREPLY < <(compgen -W "$columns" -- "$word") && return ;;
	-o | --columns) _procmem_words "$word" "help $columns" && return ;;
	-k | --kind) _procmem_words "$word" "$_procmem_kinds" && return ;;
	--owner) _procmem_words "$word" "$_procmem_owners" && return ;;
	--by) mapfile -t COMPREPLY < <(compgen -W 'kind mapping perms arena thread object owner' -- "$word") && return ;;
	--perms) mapfile -t COMPREPLY < <(compgen -W 'r rw rx rwx x r--p rw-p r-xp ---p' -- "$word") && return ;;
	-n | --top | --mapping | --min-rss | --min-size) return ;;
	esac
	case $command:$word in
	help:*) mapfile -t COMPREPLY < <(compgen -W 'why ps who cgroup map dump heap refs leaks strings grep watch snap diff headroom trace stale pressure shell' -- "$word") ;;
	map:-*)
		mapfile -t COMPREPLY < <(compgen -W "--all --by --why --pmap --all-processes --children --cgroup --kind --owner --mapping --perms --min-rss --min-size
			$_procmem_list $_procmem_output" -- "$word")
		;;
	dump:-*)
		mapfile -t COMPREPLY < <(compgen -W "--output --hex --raw --core --respect-filter --stop --whole-files --kind --owner --mapping --perms --min-rss --min-size
			$_procmem_output" -- "$word")
		;;
	strings:-*)
		mapfile -t COMPREPLY < <(compgen -W "--all --bytes --encoding --include-all-whitespace --unique --similar --growth --sort --top --budget --all-processes --children --cgroup --stop --whole-files --in-use --freed --chunks --kind --owner --mapping
			--perms --min-rss --min-size --radix --offset --raw --json --csv --color --quiet --verbose --help --version" -- "$word")
		;;
	grep:-*)
		mapfile -t COMPREPLY < <(compgen -W "--regexp --file --fixed-strings --hex --ignore-case --utf --wide --multiline --int --float --aligned --save --next --keep --all-processes --children --cgroup --stop
			--timeout --by --unique --whole-files --in-use --freed --chunks --kind --owner --mapping --perms --min-rss --min-size --only-matching --byte-offset --count --regions-with-matches --max-count
			--after-context --before-context --context --json --csv --color --quiet --no-messages --verbose --help --version" -- "$word")
		;;
	watch:-*)
		mapfile -t COMPREPLY < <(compgen -W "--interval --count --csv --for --sort --top --columns --record --budget --by --peek --heap --plain --children --cgroup --all-processes --follow --on --do --again --cool-down --kind --owner --mapping --perms --min-rss
			--min-size $_procmem_output" -- "$word")
		;;
	heap:-*)
		mapfile -t COMPREPLY < <(compgen -W "--all --by --list --retained --tree --max-stop --growth --size --type --text --state --stop $_procmem_list $_procmem_output" -- "$word")
		;;
	leaks:-*)
		mapfile -t COMPREPLY < <(compgen -W "--all --direct --min-size --max-stop $_procmem_list $_procmem_output" -- "$word")
		;;
	stale:-*)
		mapfile -t COMPREPLY < <(compgen -W "--for --yes --all --by --kind --owner --mapping --perms --min-rss --min-size
			$_procmem_list $_procmem_output" -- "$word")
		;;
	trace:-*)
		mapfile -t COMPREPLY < <(compgen -W "--for --faults --every --backend --stack --all --by --strings --svg --folded --pprof --record
			$_procmem_list $_procmem_output" -- "$word")
		;;
	why:-*) mapfile -t COMPREPLY < <(compgen -W "--for --cgroup --deep --max-stop --no-strings --html --all $_procmem_output" -- "$word") ;;
	refs:-*) mapfile -t COMPREPLY < <(compgen -W "--all --depth --to --max-stop $_procmem_output" -- "$word") ;;
	headroom:-*) mapfile -t COMPREPLY < <(compgen -W "--for --from --csv --min --children --cgroup --all-processes --follow $_procmem_output" -- "$word") ;;
	pressure:-*) mapfile -t COMPREPLY < <(compgen -W "--for $_procmem_output" -- "$word") ;;
	who:-*) mapfile -t COMPREPLY < <(compgen -W "--all --for $_procmem_output" -- "$word") ;;
	cgroup:-*) mapfile -t COMPREPLY < <(compgen -W "--for --top $_procmem_output" -- "$word") ;;
	snap:-*) mapfile -t COMPREPLY < <(compgen -W "--output --heap --list --csv $_procmem_output" -- "$word") ;;
	diff:-*)
		mapfile -t COMPREPLY < <(compgen -W "--by --top --csv --force --html --kind --owner --mapping --perms --min-rss --min-size $_procmem_output" -- "$word")
		;;
	ps:-*) mapfile -t COMPREPLY < <(compgen -W "--all --tree --by --for $_procmem_list $_procmem_output" -- "$word") ;;
	shell:-*) mapfile -t COMPREPLY < <(compgen -W '--command --file --keep-going --help --version' -- "$word") ;;
	map:* | dump:* | strings:* | grep:* | watch:* | stale:*)
		local operands
		operands=$(_procmem_operands "$command")
		[ "$command" != grep ] || operands=$((operands - 1))
		# The first operand is TARGET (after the pattern of grep), the others are REGIONs.
		if [ "$operands" -eq 0 ]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_procmem_targets "$word")" -- "$word")
			compopt -o default
		elif [ "$operands" -gt 0 ]; then
			mapfile -t COMPREPLY < <(compgen -W "$_procmem_kinds all [heap] [stack]" -- "$word")
		fi
		;;
	diff:* | shell:* | heap:* | leaks:* | refs:* | trace:* | who:* | cgroup:*)
		mapfile -t COMPREPLY < <(compgen -W "$(_procmem_targets "$word")" -- "$word")
		compopt -o default
		;;
	ps:* | snap:* | headroom:* | pressure:* | why:*)
		mapfile -t COMPREPLY < <(compgen -W "$(_procmem_targets "$word")" -- "$word")
		[ "$command" != snap ] || compopt -o default
		;;
	esac
}

complete -F _procmem procmem
