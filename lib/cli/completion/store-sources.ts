// What completion offers from the store: sessions, retired sessions, and the messages of a session.
// The user waits at the prompt, so each source reads a bounded number of files and bytes.

import { basename, join } from 'node:path'
import { wordsOf } from '../../chain/index.js'
import { fileNameOf } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import {
  findTranscript,
  isUnreadable,
  listRetired,
  listTranscripts,
  openContext,
  readSessionInfo,
  type SessionInfo,
  type StoreContext,
} from '../../store/index.js'
import type { CliIo } from '../command.js'
import { clip, toPlainText } from '../output/plain-text.js'
import { formatAge } from '../output/units.js'
import { environmentOf } from '../run-command.js'
import type { Candidate, CompletionSources } from './complete.js'

const FILES_READ_MAX = 200
const TEXT_COLUMNS = 50
const MESSAGES_MAX = 30
const MESSAGE_BYTES_MAX = 256 * 1024

/** The sources of the store that the typed options name. */
export function storeSources(io: CliIo): CompletionSources {
  const environment = environmentOf(io)
  const { host, now } = environment
  const toFolder = (path: string | undefined) =>
    path?.startsWith('~/') ? join(host.homedir(), path.slice(2)) : path
  const storeOf = (values: ReadonlyMap<string, string>) =>
    openContext({
      root: toFolder(values.get('root') ?? host.variables['JSONL_SESSION_ROOT']),
      home: toFolder(values.get('home') ?? host.variables['JSONL_SESSION_HOME']),
      agent: values.get('agent'),
      environment,
    })
  return {
    sessions: async (start, values) => listIds(storeOf(values), start, now()),
    retired: async (place, values) => {
      const { sessions } = await listRetired(storeOf(values), place)
      return sessions.toReversed().map(({ info }) => toCandidate(info, now()))
    },
    events: async (session, values) => listMessages(storeOf(values), session),
  }
}

/** Sessions with title and age, newest first; if there are very many, only their ids. */
function listIds(store: StoreContext, start: string, now: number): Candidate[] {
  const prefix = start === '' ? '' : fileNameOf(start)
  const paths = listTranscripts(store).filter((path) => basename(path).startsWith(prefix))
  if (paths.length > FILES_READ_MAX) {
    // The name of a file is the id, unless something in it is encoded.
    const names = paths.map((path) => basename(path, '.jsonl'))
    return names.flatMap((name) => (name.includes('%') ? [] : { value: name, text: '' }))
  }
  return paths
    .map((path) => readSessionInfo(store, path))
    .filter((one): one is SessionInfo => !isUnreadable(one))
    .sort((one, other) => ((one.lastActivity ?? '') < (other.lastActivity ?? '') ? 1 : -1))
    .map((info) => toCandidate(info, now))
}

function toCandidate(
  { sessionId, title, lastActivity, status }: SessionInfo,
  now: number,
): Candidate {
  const about = [
    clip(toPlainText(title ?? ''), TEXT_COLUMNS) || status,
    lastActivity === null ? [] : formatAge(lastActivity, now),
  ].flat()
  return { value: sessionId, text: about.join(', ') }
}

/** The uuids of the last prompts and replies, newest first. */
function listMessages(store: StoreContext, session: string): Candidate[] {
  const path = findTranscript(store, session)
  const { env: environment } = store
  const from = Math.max(0, environment.fs.statSync(path).size - MESSAGE_BYTES_MAX)
  const found: Candidate[] = []
  for (const entry of readLogBackwardSync(path, { from, environment })) {
    if (entry.kind !== 'event') continue
    const { type, uuid, payload } = entry.event
    if (type !== 'user' && type !== 'assistant') continue
    const words = toPlainText(wordsOf(payload))
    if (words === '') continue
    found.push({ value: uuid, text: `${type}: ${clip(words, TEXT_COLUMNS)}` })
    if (found.length >= MESSAGES_MAX) break
  }
  return found
}
