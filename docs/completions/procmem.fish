# SPDX-License-Identifier: MIT
# Completion for fish; installed among its vendor_completions.d.

set -l kinds heap arena malloc stack guard reserve jit anon shm huge code rodata data bss file device kernel
set -l region_columns address start end size rss pss pss_dirty dirty shared_clean shared_dirty private_clean private_dirty referenced anonymous \
    lazyfree anon_huge hugetlb swap swap_pss locked perm offset device inode mapping kind detail proof why thread arena
set -l process_columns pid user uid state threads size rss pss swap peak limit limit% name command

complete -c procmem -n __fish_use_subcommand -f -a map -d 'Regions of a process'
complete -c procmem -n __fish_use_subcommand -f -a dump -d 'Bytes of memory regions'
complete -c procmem -n __fish_use_subcommand -f -a ps -d 'Processes by memory'
complete -c procmem -n __fish_use_subcommand -f -a watch -d 'What grows'
complete -c procmem -n __fish_use_subcommand -f -a headroom -d 'How much it may still grow'
complete -c procmem -n __fish_use_subcommand -f -a snap -d 'One sample to a file'
complete -c procmem -n __fish_use_subcommand -f -a diff -d 'What changed between two moments'
complete -c procmem -n __fish_use_subcommand -f -a help -d 'Help about a command'
complete -c procmem -s h -l help -d 'Help'
complete -c procmem -s V -l version -d 'Version'

for command in map dump ps watch headroom snap diff
    set -l here "__fish_seen_subcommand_from $command"
    complete -c procmem -n $here -l json -d 'One JSON object'
    complete -c procmem -n $here -s b -l bytes -d 'Sizes in bytes'
    complete -c procmem -n $here -l color -f -a 'auto always never' -d 'Colour'
    complete -c procmem -n $here -s q -l quiet -d 'No remarks'
    complete -c procmem -n $here -s v -l verbose -d 'Tell what was read'
end

for command in map ps
    set -l here "__fish_seen_subcommand_from $command"
    complete -c procmem -n $here -s a -l all -d 'Everything'
    complete -c procmem -n $here -s r -l reverse -d 'The other way round'
    complete -c procmem -n $here -s n -l top -x -d 'Only the first N'
    complete -c procmem -n $here -l csv -d 'Comma-separated values'
    complete -c procmem -n $here -l no-header -d 'Rows only'
end

set -l map '__fish_seen_subcommand_from map'
complete -c procmem -n $map -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $map -a "$kinds all" -d 'Region'
complete -c procmem -n $map -l by -x -a 'kind mapping perms arena thread object' -d 'Sum up'
complete -c procmem -n $map -l why -d 'Tell the rule of each kind'
complete -c procmem -n $map -s x -l pmap -d 'The text of pmap -x'
complete -c procmem -n $map -s s -l sort -x -a "$region_columns" -d 'Sort by'
complete -c procmem -n $map -s o -l columns -x -a "(__fish_append , help $region_columns)" -d 'Columns'
complete -c procmem -n $map -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $map -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $map -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $map -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $map -l min-size -x -d 'Only this long'

set -l dump '__fish_seen_subcommand_from dump'
complete -c procmem -n $dump -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $dump -a "$kinds all" -d 'Region'
complete -c procmem -n $dump -s o -l output -r -d 'Write to a file'
complete -c procmem -n $dump -l hex -d 'As text'
complete -c procmem -n $dump -l raw -d 'Nothing but the bytes'
complete -c procmem -n $dump -l core -d 'Write an ELF core file'
complete -c procmem -n $dump -l respect-filter -d 'Leave out what the kernel would'
complete -c procmem -n $dump -l stop -d 'Stop the process meanwhile'
complete -c procmem -n $dump -l whole-files -d 'Also untouched pages of files'
complete -c procmem -n $dump -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $dump -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $dump -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $dump -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $dump -l min-size -x -d 'Only this long'

set -l ps '__fish_seen_subcommand_from ps'
complete -c procmem -n $ps -f -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $ps -s s -l sort -x -a "$process_columns" -d 'Sort by'
complete -c procmem -n $ps -s o -l columns -x -a "(__fish_append , help $process_columns)" -d 'Columns'

set -l snap '__fish_seen_subcommand_from snap'
complete -c procmem -n $snap -f -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $snap -s o -l output -r -d 'The recording'

set -l diff '__fish_seen_subcommand_from diff'
complete -c procmem -n $diff -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $diff -l by -x -a 'kind mapping' -d 'Sum up'
complete -c procmem -n $diff -s n -l top -x -d 'Only the N largest changes'
complete -c procmem -n $diff -l force -d 'Compare different processes, too'
complete -c procmem -n $diff -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $diff -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $diff -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $diff -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $diff -l min-size -x -d 'Only this long'

set -l watch '__fish_seen_subcommand_from watch'
complete -c procmem -n $watch -f -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $watch -f -a "$kinds all" -d 'Region'
complete -c procmem -n $watch -s i -l interval -x -d 'Seconds between two looks'
complete -c procmem -n $watch -s c -l count -x -d 'Look N times'
complete -c procmem -n $watch -l for -x -d 'For so long'
complete -c procmem -n $watch -s s -l sort -x -a 'growth rate rss delta' -d 'Sort by'
complete -c procmem -n $watch -s n -l top -x -d 'Only the first N'
complete -c procmem -n $watch -l record -r -d 'Write a recording'
complete -c procmem -n $watch -l budget -x -d 'Percent of a core that it may use'
complete -c procmem -n $watch -l plain -d 'Text also on a terminal'
complete -c procmem -n $watch -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $watch -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $watch -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $watch -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $watch -l min-size -x -d 'Only this long'

set -l headroom '__fish_seen_subcommand_from headroom'
complete -c procmem -n $headroom -f -a '(ps -e -o comm= | sort -u)' -d 'Process'
complete -c procmem -n $headroom -l for -x -d 'Watch for so long'
complete -c procmem -n $headroom -l from -r -d 'Take the rate from a recording'
complete -c procmem -n $headroom -l min -x -d 'Least that must be left'
