# SPDX-License-Identifier: MIT
# usage: awk -v folder=FOLDER -v version=VERSION -f functions.awk libprocmem.3.scd HEADER...
#
# Writes the man pages of the functions of the library to FOLDER, from the comments in the public
# headers. libprocmem.3.scd has the groups, one page for each:
#
#     *libprocmem-GROUP*(3): *HEADER*, *HEADER*
#     	What the functions of the group do.
#
# The first part of this description, up to a semicolon, a colon or a full stop, is the purpose of
# the page. Writes FOLDER/links, too: a line `FUNCTION PAGE` for each function. The build runs this.

# The groups: reads libprocmem.3.scd.
FNR == NR {
	if ($0 ~ /^\*libprocmem-/)
		group = substr($1, 2, index($1, "*(") - 2)
	else if ($0 !~ /^[*\t]/)
		group = ""
	if (group == "")
		next

	if ($0 ~ /^\t/) {
		description[group] = description[group] " " substr($0, 2)
		next
	}
	for (i = 1; i <= NF; i++) {
		if ($i ~ /\.h\*/) {
			gsub(/[*,]/, "", $i)
			group_of[$i] = group
			headers[group] = headers[group] $i " "
		}
	}
	next
}

FNR == 1 {
	header = FILENAME
	sub(/.*\//, "", header)
	group = group_of[header]
	if (group == "" && header != "procmem.h") {
		print "libprocmem.3.scd has no group for " header >"/dev/stderr"
		failed = 1
	}
	state = "outside"
	body[header] = ".SH " header "\n.B #include <procmem/" header ">\n"
}

state == "outside" && /^\/\*\*/ {
	comment = ""
	state = "comment"
}
state == "comment" {
	line = $0
	sub(/^(\/\*\*| \*\/| \*) ?/, "", line)
	ends = sub(/ *\*\/$/, "", line) || $0 ~ /\*\/$/
	comment = comment line "\n"
	if (ends)
		state = comment ~ /^\n?@file/ ? "file" : "declaration"
	code = ""
	if (state == "file") {
		body[header] = body[header] prose(comment)
		state = "outside"
	}
	next
}
# A declaration ends with a semicolon; that of a type with a brace; that of an inline function before
# its body; that of a constant with its line.
state == "declaration" {
	if (code == "" && $0 == "")
		next
	if ($0 == "{")
		state = "body"
	else
		code = code $0 "\n"
	if (state == "body" || ends_declaration($0)) {
		declare()
		state = state == "body" ? "body" : "outside"
	}
	next
}
state == "body" && /^}/ { state = "outside" }

END {
	for (group in headers)
		write_page(group)
	exit failed
}

# Returns whether a line is the last of the declaration in `code`.
function ends_declaration(line) {
	if (code ~ /^#define/)
		return line !~ /\\$/
	if (code ~ /^(struct|enum|union|typedef (struct|enum|union))[ a-z_0-9]*{/)
		return line ~ /^}.*;$/ || code ~ /^[^\n]*};\n$/
	return line ~ /;$/
}

# Adds a declaration with its comment to the page.
function declare(    name, is_function) {
	is_function = code !~ /^(#|struct [a-z_0-9]*( {|;)|enum|union|typedef)/
	name = code
	if (sub(/^PM_PUBLIC /, "", code))
		gsub(/\n          /, "\n", code)
	gsub(/\/\*\*</, "/*", code)
	gsub(/\/\*\*/, "/*", code)
	if (is_function) {
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		names[header] = names[header] ", " name
		print name, group >(folder "/links")
	} else if (code ~ /^#define/) {
		split(code, words, /[ (\n]/)
		name = words[2]
	} else if (code ~ /^typedef/) {
		match(name, /pm_[a-z_0-9]*[();]/)
		name = substr(name, RSTART, RLENGTH - 1)
	} else {
		match(name, /(pm_[a-z_0-9]*|PM_[A-Z_0-9]*)/)
		name = substr(name, RSTART, RLENGTH)
	}
	body[header] = body[header] ".SS " name "\n.nf\n" literal(code) ".fi\n" prose(comment)
}

# Returns text that roff prints as it is.
function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	return text
}

# Returns lines of code, which roff must not fill, without tabs and commands.
function literal(text,    count, lines, i, result) {
	count = split(text, lines, "\n")
	for (i = 1; i < count; i++) {
		gsub(/\t/, "        ", lines[i])
		result = result "\\&" escape(lines[i]) "\n"
	}
	return result
}

# Returns a comment as roff: paragraphs, lists, examples, and a list of the parameters.
function prose(text,    count, lines, i, line, result, in_code, tagged) {
	count = split(text, lines, "\n")
	result = ".PP\n"
	for (i = 1; i < count; i++) {
		line = lines[i]
		if (line ~ /^@code/) {
			in_code = 1
			result = result ".PP\n.nf\n"
			continue
		}
		if (line ~ /^@endcode/) {
			in_code = 0
			result = result ".fi\n"
			continue
		}
		if (in_code) {
			result = result literal(line "\n")
			continue
		}
		if (line ~ /^@file/)
			continue

		if (line ~ /^ *$/) {
			result = result ".PP\n"
		} else if (line ~ /^@param/) {
			match(line, /^@param +[^ ]+/)
			tagged = substr(line, 1, RLENGTH)
			sub(/^@param +/, "", tagged)
			result = result ".TP\n.I " tagged "\n" words_of(substr(line, RLENGTH + 1))
		} else if (line ~ /^@return/) {
			result = result ".TP\nreturns\n" words_of(substr(line, 8))
		} else if (line ~ /^ *- /) {
			sub(/^ *- /, "", line)
			result = result ".IP \\(bu 2\n" words_of(line)
		} else {
			result = result words_of(line)
		}
	}
	return result
}

# Returns a line of a comment; names and constants between backquotes become bold.
function words_of(line,    result, parts, count, i) {
	sub(/^ +/, "", line)
	count = split(line, parts, "`")
	for (i = 1; i <= count; i++)
		result = result (i % 2 == 0 ? "\\fB" : i > 1 ? "\\fR" : "") escape(parts[i])
	if (count % 2 == 0)
		result = result "\\fR"
	return "\\&" result "\n"
}

function write_page(group,    page, summary, count, parts, full, i) {
	page = folder "/" group ".3"
	summary = description[group]
	gsub(/[*\\]/, "", summary)
	sub(/^ */, "", summary)
	full = summary
	sub(/[;.:] .*|\.$/, "", summary)
	summary = tolower(substr(summary, 1, 1)) substr(summary, 2)

	print ".\\\" Made by docs/man/functions.awk from the comments in the headers." >page
	print ".TH " group " 3 \"\" \"procmem " version "\" \"Library functions\"" >page
	print ".ad l\n.nh" >page
	count = split(headers[group], parts, " ")
	printf ".SH NAME\n%s", group >page
	for (i = 1; i <= count; i++)
		printf "%s", names[parts[i]] >page
	print " \\- " escape(summary) >page
	print ".SH SYNOPSIS\n.B cc\n.I FILE\n.B $(pkg\\-config \\-\\-cflags \\-\\-libs procmem)" >page
	print ".SH DESCRIPTION" >page
	print escape(full) >page
	print ".PP\nlibprocmem(3) describes the rules for handles, errors and threads." >page
	for (i = 1; i <= count; i++)
		printf "%s", body[parts[i]] >page
	print ".SH SEE ALSO\n.BR procmem (1),\n.BR libprocmem (3)" >page
	close(page)
}
