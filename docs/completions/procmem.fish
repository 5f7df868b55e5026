# SPDX-License-Identifier: MIT
# Completion for fish; installed in its vendor_completions.d directory.

set -l owners unknown malloc jemalloc tcmalloc mimalloc stack file shm kernel jit java python v8 chromium go dotnet ruby \
    java/heap java/metaspace java/class_space java/code java/cds java/gc java/counters java/internal python/objects python/internal \
    v8/heap v8/code v8/internal chromium/partition_alloc chromium/oilpan go/heap go/stacks go/internal dotnet/heap dotnet/internal ruby/heap
set -l kinds heap arena malloc stack guard reserve jit anon shm huge code rodata data bss file device kernel
set -l region_columns address start end size rss pss pss_dirty dirty shared_clean shared_dirty private_clean private_dirty referenced anonymous \
    lazyfree anon_huge hugetlb swap swap_pss locked perm offset device inode mapping kind detail proof why thread arena
set -l watch_columns address rss delta growth size size-growth rate hour day verdict kind mapping
set -l class_columns size count bytes share zeros equal arena state threads type text what example
set -l leak_columns bytes count size direct direct_bytes indirect indirect_bytes total each cycles type text example what
set -l site_columns resident change mapped calls live regions faults sites tid thread function object start end cut earlier stack site
set -l process_columns pid ppid user uid state threads start size rss pss uss swap rss_swap rate new tree_rss tree_pss tree_rate depth peak limit limit% cgroup container name command
set -l process_group_columns processes memory uss shared pss rss swap rate new ended unread runtime pod largest program cgroup user container
set -l stale_columns cold share touched growth growing
set -l process_columns pid user uid state threads size rss pss swap peak limit limit% name command

# Processes: PIDs if the word starts with a digit, names otherwise.
function __procmem_targets
    if string match -qr '^[0-9]' -- (commandline -ct)
        ps -e -o pid=,comm= | string trim | string replace -r '^(\S+)\s+' '$1\t'
    else
        ps -e -o comm= | sort -u | string replace -r '$' '\tProcess'
    end
end

# Whether TARGET was given, so that the next operand is a REGION. $argv: the number of operands before
# TARGET. Options that take an argument are those of any command.
function __procmem_has_target
    set -l skip no
    set -l count 0
    for word in (commandline -opc)[3..]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case --kind --owner --mapping --perms --min-rss --min-size --by --sort --top --columns --output --encoding --budget --growth \
                    --radix --for --interval --count --record --peek --on --do --cool-down -k -n
                set skip yes
            case -e --regexp -f --file --int --float --next
                set skip yes
                test $argv[1] -gt 0; and set argv 0
            case -m -A -B -C --max-count --after-context --before-context --context --timeout --save --keep
                set skip yes
            case '-*'
            case '*'
                set count (math $count + 1)
        end
    end
    test $count -gt $argv[1]
end

# Columns of map. Sums have their own columns, and the column by which they are grouped.
function __procmem_map_columns
    set -l by (commandline -opc | string join ' ' | string match -r -- '--by[= ]([a-z]+)')
    if set -q by[2]
        string join \n $by[2] count size rss pss dirty swap referenced largest detail files
    else
        string join \n $argv
    end
end

complete -c procmem -n __fish_use_subcommand -f -a why -d 'Report why the memory of a process grows or weighs'
complete -c procmem -n __fish_use_subcommand -f -a map -d 'List memory regions of a process'
complete -c procmem -n __fish_use_subcommand -f -a dump -d 'Print bytes of memory regions'
complete -c procmem -n __fish_use_subcommand -f -a strings -d 'Print text in memory'
complete -c procmem -n __fish_use_subcommand -f -a grep -d 'Search memory for a pattern'
complete -c procmem -n __fish_use_subcommand -f -a heap -d 'Show what is inside malloc'
complete -c procmem -n __fish_use_subcommand -f -a leaks -d 'Find chunks of malloc that nothing points to'
complete -c procmem -n __fish_use_subcommand -f -a refs -d 'Show what points to an address'
complete -c procmem -n __fish_use_subcommand -f -a ps -d 'List processes by memory'
complete -c procmem -n __fish_use_subcommand -f -a who -d 'Show which processes use a file or shared memory'
complete -c procmem -n __fish_use_subcommand -f -a watch -d 'Report which regions grow'
complete -c procmem -n __fish_use_subcommand -f -a headroom -d 'Report how much a process may still grow'
complete -c procmem -n __fish_use_subcommand -f -a pressure -d 'Report what waits for memory'
complete -c procmem -n __fish_use_subcommand -f -a cgroup -d 'Report what fills a memory cgroup'
complete -c procmem -n __fish_use_subcommand -f -a snap -d 'Write a sample to a file'
complete -c procmem -n __fish_use_subcommand -f -a diff -d 'Report what changed between two moments'
complete -c procmem -n __fish_use_subcommand -f -a stale -d 'Report memory that is not touched'
complete -c procmem -n __fish_use_subcommand -f -a trace -d 'Show which code maps memory'
complete -c procmem -n __fish_use_subcommand -f -a shell -d 'Run all commands at a prompt'
complete -c procmem -n __fish_use_subcommand -f -a help -d 'Show help for a command'
complete -c procmem -n '__fish_seen_subcommand_from help' -f -a 'why ps who cgroup map dump heap refs leaks strings grep watch snap diff headroom trace stale pressure shell'
complete -c procmem -s h -l help -d 'Show help'
complete -c procmem -s V -l version -d 'Show the version'

