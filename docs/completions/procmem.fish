# SPDX-License-Identifier: MIT
# Completion for fish; installed among its vendor_completions.d.

set -l kinds heap arena malloc stack guard reserve jit anon shm huge code rodata data bss file device kernel
set -l region_columns address start end size rss pss pss_dirty dirty shared_clean shared_dirty private_clean private_dirty referenced anonymous \
    lazyfree anon_huge hugetlb swap swap_pss locked perm offset device inode mapping kind detail proof why thread arena
set -l process_columns pid user uid state threads size rss pss swap peak limit limit% name command

# Processes: PIDs once a digit is typed, else names.
function __procmem_targets
    if string match -qr '^[0-9]' -- (commandline -ct)
        ps -e -o pid=,comm= | string trim | string replace -r '^(\S+)\s+' '$1\t'
    else
        ps -e -o comm= | sort -u | string replace -r '$' '\tProcess'
    end
end

# Columns that map has: sums have some of their own, and the one that they are by.
function __procmem_map_columns
    set -l by (commandline -opc | string join ' ' | string match -r -- '--by[= ]([a-z]+)')
    if set -q by[2]
        string join \n $by[2] count size rss pss dirty swap largest
    else
        string join \n $argv
    end
end

complete -c procmem -n __fish_use_subcommand -f -a map -d 'Regions of a process'
complete -c procmem -n __fish_use_subcommand -f -a dump -d 'Bytes of memory regions'
complete -c procmem -n __fish_use_subcommand -f -a strings -d 'Text in memory'
complete -c procmem -n __fish_use_subcommand -f -a grep -d 'Where a pattern is'
complete -c procmem -n __fish_use_subcommand -f -a ps -d 'Processes by memory'
complete -c procmem -n __fish_use_subcommand -f -a watch -d 'What grows'
complete -c procmem -n __fish_use_subcommand -f -a headroom -d 'How much it may still grow'
complete -c procmem -n __fish_use_subcommand -f -a snap -d 'One sample to a file'
complete -c procmem -n __fish_use_subcommand -f -a diff -d 'What changed between two moments'
complete -c procmem -n __fish_use_subcommand -f -a shell -d 'All of it at a prompt'
complete -c procmem -n __fish_use_subcommand -f -a help -d 'Help about a command'
complete -c procmem -n '__fish_seen_subcommand_from help' -f -a 'map dump strings grep ps watch headroom snap diff shell'
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
complete -c procmem -n $map -a '(__procmem_targets)'
complete -c procmem -n $map -a "$kinds all" -d 'Region'
complete -c procmem -n $map -l by -x -a 'kind mapping perms arena thread object' -d 'Sum up'
complete -c procmem -n $map -l why -d 'Tell the rule of each kind'
complete -c procmem -n $map -s x -l pmap -d 'The text of pmap -x'
complete -c procmem -n $map -s s -l sort -x -a "(__procmem_map_columns $region_columns)" -d 'Sort by'
complete -c procmem -n $map -s o -l columns -x -a "(__fish_append , help (__procmem_map_columns $region_columns))" -d 'Columns'
complete -c procmem -n $map -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $map -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $map -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $map -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $map -l min-size -x -d 'Only this long'

set -l dump '__fish_seen_subcommand_from dump'
complete -c procmem -n $dump -a '(__procmem_targets)'
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

set -l strings '__fish_seen_subcommand_from strings'
complete -c procmem -n $strings -a '(__procmem_targets)'
complete -c procmem -n $strings -a "$kinds all" -d 'Region'
complete -c procmem -n $strings -s n -l bytes -x -d 'At least so many characters'
complete -c procmem -n $strings -s e -l encoding -x -a '(__fish_append , all u s S l b L B)' -d 'Encodings'
complete -c procmem -n $strings -s w -l include-all-whitespace -d 'Newlines belong to strings'
complete -c procmem -n $strings -s u -l unique -d 'Different strings with their counts'
complete -c procmem -n $strings -l similar -d 'Those that differ only in numbers as one'
complete -c procmem -n $strings -l top -x -d 'Only the first N'
complete -c procmem -n $strings -l budget -x -d 'Count in this much memory'
complete -c procmem -n $strings -l stop -d 'Stop the process meanwhile'
complete -c procmem -n $strings -l whole-files -d 'Also untouched pages of files'
complete -c procmem -n $strings -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $strings -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $strings -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $strings -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $strings -l min-size -x -d 'Only this long'
complete -c procmem -n $strings -s t -l radix -x -a 'x d o n' -d 'Addresses'
complete -c procmem -n $strings -l offset -d 'Offsets in the region'
complete -c procmem -n $strings -l raw -d 'Characters as they are'
complete -c procmem -n $strings -l json -d 'A JSON object for each string'
complete -c procmem -n $strings -l color -f -a 'auto always never' -d 'Colour'
complete -c procmem -n $strings -s q -l quiet -d 'No remarks'
complete -c procmem -n $strings -s v -l verbose -d 'Tell what was searched'

