// What earlier sessions were about, in their own words where they left some: the summary an agent
// wrote, else that of the last compaction, else the digest of the end.

import {
  type CheckpointPayload,
  layoutOf,
  loadSession,
  type SessionDigest,
  type StoreOptions,
} from '../store/index.js'
import { compactionItemId, digestItemId, summaryItemId } from './items.js'

export interface Episode {
  /** For `readItem`. */
  readonly id: string
  readonly session_id: string
  readonly text: string
  readonly ts: string
  readonly from: 'session_summary' | 'compaction' | 'session_end'
}

export interface EpisodeSources extends StoreOptions {
  /** Of the project, newest first. */
  readonly checkpoints: readonly CheckpointPayload[]
  /** Of the project, newest first. */
  readonly sessions: readonly SessionDigest[]
  readonly sessionKey: string | undefined
  readonly limit: number
}

// A transcript without any compaction is read to its start; so not too many of them.
const TRANSCRIPTS_MAX = 20

/** One of each session but the own, newest first. */
export function recentEpisodes(sources: EpisodeSources): Episode[] {
  const { checkpoints, sessionKey, limit } = sources
  const bySession = new Map<string, CheckpointPayload[]>()
  for (const checkpoint of checkpoints) {
    const ofSession = bySession.get(checkpoint.session_key) ?? []
    ofSession.push(checkpoint)
    bySession.set(checkpoint.session_key, ofSession)
  }
  const looks = { left: TRANSCRIPTS_MAX }
  const episodes: Episode[] = []
  for (const { session_id, path } of candidates(sources, bySession)) {
    if (episodes.length >= limit) break
    if (session_id === sessionKey) continue
    const ofSession = bySession.get(session_id) ?? []
    const episode =
      agentSummary(ofSession) ??
      (path === undefined ? undefined : compactionSummary(session_id, path, sources, looks)) ??
      endDigest(ofSession)
    if (episode !== undefined) episodes.push(episode)
  }
  return episodes
}

interface Candidate {
  readonly session_id: string
  readonly ts: string
  readonly path: string | undefined
}

/** The sessions that have a transcript, and those that only left checkpoints. */
function candidates(
  { sessions }: EpisodeSources,
  bySession: ReadonlyMap<string, readonly CheckpointPayload[]>,
): Candidate[] {
  const known = new Set(sessions.map(({ session_id }) => session_id))
  const withTranscript = sessions.map(({ session_id, lastActivity, path }) => {
    const stored = bySession.get(session_id)?.[0]?.created_at ?? ''
    const [, newest = ''] = [stored, lastActivity ?? ''].sort()
    return { session_id, path, ts: newest }
  })
  const others = [...bySession].filter(([session_id]) => !known.has(session_id))
  const withoutTranscript = others.map(([session_id, [newest]]) => {
    return { session_id, path: undefined, ts: newest!.created_at }
  })
  return [...withTranscript, ...withoutTranscript].sort((one, other) =>
    one.ts === other.ts ? 0 : one.ts < other.ts ? 1 : -1,
  )
}

function agentSummary(ofSession: readonly CheckpointPayload[]): Episode | undefined {
  const found = ofSession.find(({ session_summary }) => isText(session_summary))
  if (found === undefined) return undefined
  const { id, session_key, created_at, session_summary } = found
  return {
    id: summaryItemId(id),
    session_id: session_key,
    text: session_summary!,
    ts: created_at,
    from: 'session_summary',
  }
}

function endDigest(ofSession: readonly CheckpointPayload[]): Episode | undefined {
  const found = ofSession.find(({ trigger }) => trigger === 'session_end')
  if (found === undefined) return undefined
  const { id, session_key, created_at, digest } = found
  return {
    id: digestItemId(id),
    session_id: session_key,
    text: digest,
    ts: created_at,
    from: 'session_end',
  }
}

function compactionSummary(
  session_id: string,
  path: string,
  options: StoreOptions,
  looks: { left: number },
): Episode | undefined {
  if (looks.left-- <= 0) return undefined
  const { log } = loadSession(path, { layout: layoutOf(options), lazyPayloads: true })
  const last = log.projection.entries.findLast((entry) => entry.kind === 'summary')
  if (last?.kind !== 'summary' || !isText(last.text) || last.file !== path) return undefined
  const { uuid, ts } = last.event
  return {
    id: compactionItemId(session_id, uuid),
    session_id,
    text: last.text,
    ts,
    from: 'compaction',
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