for command in why map dump heap leaks refs ps who watch headroom pressure cgroup snap diff stale trace
    set -l here "__fish_seen_subcommand_from $command"
    complete -c procmem -n $here -l json -d 'Print one JSON object'
    complete -c procmem -n $here -s b -l bytes -d 'Print sizes in bytes'
    complete -c procmem -n $here -l color -f -a 'auto always never' -d 'Use colour'
    complete -c procmem -n $here -s q -l quiet -d 'No notes on stderr'
    complete -c procmem -n $here -s v -l verbose -d 'Report what was read'
end

for command in map heap leaks ps stale trace
    set -l here "__fish_seen_subcommand_from $command"
    complete -c procmem -n $here -s a -l all -d 'Show everything'
    complete -c procmem -n $here -s r -l reverse -d 'Reverse the order'
    complete -c procmem -n $here -s n -l top -x -d 'Show only the first N'
    complete -c procmem -n $here -l csv -d 'Print comma-separated values'
    complete -c procmem -n $here -l no-header -d 'Print rows only'
end

set -l why '__fish_seen_subcommand_from why'
complete -c procmem -n $why -f -a '(__procmem_targets)'
complete -c procmem -n $why -l for -x -d 'Observe for this time'
complete -c procmem -n $why -l cgroup -r -d 'Investigate a cgroup'
complete -c procmem -n $why -l deep -d 'Find out who holds the chunks of the first finding'
complete -c procmem -n $why -l max-stop -x -d 'Refuse to stop the process for longer'
complete -c procmem -n $why -l no-strings -d 'Show no content of memory'
complete -c procmem -n $why -l html -r -F -d 'Also write a report'
complete -c procmem -n $why -s a -l all -d 'Show all findings'

set -l map '__fish_seen_subcommand_from map'
complete -c procmem -n "$map; and not __procmem_has_target 0" -a '(__procmem_targets)'
complete -c procmem -n "$map; and __procmem_has_target 0" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $map -l by -x -a 'kind mapping perms arena thread object owner' -d 'Print sums by'
complete -c procmem -n $map -l why -d 'Show the rule for each kind'
complete -c procmem -n $map -s x -l pmap -d 'Print what pmap -x prints'
complete -c procmem -n $map -s s -l sort -x -a "(__procmem_map_columns $region_columns)" -d 'Sort by'
complete -c procmem -n $map -s o -l columns -x -a "(__fish_append , help (__procmem_map_columns $region_columns))" -d 'Show these columns'
complete -c procmem -n $map -l all-processes -d 'If TARGET is the name of several processes, read all of them'
complete -c procmem -n $map -l children -d 'Read TARGET and all its descendants'
complete -c procmem -n $map -l cgroup -d 'Read all processes of the memory cgroup of TARGET'
complete -c procmem -n $map -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $map -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $map -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $map -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $map -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $map -l min-size -x -d 'Select regions at least this long'

set -l dump '__fish_seen_subcommand_from dump'
complete -c procmem -n "$dump; and not __procmem_has_target 0" -a '(__procmem_targets)'
complete -c procmem -n "$dump; and __procmem_has_target 0" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $dump -s o -l output -r -d 'Write to a file'
complete -c procmem -n $dump -l hex -d 'Print text even if not on a terminal'
complete -c procmem -n $dump -l raw -d 'Print raw bytes even on a terminal'
complete -c procmem -n $dump -l core -d 'Write an ELF core file'
complete -c procmem -n $dump -l respect-filter -d 'Leave out what the kernel would leave out'
complete -c procmem -n $dump -l stop -d 'Stop the process while it is read'
complete -c procmem -n $dump -l whole-files -d 'Include untouched pages of files'
complete -c procmem -n $dump -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $dump -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $dump -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $dump -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $dump -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $dump -l min-size -x -d 'Select regions at least this long'

