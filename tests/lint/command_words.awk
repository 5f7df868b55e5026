# SPDX-License-Identifier: MIT
# Prints the programs that shell scripts call: the words in command position, as
# `FILE<TAB>LINE<TAB>WORD<TAB>HOW`. HOW is `named` for words that can only be programs (those after
# `require`, `program_start`, `command -v`, and of loops over `tool` or `program`), else `called`.
#
# It parses the part of the shell grammar that the scripts of this project use: quotes, comments,
# here-documents, command substitution, and commands that run the following command. It ignores
# quoted words and words with a `$`. It works in mawk and gawk.

BEGIN {
	# Words after which a command follows.
	split("if then elif else while until do ! { }", list, " ")
	for (i in list)
		opener[list[i]] = 1
	# Commands whose operand is a command.
	split("exec env nice nohup command builtin time run fails xargs setpriv unshare chroot timeout " \
		"sudo spawn program_start show", list, " ")
	for (i in list)
		runner[list[i]] = 1
	split("xargs chroot timeout", list, " ")
	for (i in list)
		operands[list[i]] = 1
}

FNR == 1 {
	depth = 0
	state = "normal"
	heredoc = ""
	pattern = array = 0
	begin_command()
}

function begin_command() {
	word = runs = ""
	expecting = 1
	every = loop = 0
	before = ""
}

# A word of a simple command is complete.
function end_word(    text) {
	text = word
	word = ""
	if (text == "")
		return
	if (before ~ /[<>]$/) { # the file of a redirection
		before = text
		return
	}
	before = text
	if (pattern) { # of `case`
		if (text == "esac")
			pattern = 0
		expecting = 0
		return
	}
	if (runs == "case" && text == "in") {
		pattern = 1
		return
	}
	if (loop) {
		# for NAME in WORD...
		if (loop == 2 && text != "tool" && text != "program")
			loop = 0
		else if (loop == 1)
			emit(text, "named")
		else
			loop = loop == 3 ? 1 : 3
		return
	}
	if (every) {
		emit(text, "named")
		return
	}
	if (!expecting || text in opener || text ~ /^[A-Za-z_][A-Za-z_0-9]*\+?=/)
		return
	if (expecting == 2) {
		# Options and operands of the runner.
		if (text ~ /^[-+0-9]/ || text ~ /^(KILL|TERM|INT)$/) {
			every = runs == "command" && text == "-v"
			return
		}
		if (runs in operands && text ~ /[$\/Q]/)
			return
	}
	emit(text, expecting == 2 && runs == "program_start" ? "named" : "called")
	expecting = text in runner ? 2 : 0
	runs = text
	every = text == "require"
	loop = text == "for" ? 2 : 0
}

function emit(text, how) {
	if (!array && text ~ /^[A-Za-z0-9_.+-]+$/ && text !~ /^[-+0-9.]/ && text !~ /Q/)
		print FILENAME "\t" FNR "\t" text "\t" how
}

function push(next_state) {
	saved_state[depth] = state
	saved_expecting[depth] = expecting
	saved_every[depth] = every
	saved_loop[depth] = loop
	saved_runs[depth] = runs
	saved_word[depth] = word
	saved_pattern[depth] = pattern
	saved_array[depth] = array
	saved_before[depth++] = before
	state = next_state
	pattern = array = 0
	begin_command()
}

function pop() {
	depth--
	state = saved_state[depth]
	expecting = saved_expecting[depth]
	every = saved_every[depth]
	loop = saved_loop[depth]
	pattern = saved_pattern[depth]
	array = saved_array[depth]
	runs = saved_runs[depth]
	word = saved_word[depth] "$"
	before = saved_before[depth]
}

heredoc != "" {
	line = $0
	if (strip)
		sub(/^\t+/, "", line)
	if (line == heredoc)
		heredoc = ""
	next
}

{
	line = $0
	size = length(line)
	continued = 0
	for (at = 1; at <= size; at++) {
		c = substr(line, at, 1)
		two = substr(line, at, 2)
		if (state == "single") {
			if (c == "'")
				state = below
			continue
		}
		if (state == "arithmetic") {
			if (c == "(")
				parens++
			else if (c == ")" && --parens == 0)
				pop()
			continue
		}
		if (c == "\\") {
			if (at == size)
				continued = 1
			else if (state == "normal")
				word = word "Q"
			at++
			continue
		}
		if (substr(line, at, 3) == "$((") {
			push("arithmetic")
			parens = 2
			at += 2
			continue
		}
		if (two == "$(") {
			push("normal")
			at++
			continue
		}
		if (two == "${") {
			push("brace")
			at++
			continue
		}
		if (state == "brace") {
			if (c == "}")
				pop()
			else if (c == "'" || c == "\"")
				continue
			continue
		}
		if (state == "double") {
			if (c == "\"") {
				state = "normal"
				word = word "Q"
			}
			continue
		}
		if (c == "'") {
			below = "normal"
			state = "single"
			word = word "Q"
			continue
		}
		if (c == "\"") {
			state = "double"
			continue
		}
		if (c == "#" && word == "")
			break
		if (c ~ /[ \t]/) {
			end_word()
			continue
		}
		if (two == "<<" && substr(line, at, 3) != "<<<") {
			rest = substr(line, at + 2)
			strip = sub(/^-/, "", rest)
			match(rest, /^[ ]*['"\\]?[A-Za-z_]+/)
			pending = substr(rest, 1, RLENGTH)
			gsub(/[^A-Za-z_]/, "", pending)
			end_word()
			before = "<"
			at++
			continue
		}
		if (two == "<(" || two == ">(") {
			push("normal")
			at++
			continue
		}
		if (c ~ /[<>]/) {
			if (word ~ /^[0-9]+$/)
				word = ""
			end_word()
			while (substr(line, at + 1, 1) ~ /[<>&|]/)
				at++
			before = ">"
			continue
		}
		if (c == "&" && word == "" && before ~ />$/)
			continue
		if (c == "(" && word != "" && word !~ /[=$]$/) {
			# a function, or a call in another language
			word = ""
			expecting = 0
			continue
		}
		if (c == "(" && word ~ /=$/) {
			push("normal")
			array = 1
			continue
		}
		if (two == "((" && word == "") {
			push("arithmetic")
			parens = 2
			at++
			continue
		}
		if (c ~ /[|&;(]/) {
			end_word()
			if (two == ";;")
				pattern = 1
			begin_command()
			continue
		}
		if (c == ")") {
			end_word()
			if (depth > 0 && !pattern) {
				pop()
			} else {
				pattern = 0
				begin_command()
			}
			continue
		}
		word = word c
	}
	if (pending != "") {
		heredoc = pending
		pending = ""
	}
	if (state == "normal") {
		end_word()
		if (!continued)
			begin_command()
	}
}
