// The sessions that may be meant, with what helps to tell them apart. Somebody waits with a finger
// on a key, so no more files are looked into than a terminal shows.

import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { fileNameOf } from '../format/index.js'
import { digestTranscript, isSkipped, listTranscripts, type SessionDigest } from '../store/index.js'
import type { Candidate } from './complete.js'
import { clip, toPlainText } from './plain-text.js'
import { ageOf } from './session-table.js'

const LOOKED_INTO_MAX = 200
const TITLE_COLUMNS = 50

/** Newest first; of very many, only their ids. */
export async function listSessionIds(
  start: string,
  values: ReadonlyMap<string, string>,
): Promise<readonly Candidate[]> {
  const folder = (name: string) => withHome(values.get(name))
  const options = { root: folder('root'), home: folder('home'), agent: values.get('agent') }
  const prefix = start === '' ? '' : fileNameOf(start)
  const paths = listTranscripts(options).filter((path) => basename(path).startsWith(prefix))
  if (paths.length > LOOKED_INTO_MAX) {
    // The name of a file is the id, unless there is something to decode in it.
    const names = paths.map((path) => basename(path, '.jsonl'))
    return names.flatMap((name) => (name.includes('%') ? [] : { value: name, text: '' }))
  }
  const digests = paths.map(digestTranscript).flatMap((digest) => {
    return isSkipped(digest) ? [] : [digest]
  })
  return digests.sort(byLastActivity).map((digest) => candidateOf(digest, Date.now()))
}

function candidateOf({ session_id, title, lastActivity, status }: SessionDigest, now: number) {
  const about = [
    clip(toPlainText(title ?? ''), TITLE_COLUMNS) || status,
    lastActivity === null ? [] : ageOf(lastActivity, now),
  ].flat()
  return { value: session_id, text: about.join(', ') }
}

function byLastActivity(one: SessionDigest, other: SessionDigest): number {
  return (one.lastActivity ?? '') < (other.lastActivity ?? '') ? 1 : -1
}

/** Shells hand over words as they are typed. */
function withHome(path: string | undefined): string | undefined {
  return path?.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}
