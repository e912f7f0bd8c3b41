// What a host may let run now and then, say at its start: the history is swept, once a month.

import { nowOf } from './history-options.js'
import { type HistorySweep, type SweepHistoryOptions, sweepWhen } from './history-sweep.js'
import { isSweptInMonth } from './history-sweep-marker.js'
import { layoutOf } from './layout.js'

export type MaintainOptions = Omit<SweepHistoryOptions, 'apply'>

export interface Maintenance {
  /** `null` when nothing was due: there is nothing to sweep, or it was done this month. */
  readonly history: HistorySweep | null
}

export async function maintain(options: MaintainOptions = {}): Promise<Maintenance> {
  const { historySweepPath } = layoutOf(options)
  const now = new Date(nowOf(options)).toISOString()
  const isDue = () => !isSweptInMonth(historySweepPath, now)
  return { history: (await sweepWhen(isDue, options)) ?? null }
}
