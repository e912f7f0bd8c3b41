// A line into a session's claims, on condition that nobody wrote there since they were judged.
// So two who claim at the same moment cannot both believe that they have it.

import { normalizeSessionKey } from '../format/index.js'
import { appendOnce, type LogOptions, type NewEvent } from '../log/index.js'
import { type ClaimState, readClaimState } from './claim-state.js'
import { type Layout, layoutOf, type StoreOptions } from './layout.js'

export type ClaimOptions = StoreOptions &
  Pick<LogOptions, 'lockTimeoutMs' | 'useKernelLock' | 'onDiagnostic' | 'environment'>

/** A session's claims as they were at one moment. */
export interface ClaimView {
  readonly key: string
  readonly now: number
  readonly layout: Layout
  readonly state: ClaimState
}

export interface Decision<Answer> {
  readonly answer: Answer
  /** What must be written for the answer to be true. */
  readonly event?: NewEvent | undefined
}

export function viewClaims(session: string, options: ClaimOptions): ClaimView {
  const key = normalizeSessionKey(session)
  const layout = layoutOf(options)
  const now = nowOf(options)
  return { key, now, layout, state: readClaimState(layout.claimPath(key), now) }
}

export function nowOf({ environment }: Pick<LogOptions, 'environment'>): number {
  return environment?.now?.() ?? Date.now()
}

/** Judges, writes what follows from it, and judges again when somebody came in between. */
export async function decideClaim<Answer>(
  session: string,
  options: ClaimOptions,
  judge: (view: ClaimView) => Decision<Answer>,
): Promise<ClaimView & { readonly answer: Answer }> {
  for (;;) {
    const view = viewClaims(session, options)
    const { answer, event } = judge(view)
    if (event === undefined) return { ...view, answer }
    if (await appendUnlessOvertaken(view, event, options)) {
      return { ...viewClaims(session, options), answer }
    }
  }
}

class Overtaken extends Error {}

async function appendUnlessOvertaken(
  { key, layout, state }: ClaimView,
  event: NewEvent,
  { lockTimeoutMs, useKernelLock, onDiagnostic, environment }: ClaimOptions,
): Promise<boolean> {
  const payloadAt = (byteOffset: number) => {
    // One byte more is the newline that isolates a torn line.
    if (byteOffset > state.size + 1) throw new Overtaken()
    return event.payload
  }
  try {
    await appendOnce(layout.claimPath(key), [{ ...event, payloadAt }], {
      lockTimeoutMs,
      useKernelLock,
      onDiagnostic,
      environment,
      channel: 'claim',
      // Who speaks for a session need not survive a power cut: no process does.
      durability: 'none',
      lineNumbers: false,
    })
    return true
  } catch (error) {
    if (error instanceof Overtaken) return false
    throw error
  }
}
