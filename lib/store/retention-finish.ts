// What a process that died in the middle left half done: found by looking, and finished.

import { join } from 'node:path'
import { fileNameOf } from '../format/index.js'
import type { Layout } from './layout.js'
import { logNamesIn } from './log-names.js'
import { type AccountOptions, accountFor, recordedPlaces } from './retention-account.js'
import { moveRest } from './retention-move.js'
import {
  childrenIn,
  foldersOf,
  isOwnHistory,
  listUnits,
  type RetentionPlace,
  type SessionUnit,
} from './retention-units.js'

const RETIRED = ['archive', 'trash'] as const

/** Returns the sessions that something was done for. */
export async function finishMoves(layout: Layout, options: AccountOptions): Promise<string[]> {
  const finished = new Set<string>()
  const inStore = new Set(logNamesIn(layout.transcripts))
  const recorded = recordedPlaces(layout)
  const strays = childrenIn(layout.sidechains)
  for (const place of RETIRED) {
    const { units } = await listUnits(layout, place)
    for (const unit of units) {
      const { session_id } = unit
      if (inStore.has(`${fileNameOf(session_id)}.jsonl`)) continue
      const folder = layout.fileHistoryOf(session_id)
      const fileHistory = (await isOwnHistory(folder, unit.path)) ? folder : undefined
      const sidechains = strays.get(session_id) ?? []
      if (sidechains.length > 0 || fileHistory !== undefined) {
        moveRest({ sidechains, fileHistory }, place, layout)
        finished.add(session_id)
      }
      const told = recorded.get(session_id)
      // One that was dropped by a process which died before it could: its prune goes on with it.
      if (told === place || told === null) continue
      await tell(unit, { from: told ?? 'store', to: place }, layout, options)
      finished.add(session_id)
    }
  }
  for (const [session_id, told] of recorded) {
    const isBack = inStore.has(`${fileNameOf(session_id)}.jsonl`)
    if (told === 'store' || told === null || !isBack) continue
    const path = join(foldersOf(layout, told).transcripts, `${fileNameOf(session_id)}.jsonl`)
    if ((await listUnits(layout, told, [path])).units.length > 0) continue
    const { units } = await listUnits(layout, 'store', [layout.transcriptPath(session_id)])
    for (const unit of units) await tell(unit, { from: told, to: 'store' }, layout, options)
    finished.add(session_id)
  }
  return [...finished]
}

function tell(
  unit: SessionUnit,
  { from, to }: { from: RetentionPlace; to: RetentionPlace },
  layout: Layout,
  options: AccountOptions,
): Promise<void> {
  const { session_id, files, bytes, lastActivity: last_activity } = unit
  const command = to === 'store' ? 'restore' : to
  const reason = 'finished what was begun before'
  const moved = { command, session_id, from, to, files, bytes, last_activity, reason } as const
  return accountFor(layout, moved, options)
}
