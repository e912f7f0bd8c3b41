// Checkpoints as our writer spells them, for tests that need many at once or damage them.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { shardPathOf } from '../../../lib/store/checkpoints/read-shard.js'
import type { CheckpointPayload } from '../../../lib/store/index.js'
import { openContext } from '../../../lib/store/index.js'
import { id, line } from '../../helpers/lines.js'

export const DAY_MS = 24 * 60 * 60 * 1000
/** A moment all of these tests agree on. */
export const NOW = Date.UTC(2026, 0, 31, 12)

export const clock = { environment: { now: () => NOW } }

export interface CheckpointFields {
  readonly number: number
  readonly session?: string
  readonly project?: string | null
  /** How long before `NOW`. */
  readonly ageMs?: number
  readonly more?: object
}

export function checkpoint({
  number,
  session = 's1',
  project = '/work/app',
  ageMs = 0,
  more = {},
}: CheckpointFields): CheckpointPayload {
  return {
    id: id(number),
    session_key: session,
    created_at: new Date(NOW - ageMs).toISOString(),
    project_normalized: project,
    trigger: 'periodic',
    agent_id: 'default',
    harness: 'test',
    project,
    prompt_count: 10,
    total_prompt_count: 10,
    digest: `## Session Checkpoint ${number}`,
    ...more,
  }
}

export function checkpointLine(fields: CheckpointFields): Buffer {
  const payload = checkpoint(fields)
  return line('checkpoint', { uuid: payload.id, ts: payload.created_at, payload })
}

export function tombstoneLine(number: number, target: number): Buffer {
  const payload = { target_id: id(target), reason: 'test' }
  return line('checkpoint_tombstone', { uuid: id(number), payload })
}

export function saveShard(root: string, project: string | null, lines: readonly Buffer[]): string {
  const path = shardPathOf(openContext({ root }), project)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.concat(lines))
  return path
}

export function numbersOf(checkpoints: readonly { checkpoint: CheckpointPayload }[]): number[] {
  return checkpoints.map(({ checkpoint }) => Number(checkpoint.id.slice(-12)))
}