set -l grep '__fish_seen_subcommand_from grep'
complete -c procmem -n $grep -f -a '(__procmem_targets)'
complete -c procmem -n $grep -f -a "$kinds all" -d 'Region'
complete -c procmem -n $grep -s e -l regexp -x -d 'Search for this'
complete -c procmem -n $grep -s f -l file -r -d 'Search for each line of a file'
complete -c procmem -n $grep -s F -l fixed-strings -d 'Patterns are plain text'
complete -c procmem -n $grep -l hex -d 'Patterns are bytes in hexadecimal'
complete -c procmem -n $grep -s i -l ignore-case -d 'Upper and lower case are the same'
complete -c procmem -n $grep -s u -l utf -d 'Patterns and memory are UTF-8'
complete -c procmem -n $grep -l wide -d 'Text as UTF-16 too'
complete -c procmem -n $grep -s M -l multiline -d '^ and $ are begins and ends of lines'
complete -c procmem -n $grep -l all-processes -d 'All processes of that name'
complete -c procmem -n $grep -l stop -d 'Stop the process meanwhile'
complete -c procmem -n $grep -l whole-files -d 'Also untouched pages of files'
complete -c procmem -n $grep -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $grep -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $grep -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $grep -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $grep -l min-size -x -d 'Only this long'
complete -c procmem -n $grep -s o -l only-matching -d 'Nothing but the matches'
complete -c procmem -n $grep -s b -l byte-offset -d 'With -o the address before each'
complete -c procmem -n $grep -s c -l count -d 'How many in each region'
complete -c procmem -n $grep -s l -l regions-with-matches -d 'The regions that have any'
complete -c procmem -n $grep -s m -l max-count -x -d 'Stop after N'
complete -c procmem -n $grep -s A -l after-context -x -d 'Bytes behind each'
complete -c procmem -n $grep -s B -l before-context -x -d 'Bytes before each'
complete -c procmem -n $grep -s C -l context -x -d 'Bytes around each'
complete -c procmem -n $grep -l json -d 'A JSON object for each'
complete -c procmem -n $grep -l color -f -a 'auto always never' -d 'Colour'
complete -c procmem -n $grep -s q -l quiet -d 'Print nothing'
complete -c procmem -n $grep -s s -l no-messages -d 'No remarks'
complete -c procmem -n $grep -s v -l verbose -d 'List what could not be read'

set -l ps '__fish_seen_subcommand_from ps'
complete -c procmem -n $ps -f -a '(__procmem_targets)'
complete -c procmem -n $ps -s s -l sort -x -a "$process_columns" -d 'Sort by'
complete -c procmem -n $ps -s o -l columns -x -a "(__fish_append , help $process_columns)" -d 'Columns'

set -l snap '__fish_seen_subcommand_from snap'
complete -c procmem -n $snap -a '(__procmem_targets)'
complete -c procmem -n $snap -s o -l output -r -d 'The recording'
complete -c procmem -n $snap -s l -l list -d 'List the samples of a recording'

set -l diff '__fish_seen_subcommand_from diff'
complete -c procmem -n $diff -a '(__procmem_targets)'
complete -c procmem -n $diff -l by -x -a 'kind mapping' -d 'Sum up'
complete -c procmem -n $diff -s n -l top -x -d 'Only the N largest changes'
complete -c procmem -n $diff -l force -d 'Compare different processes, too'
complete -c procmem -n $diff -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $diff -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $diff -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $diff -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $diff -l min-size -x -d 'Only this long'

set -l watch '__fish_seen_subcommand_from watch'
complete -c procmem -n $watch -a '(__procmem_targets)'
complete -c procmem -n $watch -a "$kinds all" -d 'Region'
complete -c procmem -n $watch -s i -l interval -x -d 'Seconds between two looks'
complete -c procmem -n $watch -s c -l count -x -d 'Look N times'
complete -c procmem -n $watch -l for -x -d 'For so long'
complete -c procmem -n $watch -s s -l sort -x -a 'growth rate rss delta' -d 'Sort by'
complete -c procmem -n $watch -s n -l top -x -d 'Only the first N'
complete -c procmem -n $watch -l record -r -d 'Write a recording'
complete -c procmem -n $watch -l budget -x -d 'Percent of a core that it may use'
complete -c procmem -n $watch -l peek -x -d 'Show the N most frequent strings of new pages'
complete -c procmem -n $watch -l on -x -a 'rss\> grow\> rate\> kind: region\> headroom\< regions\>' -d 'Act when it holds'
complete -c procmem -n $watch -l do -x -a 'exit exec: snap: dump:' -d 'What to do then'
complete -c procmem -n $watch -l again -d 'Act on a value more than once'
complete -c procmem -n $watch -l cool-down -x -d 'Least time between'
complete -c procmem -n $watch -l plain -d 'Text also on a terminal'
complete -c procmem -n $watch -s k -l kind -x -a "(__fish_append , $kinds)" -d 'Only these kinds'
complete -c procmem -n $watch -l mapping -x -d 'Only where the mapping matches'
complete -c procmem -n $watch -l perms -x -a 'r rw rx rwx x r--p rw-p r-xp ---p' -d 'Only with these permissions'
complete -c procmem -n $watch -l min-rss -x -d 'Only with this much resident'
complete -c procmem -n $watch -l min-size -x -d 'Only this long'

set -l headroom '__fish_seen_subcommand_from headroom'
complete -c procmem -n $headroom -f -a '(__procmem_targets)'
complete -c procmem -n $headroom -l for -x -d 'Watch for so long'
complete -c procmem -n $headroom -l from -r -d 'Take the rate from a recording'
complete -c procmem -n $headroom -l min -x -d 'Least that must be left'

set -l shell '__fish_seen_subcommand_from shell'
complete -c procmem -n $shell -a '(__procmem_targets)'
complete -c procmem -n $shell -s c -l command -x -d 'Run these commands'
complete -c procmem -n $shell -s f -l file -r -d 'Run the lines of a file'
complete -c procmem -n $shell -s k -l keep-going -d 'Go on after an error'
