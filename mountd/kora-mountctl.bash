# SPDX-License-Identifier: Apache-2.0
# Completion for kora-mountctl. Verbs and options come from its own --help.
# shellcheck shell=bash

_kora_mountctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb="" word i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word != -* ]] && [[ ${COMP_WORDS[i - 1]} != -* || $i -eq 1 ]]; then
			verb=$word
			break
		fi
	done
	case $prev in
	--output | -o)
		mapfile -t COMPREPLY < <(compgen -W 'table json' -- "$cur")
		return
		;;
	--socket | --volume | --folder | --source-volume | --source-folder)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--*) # a value that only the operator knows; flags without one go on below
		"$1" ${verb:+"$verb"} --help 2>/dev/null | grep -qE -- "$prev [A-Z]+" && return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" ${verb:+"$verb"} --help 2>/dev/null |
			sed -n 's/^  [-a-z, ]*\(--[a-z-]*\).*/\1/p')" -- "$cur")
	elif [[ -z $verb ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
			sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$cur")
	elif [[ $verb == help && $prev == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
			sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$cur")
	elif [[ $verb =~ ^(describe|export|mount|bind|release|wait)$ && $prev == "$verb" ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" runs --timeout 2 2>/dev/null |
			awk 'NR > 1 { print $1 }' | sort -u)" -- "$cur")
	fi
}
complete -F _kora_mountctl kora-mountctl
