// Where a session is, on a few lines: what it is about, what was said last, what is open.

import { pairTools, partsOf, pathsIn, wordsOf } from '../../chain/index.js'
import type { ResumedSession } from '../../session/index.js'
import { isUnreadable, readSessionInfo } from '../../store/index.js'
import type { Call } from '../command.js'
import { colorsOf } from '../output/colors.js'
import { clip, toPlainText } from '../output/plain-text.js'
import { formatAge, plural } from '../output/units.js'

const COLUMNS_IN_A_PIPE = 200
const FILES_MAX = 5
const CALLS_MAX = 5
// Enough for a row even when much of it is space that collapses; a text may have megabytes.
const CHARS_READ = 2000
const LABEL_COLUMNS = 14

/** Rows of at most the width of the terminal. */
export function orientationOf(call: Call, { resumedFrom, messages }: ResumedSession): string[] {
  const info = readSessionInfo(call.store, resumedFrom.transcriptPath)
  const about = isUnreadable(info) ? undefined : info
  const when = about?.lastActivity ?? messages.at(-1)?.ts
  const { open, files } = toolsIn(messages)
  const rows: (readonly [label: string, text: string | undefined])[] = [
    ['Session', `${about?.title ?? resumedFrom.sessionId}`],
    ['Last activity', typeof when === 'string' ? formatAge(when, call.env.now()) : undefined],
    ['Messages', `${messages.length}`],
    ['Last prompt', lastWords(messages, 'user')],
    ['Last reply', lastWords(messages, 'assistant')],
    ...open.slice(-CALLS_MAX).map((text) => ['Open call', text] as const),
    ['Files', files.length === 0 ? undefined : listOf(files)],
  ]
  const colors = colorsOf(call)
  const columns = (call.output.columns ?? COLUMNS_IN_A_PIPE) - LABEL_COLUMNS - 1
  return rows.flatMap(([label, text]) =>
    text === undefined
      ? []
      : `${colors.dim(label.padEnd(LABEL_COLUMNS))} ${clip(toPlainText(text.slice(0, CHARS_READ)), columns)}`,
  )
}

function lastWords(messages: ResumedSession['messages'], type: string): string | undefined {
  const last = messages.findLast(
    (message) => message.type === type && wordsOf(message.payload) !== '',
  )
  return last === undefined ? undefined : wordsOf(last.payload)
}

/** The calls without a result of their own, and the files of all calls, newest first. */
function toolsIn(messages: ResumedSession['messages']): { open: string[]; files: string[] } {
  const open = new Map<string, string>()
  for (const message of messages) {
    for (const part of partsOf(message)) {
      if (part.kind !== 'call' && part.kind !== 'result') continue
      const { kind, id, text } = part
      if (id === undefined) continue
      if (kind === 'call') open.set(id, text)
      // What this reading added is not a result.
      else if (message.synthetic !== true) open.delete(id)
    }
  }
  const paths = pairTools(messages).calls.flatMap(({ input }) => pathsIn(input))
  return { open: [...open.values()], files: [...new Set(paths.reverse())] }
}

function listOf(files: readonly string[]): string {
  const more = files.length - FILES_MAX
  const shown = files.slice(0, FILES_MAX).join(', ')
  return more > 0 ? `${shown}, and ${plural(more, 'other')}` : shown
}
