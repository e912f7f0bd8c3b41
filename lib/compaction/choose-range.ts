// Which messages a summary covers: usually the first ones, with `from` the last ones. The cut moves
// back from the requested position so that a tool call and its result stay together, and forward
// only when nothing would be covered otherwise. So if any cut is possible, something is covered.

import { SessionError } from '../errors.js'
import type { Context } from './context.js'
import { type Cuts, cutsOf } from './cuts.js'

/** The covered messages, without the one at `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface RangeOptions {
  readonly from: string | undefined
  readonly upTo: string | undefined
  readonly keepPercent: number
  readonly minKeepMessages: number
  /** Where it returns `false`, fewer messages are kept than asked for. */
  readonly isSmallEnough: (range: Range) => boolean
}

/** `undefined` where no cut would cover a message. */
export function chooseRange(context: Context, options: RangeOptions): Range | undefined {
  const { from, upTo } = options
  if (from !== undefined && upTo !== undefined) {
    throw new SessionError(
      'ERR_ARG',
      '"from" and "upTo" cannot be combined: one end is always kept',
    )
  }
  const cuts = cutsOf(context)
  if (from !== undefined) return rangeFrom(indexOf(context, from), context, cuts)
  const end = upTo === undefined ? endByCount(context, cuts, options) : endUpTo(upTo, context, cuts)
  return end === undefined ? undefined : { start: 0, end }
}

/** Summarize up to here. */
function endUpTo(upTo: string, context: Context, cuts: Cuts): number | undefined {
  const wanted = indexOf(context, upTo) + 1
  const isCut = (position: number) => isEnd(position, context, cuts)
  const least = firstMessage(context) + 1
  const { length } = context.messages
  return findBack(wanted, least, isCut) ?? findForward(Math.max(wanted, least), length, isCut)
}

/** Summarize from here. */
function rangeFrom(wanted: number, context: Context, cuts: Cuts): Range | undefined {
  // A call that waits for its result stays, and so does everything after it.
  const end = findBack(cuts.firstLiveCall, 0, (at) => cuts.isSafe(at) && context.isNamed(at - 1))
  if (end === undefined) return undefined
  const isCut = (start: number) => {
    const isNamed =
      start === 0 ? isEnd(end, context, cuts) : context.isNamed(0) && context.isNamed(start - 1)
    return cuts.isSafe(start) && isNamed && saysMore({ start, end }, context)
  }
  const start = findBack(Math.min(wanted, end - 1), 0, isCut) ?? findForward(wanted, end - 1, isCut)
  return start === undefined ? undefined : { start, end }
}

function endByCount(context: Context, cuts: Cuts, options: RangeOptions): number | undefined {
  const { length } = context.messages
  const first = firstMessage(context)
  const { keepPercent, minKeepMessages, isSmallEnough } = options
  const keepCount = Math.max(Math.ceil(((length - first) * keepPercent) / 100), minKeepMessages)
  const last = keepCount === 0 ? length : length - 1
  const wanted = Math.min(length - keepCount, last)
  const isCut = (position: number) => isEnd(position, context, cuts)
  const nearest = findBack(wanted, first + 1, isCut)
  const end =
    nearest === undefined
      ? findForward(Math.max(wanted, first) + 1, last, isCut)
      : betterStart(nearest, Math.max(nearest - keepCount, first + 1), isCut, cuts)
  if (end === undefined || isSmallEnough({ start: 0, end })) return end
  const isEnough = (position: number) =>
    isCut(position) && isSmallEnough({ start: 0, end: position })
  // Where no cut is small enough, keeping less would lose much and gain nothing.
  return findForward(end + 1, last, isEnough) ?? end
}

/** A kept part that begins with a prompt reads best, then one that begins with a reply. */
function betterStart(
  nearest: number,
  least: number,
  isCut: (position: number) => boolean,
  cuts: Cuts,
): number {
  return (
    findBack(nearest, least, (position) => isCut(position) && cuts.isPrompt(position)) ??
    findBack(nearest, least, (position) => isCut(position) && cuts.isStep(position)) ??
    nearest
  )
}

/** A boundary names the first kept or the last covered message, so that uuid must be unambiguous. */
function isEnd(position: number, context: Context, cuts: Cuts): boolean {
  const named = position === context.messages.length ? position - 1 : position
  return cuts.isSafe(position) && context.isNamed(named)
}

/** A summary of nothing but a summary frees nothing. */
function saysMore({ start, end }: Range, { messages }: Context): boolean {
  return messages.slice(start, end).some(({ type }) => type !== 'summary')
}

/** After the summaries at the start of the context. */
function firstMessage({ messages }: Context): number {
  const index = messages.findIndex(({ type }) => type !== 'summary')
  return index === -1 ? messages.length : index
}

function indexOf({ messages }: Context, uuid: string): number {
  const index = messages.findLastIndex((message) => message.uuid === uuid)
  if (index !== -1) return index
  const what = `"${uuid}" is not among the messages the model sees`
  throw new SessionError('ERR_NOT_FOUND', what, { uuid })
}

function findBack(
  from: number,
  least: number,
  isWanted: (position: number) => boolean,
): number | undefined {
  for (let position = from; position >= least; position--) if (isWanted(position)) return position
  return undefined
}

function findForward(
  from: number,
  most: number,
  isWanted: (position: number) => boolean,
): number | undefined {
  for (let position = from; position <= most; position++) if (isWanted(position)) return position
  return undefined
}
