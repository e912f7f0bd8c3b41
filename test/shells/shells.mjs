// How each shell is started with the completion installed, without the user's own settings.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const SHELLS = [
  {
    name: 'bash',
    program: 'bash',
    prepare({ folder, completion }) {
      const file = join(folder, 'bashrc')
      writeFileSync(
        file,
        `PS1='READY> '\nbind 'set enable-bracketed-paste off'\n${completion('bash')}`,
      )
      return ['bash', '--noprofile', '--rcfile', file, '-i']
    },
  },
  {
    name: 'zsh, from $fpath',
    program: 'zsh',
    prepare({ folder, env, completion }) {
      const functions = join(folder, 'functions')
      mkdirSync(functions)
      writeFileSync(join(functions, '_jsonl-session'), completion('zsh'))
      const rc = `fpath=(${functions} $fpath)\nautoload -Uz compinit\ncompinit -u -d ${folder}/dump\n`
      return startZsh(folder, env, rc)
    },
  },
  {
    name: 'zsh, by eval',
    program: 'zsh',
    prepare({ folder, env, completion }) {
      const file = join(folder, 'completion.zsh')
      writeFileSync(file, completion('zsh'))
      return startZsh(folder, env, `ZSH_DISABLE_COMPFIX=true\neval "$(cat ${file})"\n`)
    },
  },
  {
    name: 'fish',
    program: 'fish',
    prepare({ folder, env, completion }) {
      env.XDG_CONFIG_HOME = join(folder, 'config')
      const completions = join(env.XDG_CONFIG_HOME, 'fish', 'completions')
      mkdirSync(completions, { recursive: true })
      writeFileSync(join(completions, 'jsonl-session.fish'), completion('fish'))
      const rc = "function fish_prompt; echo 'READY> '; end\nset fish_greeting\n"
      writeFileSync(join(env.XDG_CONFIG_HOME, 'fish', 'config.fish'), rc)
      return ['fish', '-i']
    },
  },
]

function startZsh(folder, env, rc) {
  env.ZDOTDIR = folder
  writeFileSync(join(folder, '.zshrc'), `PS1='READY> '\nunsetopt zle_bracketed_paste\n${rc}`)
  return ['zsh', '-d', '-i']
}