set -l strings '__fish_seen_subcommand_from strings'
complete -c procmem -n "$strings; and not __procmem_has_target 0" -a '(__procmem_targets)'
complete -c procmem -n "$strings; and __procmem_has_target 0" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $strings -s a -l all -d 'Accepted, without effect'
complete -c procmem -n $strings -l growth -x -d 'Count twice, this time apart'
complete -c procmem -n $strings -l csv -d 'With -u, print comma-separated values'
complete -c procmem -n $strings -s n -l bytes -x -d 'Minimum length in characters'
complete -c procmem -n $strings -s e -l encoding -x -a '(__fish_append , all u s S l b L B)' -d 'Search for these encodings'
complete -c procmem -n $strings -s w -l include-all-whitespace -d 'Treat newlines as part of strings'
complete -c procmem -n $strings -s u -l unique -d 'Count distinct strings'
complete -c procmem -n $strings -l similar -d 'Count strings together that differ only in numbers'
complete -c procmem -n $strings -l sort -x -a 'bytes count length' -d 'Sort counted strings by'
complete -c procmem -n $strings -l all-processes -d 'If TARGET is the name of several processes, read all of them'
complete -c procmem -n $strings -l children -d 'Read TARGET and all its descendants'
complete -c procmem -n $strings -l cgroup -d 'Read all processes of the memory cgroup of TARGET'
complete -c procmem -n $strings -l top -x -d 'Show only the first N'
complete -c procmem -n $strings -l budget -x -d 'Limit the memory for counting'
complete -c procmem -n $strings -l stop -d 'Stop the process while it is read'
complete -c procmem -n $strings -l whole-files -d 'Include untouched pages of files'
complete -c procmem -n $strings -l in-use -d 'Only strings in chunks of malloc in use'
complete -c procmem -n $strings -l freed -d 'Only strings in freed chunks of malloc'
complete -c procmem -n $strings -l chunks -d 'Print the chunk of malloc'
complete -c procmem -n $strings -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $strings -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $strings -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $strings -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $strings -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $strings -l min-size -x -d 'Select regions at least this long'
complete -c procmem -n $strings -s t -l radix -x -a 'x d o n' -d 'Format of addresses'
complete -c procmem -n $strings -l offset -d 'Print offsets in the region'
complete -c procmem -n $strings -l raw -d 'Print characters unchanged'
complete -c procmem -n $strings -l json -d 'Print one JSON object per string'
complete -c procmem -n $strings -l color -f -a 'auto always never' -d 'Use colour'
complete -c procmem -n $strings -s q -l quiet -d 'No notes on stderr'
complete -c procmem -n $strings -s v -l verbose -d 'Report what was searched'

set -l heap '__fish_seen_subcommand_from heap'
complete -c procmem -n $heap -a '(__procmem_targets)'
complete -c procmem -n $heap -l by -x -a '(__fish_append , size type text arena state thread)' -d 'Count chunks by'
complete -c procmem -n $heap -l list -d 'List chunks by address'
complete -c procmem -n $heap -l retained -d 'Show which roots hold chunks'
complete -c procmem -n $heap -l tree -x -d 'Show through which chunks a root holds others'
complete -c procmem -n $heap -l max-stop -x -d 'Refuse a longer stop'
complete -c procmem -n $heap -l growth -x -d 'Show chunks that are new and not freed in this time'
complete -c procmem -n $heap -l size -x -d 'Select chunks of this size'
complete -c procmem -n $heap -l type -x -d 'Select chunks whose type matches'
complete -c procmem -n $heap -l text -x -d 'Select chunks whose text matches'
complete -c procmem -n $heap -l state -x -a '(__fish_append , in_use cached free top all)' -d 'Select chunks in these states'
complete -c procmem -n $heap -l stop -d 'Stop the process while it is read'
complete -c procmem -n $heap -s s -l sort -x -a "$class_columns" -d 'Sort by'
complete -c procmem -n $heap -s o -l columns -x -a "(__fish_append , help $class_columns)" -d 'Show these columns'

