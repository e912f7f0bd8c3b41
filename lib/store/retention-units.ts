// A session and what belongs to it, as one thing that moves: its transcript, the logs of its
// subagents, and the files it saved. In the store, in the archive or in the trash.

import { lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileNameOf } from '../format/index.js'
import type { Layout, RetiredPlace } from './layout.js'
import { logNamesIn } from './log-names.js'
import { digestTranscript, isSkipped, type SessionDigest, type Skipped } from './session-digest.js'
import { fieldsOf } from './session-digest-events.js'
import { GONE } from './session-digest-file.js'
import { digestSidechain, readOrigin } from './sidechain-digest.js'
import { readEventsBackward } from './wanted-lines.js'

export type RetentionPlace = 'store' | 'archive' | 'trash'

export interface SessionUnit {
  readonly session_id: string
  readonly place: RetentionPlace
  readonly digest: SessionDigest
  /** Of the transcript. */
  readonly path: string
  readonly sidechains: readonly string[]
  /** The folder of its saved files, if it has one of its own. */
  readonly fileHistory: string | undefined
  readonly files: number
  readonly bytes: number
  /** By what stands in the logs; the clock of the file system has no say in it. */
  readonly lastActivity: string | null
}

export interface UnitList {
  readonly units: readonly SessionUnit[]
  readonly skipped: readonly Skipped[]
}

export function foldersOf(layout: Layout, place: RetentionPlace): RetiredPlace {
  return place === 'store' ? layout : layout[place]
}

/** All of a place, or of those sessions whose transcripts are named. */
export async function listUnits(
  layout: Layout,
  place: RetentionPlace,
  paths?: readonly string[],
): Promise<UnitList> {
  const folders = foldersOf(layout, place)
  const found =
    paths ?? logNamesIn(folders.transcripts).map((name) => join(folders.transcripts, name))
  const children = childrenIn(folders.sidechains)
  const units: SessionUnit[] = []
  const skipped: Skipped[] = []
  for (const path of found) {
    const digest = digestTranscript(path)
    if (!isSkipped(digest)) {
      const sidechains = children.get(digest.session_id) ?? []
      units.push(await unitOf(digest, { place, folders, sidechains }))
    } else if (digest.reason !== GONE) skipped.push(digest)
  }
  return { units, skipped }
}

/** Logs of subagents by the session they worked for. */
export function childrenIn(folder: string): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const name of logNamesIn(folder)) {
    const path = join(folder, name)
    const origin = readOrigin(path)
    if (isSkipped(origin) || origin.parent_session_id === null) continue
    const siblings = children.get(origin.parent_session_id) ?? []
    siblings.push(path)
    children.set(origin.parent_session_id, siblings)
  }
  return children
}

async function unitOf(
  digest: SessionDigest,
  of: { place: RetentionPlace; folders: RetiredPlace; sidechains: readonly string[] },
): Promise<SessionUnit> {
  const { session_id, path } = digest
  const { place, sidechains } = of
  const folder = join(of.folders.fileHistory, fileNameOf(session_id))
  const saved = (await isOwnHistory(folder, path)) ? folder : undefined
  const parts = [path, ...sidechains, ...filesIn(saved)]
  return {
    session_id,
    place,
    digest,
    path,
    sidechains,
    fileHistory: saved,
    files: parts.length,
    bytes: parts.reduce((sum, part) => sum + sizeOf(part), 0),
    lastActivity: lastActivityOf(digest, sidechains),
  }
}

function lastActivityOf({ lastActivity }: SessionDigest, sidechains: readonly string[]) {
  const times = sidechains.map(digestSidechain).flatMap((child) => {
    return isSkipped(child) ? [] : [child.endedAt ?? child.startedAt]
  })
  return times.reduce((last, time) => ((time ?? '') > (last ?? '') ? time : last), lastActivity)
}

/**
 * Whether a folder of saved files is this session's alone. Stores that share a home may have
 * sessions of one id; then it holds manifests that this transcript does not name, and stays.
 */
export async function isOwnHistory(folder: string, transcript: string): Promise<boolean> {
  const manifests = new Set(filesIn(folder).filter((path) => path.endsWith('.json')))
  if (manifests.size === 0) return filesIn(folder).length > 0
  for await (const { event } of readEventsBackward(transcript, new Set(['file_checkpoint']))) {
    const { hash } = fieldsOf(event.payload)
    if (typeof hash === 'string') manifests.delete(join(folder, `${hash}.json`))
  }
  return manifests.size === 0
}

function filesIn(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return []
  return readdirSync(folder).map((name) => join(folder, basename(name)))
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}
