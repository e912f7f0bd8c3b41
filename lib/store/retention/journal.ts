// Where each session was moved, one line per move in `retention.jsonl`, and how a move that a
// process began and did not finish is found and finished.

import { join } from 'node:path'
import type { Environment } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import { fileNameOf, type PayloadByType } from '../../format/index.js'
import { type OpenLog, readLogSync } from '../../log/index.js'
import { appendDecided } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { LOG_EXTENSION, listLogNames } from '../list-logs.js'
import { moveRest } from './move.js'
import {
  foldersOf,
  groupSidechains,
  isOwnHistory,
  listUnits,
  type RetentionArea,
  type SessionUnit,
} from './units.js'

export type SessionMoved = PayloadByType['session_moved']

/** Appends a line unless the last line of this session says the same. */
export async function recordMove(
  store: StoreContext,
  { sessionId: session_id, area, files, bytes, lastActivity: last_activity }: SessionUnit,
  move: Pick<SessionMoved, 'command' | 'to' | 'reason'> & { from?: RetentionArea },
): Promise<void> {
  const { command, from = area, to, reason } = move
  const payload = { command, session_id, from, to, files, bytes, last_activity, reason }
  const decide = (log: OpenLog) => {
    const isKnown = readAreas(log, store.env).get(session_id) === to
    return isKnown ? [] : [{ type: 'session_moved', payload }]
  }
  const options = { ...store.logOptions, channel: 'store', lineNumbers: false } as const
  await appendDecided(store.layout.retentionPath, decide, options)
}

/** Finishes what other processes left half done; returns the sessions concerned. */
export async function finishMoves(store: StoreContext): Promise<string[]> {
  const { layout } = store
  const finished = new Set<string>()
  const fileOf = (sessionId: string) => fileNameOf(sessionId) + LOG_EXTENSION
  const inStore = new Set(listLogNames(store, layout.transcripts))
  const recorded = readRecordedAreas(store)
  const left = groupSidechains(store, layout.sidechains)
  const record = async (unit: SessionUnit, from: RetentionArea, to: RetentionArea) => {
    const reason = 'finished an interrupted move'
    await recordMove(store, unit, { command: to === 'store' ? 'restore' : to, from, to, reason })
    finished.add(unit.sessionId)
  }
  for (const area of ['archive', 'trash'] as const) {
    for (const unit of (await listUnits(store, area)).units) {
      const { sessionId } = unit
      if (inStore.has(fileOf(sessionId))) continue
      const folder = layout.fileHistoryOf(sessionId)
      const fileHistory = (await isOwnHistory(store, folder, unit.path)) ? folder : undefined
      const sidechains = left.get(sessionId) ?? []
      if (sidechains.length > 0 || fileHistory !== undefined) {
        moveRest(store, { sidechains, fileHistory }, area)
        finished.add(sessionId)
      }
      const known = recorded.get(sessionId)
      // `null`: its removal was recorded and then interrupted; the next prune removes it.
      if (known !== area && known !== null) await record(unit, known ?? 'store', area)
    }
  }
  for (const [sessionId, known] of recorded) {
    if (known === 'store' || known === null || !inStore.has(fileOf(sessionId))) continue
    const path = join(foldersOf(store, known).transcripts, fileOf(sessionId))
    if ((await listUnits(store, known, [path])).units.length > 0) continue
    const { units } = await listUnits(store, 'store', [layout.transcriptPath(sessionId)])
    for (const unit of units) await record(unit, known, 'store')
    finished.add(sessionId)
  }
  return [...finished]
}

function readRecordedAreas({ layout, env }: StoreContext): Map<string, RetentionArea | null> {
  try {
    return readAreas(layout.retentionPath, env)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return new Map()
  }
}

/** By session, where its last line says it is; `null`: it was removed. */
function readAreas(
  log: string | OpenLog,
  environment: Environment,
): Map<string, RetentionArea | null> {
  const areas = new Map<string, RetentionArea | null>()
  for (const entry of readLogSync(log, { environment })) {
    if (entry.kind !== 'event' || entry.event.type !== 'session_moved') continue
    const { session_id, to } = fieldsOf(entry.event.payload) as Partial<SessionMoved>
    if (typeof session_id === 'string' && to !== undefined) areas.set(session_id, to)
  }
  return areas
}