set -l leaks '__fish_seen_subcommand_from leaks'
complete -c procmem -n $leaks -a '(__procmem_targets)'
complete -c procmem -n $leaks -l direct -d 'Count only where a loss begins'
complete -c procmem -n $leaks -l min-size -x -d 'Show only chunks of at least this size'
complete -c procmem -n $leaks -l max-stop -x -d 'Refuse to stop the process for longer'
complete -c procmem -n $leaks -s s -l sort -x -a "$leak_columns" -d 'Sort by'
complete -c procmem -n $leaks -s o -l columns -x -a "(__fish_append , help $leak_columns)" -d 'Show these columns'

set -l stale '__fish_seen_subcommand_from stale'
complete -c procmem -n "$stale; and not __procmem_has_target 0" -a '(__procmem_targets)'
complete -c procmem -n "$stale; and __procmem_has_target 0" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $stale -l for -x -d 'Measure for this time'
complete -c procmem -n $stale -l yes -d 'Measure also a process with more than 8 GiB'
complete -c procmem -n $stale -l by -x -a 'kind mapping perms arena thread object owner' -d 'Print sums by'
complete -c procmem -n $stale -s s -l sort -x -a "(__procmem_map_columns $region_columns $stale_columns)" -d 'Sort by'
complete -c procmem -n $stale -s o -l columns -x -a "(__fish_append , help (__procmem_map_columns $region_columns $stale_columns))" -d 'Show these columns'
complete -c procmem -n $stale -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $stale -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $stale -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $stale -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $stale -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $stale -l min-size -x -d 'Select regions at least this long'

set -l trace '__fish_seen_subcommand_from trace'
complete -c procmem -n $trace -a '(__procmem_targets)'
complete -c procmem -n $trace -l for -x -d 'Trace for this time'
complete -c procmem -n $trace -l faults -d 'Record page faults'
complete -c procmem -n $trace -l every -x -d 'Print a table at this interval'
complete -c procmem -n $trace -l backend -x -a 'auto perf ptrace' -d 'How to record calls'
complete -c procmem -n $trace -l stack -x -d 'Copy this much of each stack'
complete -c procmem -n $trace -l by -x -a 'stack function thread object' -d 'Sum up by'
complete -c procmem -n $trace -l strings -x -d 'Show the most frequent strings of each site'
complete -c procmem -n $trace -l svg -r -F -d 'Write a flame graph'
complete -c procmem -n $trace -l folded -r -F -d 'Write a line for each stack'
complete -c procmem -n $trace -l pprof -r -F -d 'Write a profile of pprof'
complete -c procmem -n $trace -l record -r -F -d 'Add the sites to a recording'
complete -c procmem -n $trace -s s -l sort -x -a "$site_columns" -d 'Sort by'
complete -c procmem -n $trace -s o -l columns -x -a "(__fish_append , help $site_columns)" -d 'Show these columns'

set -l who '__fish_seen_subcommand_from who'
complete -c procmem -n $who -a '(__procmem_targets)'
complete -c procmem -n $who -s a -l all -d 'Show all users or files'
complete -c procmem -n $who -l for -x -d 'Watch the file for this time'

set -l refs '__fish_seen_subcommand_from refs'
complete -c procmem -n $refs -a '(__procmem_targets)'
complete -c procmem -n $refs -s a -l all -d 'Show all references'
complete -c procmem -n $refs -l depth -x -d 'Show so many levels'
complete -c procmem -n $refs -l to -d 'Show what the memory points to'
complete -c procmem -n $refs -l max-stop -x -d 'Refuse to stop the process for longer'

