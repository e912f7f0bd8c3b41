// A session with everything that moves with it: its transcript, the logs of its subagents, and the
// files it saved. In the store, in the archive or in the trash.

import { basename, join } from 'node:path'
import { SessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import { fileNameOf } from '../../format/index.js'
import {
  GONE,
  isUnreadable,
  readSessionInfo,
  type SessionInfo,
  type Unreadable,
} from '../catalog/session-info.js'
import type { RetiredLayout, StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { readEventsBackward } from '../prefilter/type-prefilter.js'
import { normalizeProject } from '../projects/normalize-project.js'
import { readOrigin, readSidechainInfo } from '../sidechains/sidechain-info.js'
import { findTranscriptIn } from '../transcripts.js'
import type { KeptSession } from './guards.js'

const SAVED_FILES = new Set(['file_checkpoint'])

export type RetentionArea = 'store' | 'archive' | 'trash'

export interface SessionUnit {
  readonly sessionId: string
  readonly area: RetentionArea
  readonly info: SessionInfo
  /** Of the transcript. */
  readonly path: string
  readonly sidechains: readonly string[]
  /** The folder of its saved files, if no other session uses it. */
  readonly fileHistory: string | undefined
  readonly files: number
  readonly bytes: number
  /** By the times in the logs; file times are not used. */
  readonly lastActivity: string | null
}

export interface UnitList {
  readonly units: readonly SessionUnit[]
  readonly skipped: readonly Unreadable[]
}

export interface RetentionSelection {
  /** The ids of these. */
  sessions?: readonly string[] | undefined

  /** Those without activity for this long, by the times in their logs. */
  olderThanMs?: number | undefined

  /** Only those of this project. */
  project?: string | undefined
}

export interface SelectedUnits {
  readonly wanted: readonly SessionUnit[]
  readonly all: readonly SessionUnit[]
  readonly kept: KeptSession[]
  readonly skipped: readonly Unreadable[]
}

export function foldersOf({ layout }: StoreContext, area: RetentionArea): RetiredLayout {
  return area === 'store' ? layout : layout[area]
}

export async function selectUnits(
  store: StoreContext,
  area: RetentionArea,
  { sessions, olderThanMs, project }: RetentionSelection,
): Promise<SelectedUnits> {
  if (sessions === undefined && olderThanMs === undefined) {
    throw new SessionError('ERR_ARG', 'Select sessions by their ids or by an age')
  }
  if (olderThanMs !== undefined && !(olderThanMs >= 0)) {
    throw new SessionError('ERR_ARG', 'An age must be a number of milliseconds from 0')
  }
  const { transcripts } = foldersOf(store, area)
  const named = sessions && new Set(sessions.map((id) => findTranscriptIn(store, transcripts, id)))
  const { units, skipped } = await listUnits(store, area)
  const normalized = project === undefined ? undefined : normalizeProject(store, project)
  const kept: KeptSession[] = []
  const wanted = units.filter((unit) => {
    if (named?.has(unit.path) === false) return false
    if (normalized !== undefined && unit.info.projectNormalized !== normalized) return false
    return olderThanMs === undefined || isOlder(unit, store.env.now() - olderThanMs, kept)
  })
  return { wanted, all: units, kept, skipped }
}

function isOlder(unit: SessionUnit, since: number, kept: KeptSession[]): boolean {
  const time = Date.parse(unit.lastActivity ?? '')
  if (!Number.isNaN(time)) return time < since
  const reason = 'its log has no time; name it to move it'
  kept.push({ sessionId: unit.sessionId, code: 'undated', reason })
  return false
}

/** All of an area, or those whose transcripts are given. */
export async function listUnits(
  store: StoreContext,
  area: RetentionArea,
  paths?: readonly string[],
): Promise<UnitList> {
  const { transcripts, sidechains } = foldersOf(store, area)
  const found = paths ?? listLogNames(store, transcripts).map((name) => join(transcripts, name))
  const children = groupSidechains(store, sidechains)
  const units: SessionUnit[] = []
  const skipped: Unreadable[] = []
  for (const path of found) {
    const info = readSessionInfo(store, path)
    if (!isUnreadable(info)) {
      units.push(await toUnit(store, area, info, children.get(info.sessionId) ?? []))
    } else if (info.reason !== GONE) skipped.push(info)
  }
  return { units, skipped }
}

/** Logs of subagents by the session they worked for. */
export function groupSidechains(store: StoreContext, folder: string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const name of listLogNames(store, folder)) {
    const path = join(folder, name)
    const origin = readOrigin(store, path)
    if (isUnreadable(origin) || origin.parentSessionId === null) continue
    const siblings = groups.get(origin.parentSessionId) ?? []
    siblings.push(path)
    groups.set(origin.parentSessionId, siblings)
  }
  return groups
}

async function toUnit(
  store: StoreContext,
  area: RetentionArea,
  info: SessionInfo,
  sidechains: readonly string[],
): Promise<SessionUnit> {
  const { sessionId, path } = info
  const folder = join(foldersOf(store, area).fileHistory, fileNameOf(sessionId))
  const fileHistory = (await isOwnHistory(store, folder, path)) ? folder : undefined
  const parts = [path, ...sidechains, ...(fileHistory ? filesIn(store, fileHistory) : [])]
  const sizeOf = (part: string) => store.env.fs.lstatSync(part, { throwIfNoEntry: false })?.size
  const bytes = parts.reduce((sum, part) => sum + (sizeOf(part) ?? 0), 0)
  const lastActivity = findLastActivity(store, info, sidechains)
  const files = parts.length
  return { sessionId, area, info, path, sidechains, fileHistory, files, bytes, lastActivity }
}

function findLastActivity(
  store: StoreContext,
  { lastActivity }: SessionInfo,
  sidechains: readonly string[],
) {
  const times = sidechains.flatMap((path) => {
    const child = readSidechainInfo(store, path)
    return isUnreadable(child) ? [] : [child.endedAt ?? child.startedAt]
  })
  return times.reduce((last, time) => ((time ?? '') > (last ?? '') ? time : last), lastActivity)
}

/**
 * Whether a folder of saved files belongs to this session alone. Stores that share a home may have
 * sessions of one id; then it holds manifests that this transcript does not name, and stays.
 */
export async function isOwnHistory(
  store: StoreContext,
  folder: string,
  transcript: string,
): Promise<boolean> {
  const files = filesIn(store, folder)
  const manifests = new Set(files.filter((path) => path.endsWith('.json')))
  if (manifests.size === 0) return files.length > 0
  for await (const { event } of readEventsBackward(store, transcript, SAVED_FILES)) {
    const { hash } = fieldsOf(event.payload)
    if (typeof hash === 'string') manifests.delete(join(folder, `${hash}.json`))
  }
  return manifests.size === 0
}

function filesIn({ env: { fs } }: StoreContext, folder: string): string[] {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return []
  return fs.readdirSync(folder).map((name) => join(folder, basename(name)))
}
