// The prompts of the sessions in the list, for the filter. They are read in the background, newest
// session first: the end of each file, and only so much in all that time and memory are bounded.

import { wordsOf } from '../../chain/index.js'
import type { Environment } from '../../environment/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { SessionInfo } from '../../store/index.js'
import type { Choice } from './model.js'
import type { PromptSource } from './terminal.js'

const BYTES_PER_SESSION = 64 * 1024
const CHARS_PER_SESSION = 4096
/** Between two steps keys are handled. */
const BYTES_PER_STEP = 256 * 1024
const FILES_PER_STEP = 50
const BYTES_MAX = 256 * 1024 * 1024

/** Reads the prompts of the choices into what is searched of them. */
export function readPrompts(
  env: Environment,
  choices: readonly Choice[],
  infoOf: (choice: Choice) => SessionInfo | undefined,
): PromptSource {
  let next = 0
  let left = BYTES_MAX
  return {
    readSome() {
      if (next >= choices.length || left <= 0) return undefined
      const from = next
      const end = Math.min(choices.length, from + FILES_PER_STEP)
      for (let bytes = 0; next < end && bytes < BYTES_PER_STEP; next++) {
        const choice = choices[next]!
        const info = infoOf(choice)
        if (info === undefined) continue
        choice.search.prompts = lastPrompts(env, info)
        bytes += Math.min(info.bytes, BYTES_PER_SESSION)
        left -= Math.min(info.bytes, BYTES_PER_SESSION)
      }
      return choices.slice(from, next)
    },
    pause: () => new Promise((resolve) => void env.timers.setTimeout(resolve, 0)),
  }
}

/** In lower case. Of a file that cannot be read, none. */
function lastPrompts(environment: Environment, { path, bytes }: SessionInfo): string {
  const from = Math.max(0, bytes - BYTES_PER_SESSION)
  let text = ''
  try {
    for (const entry of readLogBackwardSync(path, { from, environment })) {
      if (entry.kind !== 'event' || entry.event.type !== 'user') continue
      text += `${wordsOf(entry.event.payload).toLowerCase()}\n`
      if (text.length >= CHARS_PER_SESSION) break
    }
  } catch {
    // The preview of this session shows the error.
  }
  return text.slice(0, CHARS_PER_SESSION)
}