set -l grep '__fish_seen_subcommand_from grep'
complete -c procmem -n "$grep; and not __procmem_has_target 1" -f -a '(__procmem_targets)'
complete -c procmem -n "$grep; and __procmem_has_target 1" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $grep -s e -l regexp -x -d 'Search for this pattern'
complete -c procmem -n $grep -s f -l file -r -d 'Search for each line of a file'
complete -c procmem -n $grep -s F -l fixed-strings -d 'Treat patterns as plain text'
complete -c procmem -n $grep -l hex -d 'Treat patterns as hexadecimal bytes'
complete -c procmem -n $grep -s i -l ignore-case -d 'Ignore case'
complete -c procmem -n $grep -s u -l utf -d 'Treat patterns and memory as UTF-8'
complete -c procmem -n $grep -l wide -d 'Also find text in UTF-16'
complete -c procmem -n $grep -s M -l multiline -d 'Let ^ and $ match at line boundaries'
complete -c procmem -n $grep -l int -x -d 'Search for an integer'
complete -c procmem -n $grep -l float -x -d 'Search for a floating-point number'
complete -c procmem -n $grep -l aligned -d 'Only numbers at multiples of their size'
complete -c procmem -n $grep -l save -r -d 'Save the numbers that are found'
complete -c procmem -n $grep -l next -r -d 'Read saved numbers again'
complete -c procmem -n $grep -l keep -x -a 'changed same grew shrank' -d 'Keep only some of the saved numbers'
complete -c procmem -n $grep -l all-processes -d 'Search all processes of that name'
complete -c procmem -n $grep -l children -d 'Read TARGET and all its descendants'
complete -c procmem -n $grep -l cgroup -d 'Read all processes of the memory cgroup of TARGET'
complete -c procmem -n $grep -l stop -d 'Stop the process while it is read'
complete -c procmem -n $grep -l whole-files -d 'Include untouched pages of files'
complete -c procmem -n $grep -l in-use -d 'Only matches in chunks of malloc in use'
complete -c procmem -n $grep -l freed -d 'Only matches in freed chunks of malloc'
complete -c procmem -n $grep -l chunks -d 'Print the chunk of malloc'
complete -c procmem -n $grep -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $grep -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $grep -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $grep -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $grep -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $grep -l min-size -x -d 'Select regions at least this long'
complete -c procmem -n $grep -s o -l only-matching -d 'Print only the matches'
complete -c procmem -n $grep -s b -l byte-offset -d 'With -o, print the address of each match'
complete -c procmem -n $grep -s c -l count -d 'Count matches by region'
complete -c procmem -n $grep -s l -l regions-with-matches -d 'List regions with matches'
complete -c procmem -n $grep -s m -l max-count -x -d 'Stop after N matches'
complete -c procmem -n $grep -l by -x -a kind -d 'With -c, sum up by kind'
complete -c procmem -n $grep -l unique -d 'Count distinct matches'
complete -c procmem -n $grep -l timeout -x -d 'End the search after this time'
complete -c procmem -n $grep -s A -l after-context -x -d 'Show bytes after each match'
complete -c procmem -n $grep -s B -l before-context -x -d 'Show bytes before each match'
complete -c procmem -n $grep -s C -l context -x -d 'Show bytes around each match'
complete -c procmem -n $grep -l csv -d 'With -c, print comma-separated values'
complete -c procmem -n $grep -l json -d 'Print one JSON object per match'
complete -c procmem -n $grep -l color -f -a 'auto always never' -d 'Use colour'
complete -c procmem -n $grep -s q -l quiet -d 'Print nothing'
complete -c procmem -n $grep -s s -l no-messages -d 'No notes on stderr'
complete -c procmem -n $grep -s v -l verbose -d 'List what could not be read'

set -l ps '__fish_seen_subcommand_from ps'
complete -c procmem -n $ps -f -a '(__procmem_targets)'
complete -c procmem -n $ps -l tree -d 'List children below their parents'
complete -c procmem -n $ps -l by -x -a 'program cgroup user container' -d 'List groups of processes'
complete -c procmem -n $ps -l for -x -d 'Show how fast memory changes in this time'
complete -c procmem -n $ps -s s -l sort -x -a "$process_columns $process_group_columns" -d 'Sort by'
complete -c procmem -n $ps -s o -l columns -x -a "(__fish_append , help $process_columns $process_group_columns)" -d 'Show these columns'

set -l snap '__fish_seen_subcommand_from snap'
complete -c procmem -n $snap -a '(__procmem_targets)'
complete -c procmem -n $snap -s o -l output -r -d 'Write to this recording'
complete -c procmem -n $snap -l heap -d 'Also count the chunks of malloc'
complete -c procmem -n $snap -l csv -d 'With -l, print comma-separated values'
complete -c procmem -n $snap -s l -l list -d 'List the samples of a recording'

set -l diff '__fish_seen_subcommand_from diff'
complete -c procmem -n $diff -a '(__procmem_targets)'
complete -c procmem -n $diff -l by -x -a 'kind mapping owner site' -d 'Print sums by'
complete -c procmem -n $diff -s n -l top -x -d 'Show only the N largest changes'
complete -c procmem -n $diff -l csv -d 'Print comma-separated values'
complete -c procmem -n $diff -l force -d 'Allow comparing two different processes'
complete -c procmem -n $diff -l html -r -F -d 'Also write a report'
complete -c procmem -n $diff -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $diff -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $diff -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $diff -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $diff -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $diff -l min-size -x -d 'Select regions at least this long'

