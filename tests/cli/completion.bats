#!/usr/bin/env bats
# Completion of words by shells, by scripts that are made of the option table.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	"$flamefold" --completion bash >bash
	echo 'a;b 1' >stacks.folded
	mkdir folder
}

# completed WORD...: what bash makes of the last one; a "=" is a word of its own, as there.
completed()
{
	# shellcheck disable=SC2016
	bash --norc -c '. ./bash; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _flamefold 2>&1
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort
}

is()
{
	diff <(grep .) <(tr ' ' '\n' <<<"$1" | grep .)
}

@test "bash: a command, an option, an input" {
	completed flamefold re | is record
	completed flamefold s | is stacks.folded
	completed flamefold graph st | is stacks.folded
	completed flamefold help "" | is "archive diff export fold graph help info merge record top tree"
	completed flamefold record --all | is "--all --all-cpus --all-kernel --all-user"
	completed flamefold info --sy | is "--symbols --symfs"
	completed flamefold fold --colo | is ""
	completed flamefold --colo | is --colors
}

@test "bash: names of files are those of files, whatever is in them" {
	touch 'x*y' xzy 'x y' 'x$y' 'x[z]y'
	completed flamefold graph x | diff <(printf '%s\n' x* | sort) -
	completed flamefold -o 'x*' | diff <(echo 'x*y') -
}

@test "bash: the values of an option, behind it or behind a =" {
	completed flamefold --colors j | is "java js"
	completed flamefold graph --colors = j | is "java js"
	completed flamefold graph --colors = | grep -qx module
	completed flamefold info -f "" | is "json text"
	completed flamefold fold --format f | is folded
	completed flamefold graph --format h | is html
	completed flamefold tree -g c | is "callee caller"
	completed flamefold top --by f | is function
	completed flamefold --only c | is "cgroup= comm= cpu="
	completed flamefold --inline = n | is no
	completed flamefold --symfs "" | is folder
	completed flamefold -o st | is stacks.folded
	completed flamefold --title st | is ""
	completed flamefold record -u roo | is root
	completed flamefold record -p $$ | grep -qx $$
	completed flamefold record -g d | is dwarf
	completed flamefold record -g a | is auto
}

@test "bash: behind record, the command to run" {
	completed flamefold record tes | grep -qx test
	completed flamefold record -F 99 -g dwarf --freq = 9 -a tes | grep -qx test
	completed flamefold record -- tes | grep -qx test
	completed flamefold record -F 99 -- cat st | is stacks.folded
	completed flamefold record -g cat --colo | is ""
}

@test "bash: all options of every command, and no other" {
	local command
	for command in graph fold record top tree export info help; do
		"$flamefold" help "$command" | grep -oE '^  (-.,|   ) --[a-z-]+' |
			grep -o -- '--.*' | sort -u >wanted
		grep -qx -e --version wanted
		completed flamefold "$command" -- | tr -d = | sort -u | diff wanted -
	done
}

# Words that the table of completion.c has and the program refuses are seen.
@test "every value that is offered is taken" {
	local command option words word input
	sed -n "s/^\t\([a-z]*\):.*--\([a-z-]*\)=) _flamefold_words '\(.*\)'; .*/\1 \2 \3/p" bash >offers
	[ "$(wc -l <offers)" -gt 30 ]
	while read -r command option words; do
		for word in $words; do
			case $word in
			time=) word=time=0,1 ;;
			*=) word+=1 ;;
			esac
			input=()
			[ "$command" = graph ] && [ "$option" != event ] && input=(stacks.folded -o out.svg)
			[ ${#input[@]} -gt 0 ] || input=(--help)
			[ "$option:$word" != format:folded ] || input=(--help)
			case $option:$word in only:* | drop:* | weight:* | scope:*) input=(--help) ;; esac
			"$flamefold" "$command" "--$option=$word" "${input[@]}" >out 2>&1 || {
				echo "$command --$option=$word"
				cat out
				return 1
			}
		done
	done <offers
	run -2 "$flamefold" graph --colors=sepia stacks.folded -o out.svg
}

@test "fish" {
	command -v fish >/dev/null || skip "no fish"
	"$flamefold" --completion fish >fish
	# fishes WORD...: what fish makes of the last one.
	fishes()
	{
		HOME=$PWD timeout 60 fish --no-config -c "source fish; complete -C '$*'" | cut -f 1 | sort
	}
	fishes flamefold re | is record
	fishes flamefold --colors j | is "java js"
	fishes flamefold graph --colors=j |
		is "--colors=java --colors=js"
	fishes flamefold fold --colo | is ""
	fishes flamefold info --sym | is "--symbols --symfs"
	fishes flamefold graph st | is stacks.folded
	fishes flamefold record --call-graph l | is lbr
}

# A shell in a terminal of its own, to which what is typed ends in the key TAB.
@test "zsh" {
	command -v zsh >/dev/null || skip "no zsh"
	mkdir functions
	"$flamefold" --completion zsh >functions/_flamefold
	cat >typed.zsh <<-'END'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell 'PS1= ; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D'
		zpty -w shell 'show() { print -r "<$BUFFER>"; BUFFER=; }; zle -N show; bindkey "^X" show; print re"ad"y'
		zpty -r shell line '*ready*'
		zpty -w -n shell "$1"$'\t'$'\x18'
		zpty -r shell line '*<*>*'
		print -r -- ${${line##*<}%%>*}
		zpty -d shell
	END
	typed()
	{
		timeout 60 zsh -f typed.zsh "$1"
	}
	[ "$(typed 'flamefold rec')" = "flamefold record " ]
	[ "$(typed 'flamefold --colors=jav')" = "flamefold --colors=java " ]
	[ "$(typed 'flamefold fold --dem')" = "flamefold fold --demangle=" ]
	[ "$(typed 'flamefold record -g dwa')" = "flamefold record -g dwarf " ]
	[ "$(typed 'flamefold graph stac')" = "flamefold graph stacks.folded " ]
}

@test "a shell that is not known is refused" {
	run -2 "$flamefold" --completion tcsh
	[[ $output == *"takes bash, zsh or fish, not 'tcsh'"* ]]
	for words in --completion "--completion bash zsh" "--completion=bash zsh"; do
		# shellcheck disable=SC2086 # some are two words
		run -2 "$flamefold" $words
		[[ $output == *"'--completion' takes the name of a shell: bash, zsh or fish"* ]]
	done
	"$flamefold" --completion bash >apart
	"$flamefold" --completion=bash | cmp apart -
}
