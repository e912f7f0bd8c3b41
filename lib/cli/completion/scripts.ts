// The scripts by which a shell asks this program. They contain no commands or options, so they need
// no update with a new version.

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

const BASH = `# bash completion of jsonl-session
_jsonl_session() {
  local current="\${COMP_WORDS[COMP_CWORD]}" value text
  [ "$current" = "=" ] && current=""
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    if [ "$value" = ":file" ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("$value")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _jsonl_session jsonl-session
`

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
  (( files )) && _files
}
if [[ "\${funcstack[1]}" == "_jsonl_session" ]]; then
  _jsonl_session "$@"
else
  compdef _jsonl_session jsonl-session
fi
`

const FISH = `# fish completion of jsonl-session
function __jsonl_session_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for row in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    if string match -q ':file*' -- $row
      __fish_complete_path "$current"
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
