/**
 * Completion scripts of shells. They pass the words unchanged to {@link complete} and evaluate nothing. The
 * maintained npm library (@bomb.sh/tab) completes no file names, evaluates the input, and in bash needs a
 * package that Debian does not install by default.
 */
import type { Shell } from './shells.ts'

/** Scripts, by shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: String.raw`# brokerwire: completion for bash, 4.4 or newer
_brokerwire() {
  local value help
  COMPREPLY=()
  compopt +o default +o dirnames
  while IFS=$'\t' read -r value help; do
    case "$value" in
      :files) compopt -o default ;;
      :directories) compopt -o dirnames ;;
      :more) compopt -o nospace ;;
      ?*) COMPREPLY+=("$value") ;;
    esac
  done < <(command brokerwire complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _brokerwire brokerwire`,
  zsh: String.raw`#compdef brokerwire
# brokerwire: completion for zsh
_brokerwire() {
  local value help kind
  local -a values suffix
  while IFS=$'\t' read -r value help; do
    case "$value" in
      :files|:directories) kind="$value" ;;
      :more) suffix=(-S '') ;;
      ?*) values+=("${'$'}{value//:/\\:}:$help") ;;
    esac
  done < <(command brokerwire complete -- "${'$'}{(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
  case "$kind" in
    :files) compset -P '*='; _files ;;
    :directories) compset -P '*='; _files -/ ;;
    *) _describe -t values brokerwire values "${'$'}{suffix[@]}" ;;
  esac
}
if [[ "${'$'}{funcstack[1]}" == _brokerwire ]]; then _brokerwire "$@"; else compdef _brokerwire brokerwire; fi`,
  fish: String.raw`# brokerwire: completion for fish
function __brokerwire_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (command brokerwire complete -- $words[2..-1] 2>/dev/null </dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':directories'
        __fish_complete_directories (commandline -ct) ''
      case ':*'
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c brokerwire -e
complete -c brokerwire -f -a '(__brokerwire_complete)'`,
}
