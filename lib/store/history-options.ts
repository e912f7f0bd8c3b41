// What all functions of the history take, and how far back it is kept.

import { SessionError } from '../errors.js'
import { diagnostic } from '../format/index.js'
import { type Environment, type LogOptions, systemEnvironment } from '../log/index.js'
import type { StoreOptions } from './layout.js'

export interface HistoryOptions extends StoreOptions {
  /** Is told what was tolerated. */
  onDiagnostic?: LogOptions['onDiagnostic']

  /** Tests give their own clock. */
  environment?: Partial<Environment> | undefined
}

export interface RetentionOptions extends HistoryOptions {
  /**
   * Prompts older than so many days are not shown, and not kept by a sweep.
   *
   * @default HISTORY_RETAIN_DAYS, else all are shown
   */
  retainDays?: number | undefined
}

const VARIABLE = 'HISTORY_RETAIN_DAYS'
const DAY_MS = 24 * 60 * 60 * 1000

export function nowOf({ environment }: HistoryOptions): number {
  return (environment?.now ?? systemEnvironment.now)()
}

/** What is older than this time is not kept; `undefined` when everything is. */
export function retainedSince(options: RetentionOptions): number | undefined {
  const days = options.retainDays ?? daysOfEnvironment(options)
  if (days === undefined) return undefined
  if (!isDays(days)) {
    throw new SessionError('ERR_ARG', `retainDays is a whole number from 1, not ${days}`)
  }
  return nowOf(options) - days * DAY_MS
}

function daysOfEnvironment({ onDiagnostic }: RetentionOptions): number | undefined {
  const text = process.env[VARIABLE]?.trim()
  if (text === undefined || text === '') return undefined
  const days = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (isDays(days)) return days
  const message = `${VARIABLE} is a whole number of days from 1, not "${text}"; all prompts are kept`
  onDiagnostic?.(diagnostic('setting_ignored', message))
  return undefined
}

function isDays(days: number): boolean {
  return Number.isSafeInteger(days) && days > 0
}