set -l watch '__fish_seen_subcommand_from watch'
complete -c procmem -n "$watch; and not __procmem_has_target 0" -a '(__procmem_targets)'
complete -c procmem -n "$watch; and __procmem_has_target 0" -f -a "$kinds all" -d 'Region'
complete -c procmem -n $watch -s i -l interval -x -d 'Seconds between samples'
complete -c procmem -n $watch -s c -l count -x -d 'Stop after N samples'
complete -c procmem -n $watch -l for -x -d 'Stop after this time'
complete -c procmem -n $watch -s s -l sort -x -a 'growth rate rss delta' -d 'Sort by'
complete -c procmem -n $watch -s n -l top -x -d 'Show only the first N'
complete -c procmem -n $watch -l record -r -d 'Write a recording'
complete -c procmem -n $watch -l budget -x -d 'CPU limit, in percent of one core'
complete -c procmem -n $watch -l heap -d 'Show which chunks of malloc grow'
complete -c procmem -n $watch -l by -x -a owner -d 'Show a row for each owner'
complete -c procmem -n $watch -l peek -x -d 'Show the N most frequent strings in new pages'
complete -c procmem -n $watch -l on -x -a 'rss\> grow\> rate\> kind: region\> headroom\< regions\>' -d 'Act when this condition holds'
complete -c procmem -n $watch -l do -x -a 'exit exec: snap: dump: why:' -d 'What to do when a condition is met'
complete -c procmem -n $watch -l again -d 'Act on each value more than once'
complete -c procmem -n $watch -l cool-down -x -d 'Minimum time between actions'
complete -c procmem -n $watch -s o -l columns -x -a "(__fish_append , help $watch_columns)" -d 'Show these columns'
complete -c procmem -n $watch -l children -d 'Watch the process and its descendants'
complete -c procmem -n $watch -l cgroup -d 'Watch all processes of its cgroup'
complete -c procmem -n $watch -l all-processes -d 'Watch all processes with this name'
complete -c procmem -n $watch -l follow -d 'Continue with the next process of this name'
complete -c procmem -n $watch -l csv -d 'Print only the summary, as comma-separated values'
complete -c procmem -n $watch -l plain -d 'Print each sample as text'
complete -c procmem -n $watch -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Select regions of these kinds'
complete -c procmem -n $watch -l owner -x -a \"(__fish_append , $owners)\" -d 'Select regions of these owners'
complete -c procmem -n $watch -l mapping -x -d 'Select regions whose mapping matches'
complete -c procmem -n $watch -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Select regions with these permissions'
complete -c procmem -n $watch -l min-rss -x -d 'Select regions with this much resident'
complete -c procmem -n $watch -l min-size -x -d 'Select regions at least this long'

set -l headroom '__fish_seen_subcommand_from headroom'
complete -c procmem -n $headroom -f -a '(__procmem_targets)'
complete -c procmem -n $headroom -l for -x -d 'Watch for this long'
complete -c procmem -n $headroom -l from -r -d 'Take rates from a recording'
complete -c procmem -n $headroom -l csv -d 'Print the limits as comma-separated values'
complete -c procmem -n $headroom -l min -x -d 'Minimum memory that must be left'
complete -c procmem -n $headroom -l children -d 'Add a row for each process below the target'
complete -c procmem -n $headroom -l cgroup -d 'Add a row for each process of its cgroup'
complete -c procmem -n $headroom -l all-processes -d 'Add a row for each process with this name'
complete -c procmem -n $headroom -l follow -d 'Continue with the next process of this name'

set -l pressure '__fish_seen_subcommand_from pressure'
complete -c procmem -n $pressure -f -a '(__procmem_targets)'
complete -c procmem -n $pressure -l for -x -d 'Time between the two readings'

set -l cgroup '__fish_seen_subcommand_from cgroup'
complete -c procmem -n $cgroup -a '(__procmem_targets)'
complete -c procmem -n $cgroup -l for -x -d 'Watch for this long'
complete -c procmem -n $cgroup -s n -l top -x -d 'Show at most this number of rows'

set -l shell '__fish_seen_subcommand_from shell'
complete -c procmem -n $shell -a '(__procmem_targets)'
complete -c procmem -n $shell -s c -l command -x -d 'Run these commands'
complete -c procmem -n $shell -s f -l file -r -d 'Run the commands in a file'
complete -c procmem -n $shell -s k -l keep-going -d 'Continue after an error'
