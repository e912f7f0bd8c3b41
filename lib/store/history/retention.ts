// How far back prompts are kept.

import { SessionError } from '../../errors.js'
import { diagnostic } from '../../format/index.js'
import type { StoreContext } from '../context.js'

export interface HistoryRetentionOptions {
  /**
   * Prompts older than this number of days are hidden, and removed by a sweep.
   *
   * @default HISTORY_RETAIN_DAYS, else the setting `history.retainDays`, else all are shown
   */
  retainDays?: number | undefined
}

const VARIABLE = 'HISTORY_RETAIN_DAYS'
const DAY_MS = 24 * 60 * 60 * 1000

/** The time before which prompts are not kept; `undefined` when all are kept. */
export function retainedSince(
  store: StoreContext,
  { retainDays }: HistoryRetentionOptions,
): number | undefined {
  const days = retainDays ?? daysFromEnvironment(store) ?? daysFromConfig(store)
  if (days === undefined) return undefined
  if (!isDays(days)) {
    throw new SessionError('ERR_ARG', `retainDays must be a positive integer, not ${days}`)
  }
  return store.env.now() - days * DAY_MS
}

function daysFromEnvironment(store: StoreContext): number | undefined {
  const text = store.env.host.variables[VARIABLE]?.trim()
  if (text === undefined || text === '') return undefined
  const days = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (isDays(days)) return days
  const message = `${VARIABLE} is a whole number of days from 1, not "${text}"; all prompts are kept`
  store.report(diagnostic('invalid_setting', message))
  return undefined
}

function daysFromConfig(store: StoreContext): number | undefined {
  return store.config().settings.get('history.retainDays')?.value as number | undefined
}

function isDays(days: number): boolean {
  return Number.isSafeInteger(days) && days > 0
}
