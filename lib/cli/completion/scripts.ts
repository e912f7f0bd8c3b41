// The scripts by which a shell asks this program. They contain no commands or options, so they need
// no update with a new version. `npm run shells` tests them in the real shells.

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

// bash splits words at `:` as well, so an id like `agent:main` comes in parts: they are joined before
// the question, and the part that is typed already is cut off the answers.
const BASH = `# bash completion of jsonl-session
_jsonl_session() {
  local -a words=()
  local index word joined="" current typed="" value text
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if ((\${#words[@]})) && [[ $word == :* || $joined == *: ]]; then
      joined="\${words[\${#words[@]}-1]}$word"
      words[\${#words[@]}-1]="$joined"
    else
      joined="$word"
      words+=("$word")
    fi
  done
  current="\${words[\${#words[@]}-1]}"
  [[ $current == "=" ]] && current=""
  [[ $current == *:* && $COMP_WORDBREAKS == *:* ]] && typed="\${current%:*}:"
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    if [[ $value == ":file" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("\${value#"$typed"}")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
}
complete -o nosort -F _jsonl_session jsonl-session 2>/dev/null ||
  complete -F _jsonl_session jsonl-session
`

// zsh runs the file at the first Tab when it comes from $fpath; then it must complete at once.
const ZSH = `#compdef jsonl-session
# zsh completion of jsonl-session
_jsonl_session() {
  local -a rows
  local value text files=0
  while IFS=$'\\t' read -r value text; do
    if [[ "$value" == ":file" ]]; then
      files=1
    else
      rows+=("\${value//:/\\\\:}:$text")
    fi
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#rows} )) && _describe -V 'jsonl-session' rows
  if (( files )); then
    compset -P '--*='
    _files
  fi
}
if (( \${+compstate} )); then
  _jsonl_session "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _jsonl_session jsonl-session
fi
`

const FISH = `# fish completion of jsonl-session
function __jsonl_session_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for row in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    if string match -q ':file*' -- $row
      set -l option (string match -r -- '^--[^=]*=' "$current")
      set -l path (string replace -r -- '^--[^=]*=' '' "$current")
      string replace -r -- '^' "$option" (__fish_complete_path "$path")
    else
      echo $row
    end
  end
end
complete -c jsonl-session -f -k -a '(__jsonl_session_complete)'
`

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
}
