// The answer to a shell that asks what may come next: one candidate per line, a tab, and what it
// is. A line `:file` means that file names are possible, too.

import { basename, join } from 'node:path'
import { fileNameOf } from '../../format/index.js'
import {
  isUnreadable,
  listTranscripts,
  openContext,
  readSessionInfo,
  type SessionInfo,
} from '../../store/index.js'
import { clip, toPlainText } from '../output/plain-text.js'
import { formatAge } from '../output/units.js'
import { environmentOf, type Surroundings } from '../run-command.js'
import { type Candidate, complete, type ListSessionIds } from './complete.js'

// The user waits at the prompt, so no more files are read than a terminal shows.
const FILES_READ_MAX = 200
const TITLE_COLUMNS = 50

/** An error in the middle of a command line must not be printed: the shell gets no candidates. */
export async function printCompletion(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<void> {
  const { output } = surroundings
  try {
    const { candidates, isFile } = await complete(words, sessionLister(surroundings))
    for (const { value, text } of candidates) {
      // A name that would break the line, or the words of a shell, is not offered.
      if (toPlainText(value) !== value || /\s/.test(value)) continue
      await output.write(`${value}\t${toPlainText(text)}\n`)
    }
    if (isFile) await output.write(':file\t\n')
    await output.flush()
  } catch {
    // A shell takes silence for no candidates.
  }
}

/** Sessions with title and age, newest first; if there are very many, only their ids. */
function sessionLister({ io }: Surroundings): ListSessionIds {
  const environment = environmentOf(io)
  const { host, now } = environment
  const toFolder = (path: string | undefined) =>
    path?.startsWith('~/') ? join(host.homedir(), path.slice(2)) : path
  return async (start, values) => {
    const store = openContext({
      root: toFolder(values.get('root') ?? host.variables['JSONL_SESSION_ROOT']),
      home: toFolder(values.get('home') ?? host.variables['JSONL_SESSION_HOME']),
      agent: values.get('agent'),
      environment,
    })
    const prefix = start === '' ? '' : fileNameOf(start)
    const paths = listTranscripts(store).filter((path) => basename(path).startsWith(prefix))
    if (paths.length > FILES_READ_MAX) {
      // The name of a file is the id, unless something in it is encoded.
      const names = paths.map((path) => basename(path, '.jsonl'))
      return names.flatMap((name) => (name.includes('%') ? [] : { value: name, text: '' }))
    }
    const digests = paths
      .map((path) => readSessionInfo(store, path))
      .filter((one) => !isUnreadable(one))
    return (digests as SessionInfo[])
      .sort((one, other) => ((one.lastActivity ?? '') < (other.lastActivity ?? '') ? 1 : -1))
      .map((digest) => toCandidate(digest, now()))
  }
}

function toCandidate(
  { sessionId, title, lastActivity, status }: SessionInfo,
  now: number,
): Candidate {
  const about = [
    clip(toPlainText(title ?? ''), TITLE_COLUMNS) || status,
    lastActivity === null ? [] : formatAge(lastActivity, now),
  ].flat()
  return { value: sessionId, text: about.join(', ') }
}
