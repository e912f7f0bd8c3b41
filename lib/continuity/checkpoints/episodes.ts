// What earlier sessions were about: the summary an agent wrote, else that of the last compaction,
// else the digest of the session's end.

import {
  type CheckpointPayload,
  loadSession,
  type SessionInfo,
  type StoreContext,
} from '../../store/index.js'
import { checkpointItemId, compactionItemId } from './items.js'

export interface Episode {
  /** For `readItem`. */
  readonly id: string
  readonly sessionId: string
  readonly text: string
  readonly ts: string
  readonly from: 'session_summary' | 'compaction' | 'session_end'
}

export interface EpisodeSources {
  /** Of the project, newest first. */
  readonly checkpoints: readonly CheckpointPayload[]
  /** Of the project, newest first. */
  readonly sessions: readonly SessionInfo[]
  readonly sessionKey: string | undefined
}

interface Candidate {
  readonly sessionId: string
  readonly ts: string
  readonly path: string | undefined
  /** Newest first. */
  readonly checkpoints: readonly CheckpointPayload[]
}

// A transcript without a compaction is read to its start, so only some of them are read.
const TRANSCRIPTS_MAX = 20

/** One of each other session, newest first. */
export function recentEpisodes(
  store: StoreContext,
  sources: EpisodeSources,
  limit: number,
): Episode[] {
  let transcripts = 0
  const episodes: Episode[] = []
  for (const candidate of listCandidates(sources)) {
    if (episodes.length >= limit) break
    if (candidate.sessionId === sources.sessionKey) continue
    const episode =
      findAgentSummary(candidate) ??
      (candidate.path !== undefined && transcripts++ < TRANSCRIPTS_MAX
        ? readCompactionSummary(store, candidate.sessionId, candidate.path)
        : undefined) ??
      findEndDigest(candidate)
    if (episode !== undefined) episodes.push(episode)
  }
  return episodes
}

/** The sessions that have a transcript, and those that only stored checkpoints. */
function listCandidates({ sessions, checkpoints }: EpisodeSources): Candidate[] {
  const stored = new Map<string, CheckpointPayload[]>()
  for (const checkpoint of checkpoints) {
    const ofSession = stored.get(checkpoint.session_key) ?? []
    stored.set(checkpoint.session_key, [...ofSession, checkpoint])
  }
  const paths = new Map(sessions.map(({ sessionId: session_id, path }) => [session_id, path]))
  const times = new Map(sessions.map((it) => [it.sessionId, it.lastActivity ?? '']))
  const candidates = [...new Set([...paths.keys(), ...stored.keys()])].map((sessionId) => {
    const ofSession = stored.get(sessionId) ?? []
    const [, ts = ''] = [ofSession[0]?.created_at ?? '', times.get(sessionId) ?? ''].sort()
    return { sessionId, ts, path: paths.get(sessionId), checkpoints: ofSession }
  })
  return candidates.sort((one, other) => (one.ts === other.ts ? 0 : one.ts < other.ts ? 1 : -1))
}

function findAgentSummary({ sessionId, checkpoints }: Candidate): Episode | undefined {
  const found = checkpoints.find(({ session_summary }) => isText(session_summary))
  if (found === undefined) return undefined
  const { id, created_at: ts, session_summary } = found
  return {
    id: checkpointItemId(id, 'summary'),
    sessionId,
    text: session_summary!,
    ts,
    from: 'session_summary',
  }
}

function findEndDigest({ sessionId, checkpoints }: Candidate): Episode | undefined {
  const found = checkpoints.find(({ trigger }) => trigger === 'session_end')
  if (found === undefined) return undefined
  const { id, created_at: ts, digest } = found
  return { id: checkpointItemId(id, 'digest'), sessionId, text: digest, ts, from: 'session_end' }
}

function readCompactionSummary(
  store: StoreContext,
  sessionId: string,
  path: string,
): Episode | undefined {
  const { log } = loadSession(store, path, { lazyPayloads: true })
  const last = log.projection.entries.findLast((entry) => entry.kind === 'summary')
  if (last?.kind !== 'summary' || !isText(last.text) || last.file !== path) return undefined
  const { text, event } = last
  const id = compactionItemId(sessionId, event.uuid)
  return { id, sessionId, text, ts: event.ts, from: 'compaction' }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
