// Which messages are covered: the first ones usually, so that the last ones stay; with `from` the
// last ones. A cut moves back from where it was asked for to where it parts no call from its
// result, and moves on only when nothing would be covered otherwise. So wherever a cut is possible
// at all, something is covered.

import { SessionError } from '../errors.js'
import type { Context } from './context.js'
import { type Cuts, cutsOf } from './cuts.js'

/** From the first one that is covered to before the end. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface RangeOptions {
  readonly from: string | undefined
  readonly upTo: string | undefined
  readonly keepPercent: number
  readonly minKeepMessages: number
  /** Where it says no, fewer messages are kept than asked for. */
  readonly isSmallEnough: (range: Range) => boolean
}

/** `undefined` where no cut would cover a message. */
export function chooseRange(context: Context, options: RangeOptions): Range | undefined {
  const { from, upTo } = options
  if (from !== undefined && upTo !== undefined) {
    throw new SessionError(
      'ERR_ARG',
      '"from" and "upTo" do not go together: one end is always kept',
    )
  }
  const cuts = cutsOf(context)
  if (from !== undefined) return rangeFrom(indexOf(context, from), context, cuts)
  const end = upTo === undefined ? endByCount(context, cuts, options) : endUpTo(upTo, context, cuts)
  return end === undefined ? undefined : { start: 0, end }
}

/** "Summarise up to here." */
function endUpTo(upTo: string, context: Context, cuts: Cuts): number | undefined {
  const wanted = indexOf(context, upTo) + 1
  const isCut = (position: number) => isEnd(position, context, cuts)
  const least = firstMessage(context) + 1
  const { length } = context.messages
  return findBack(wanted, least, isCut) ?? findOn(Math.max(wanted, least), length, isCut)
}

/** "Summarise from here." */
function rangeFrom(wanted: number, context: Context, cuts: Cuts): Range | undefined {
  // A call that waits for its result stays, and so does what stands behind it.
  const end = findBack(cuts.firstLiveCall, 0, (at) => cuts.isSafe(at) && context.isNamed(at - 1))
  if (end === undefined) return undefined
  const isCut = (start: number) => {
    const isNamed =
      start === 0 ? isEnd(end, context, cuts) : context.isNamed(0) && context.isNamed(start - 1)
    return cuts.isSafe(start) && isNamed && saysMore({ start, end }, context)
  }
  const start = findBack(Math.min(wanted, end - 1), 0, isCut) ?? findOn(wanted, end - 1, isCut)
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
      ? findOn(Math.max(wanted, first) + 1, last, isCut)
      : betterStart(nearest, Math.max(nearest - keepCount, first + 1), isCut, cuts)
  if (end === undefined || isSmallEnough({ start: 0, end })) return end
  const isEnough = (position: number) =>
    isCut(position) && isSmallEnough({ start: 0, end: position })
  // Where no cut reaches it, a smaller rest would cost much and help nobody.
  return findOn(end + 1, last, isEnough) ?? end
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

/** The boundary names what is kept, or what is covered last; the name must mean that one only. */
function isEnd(position: number, context: Context, cuts: Cuts): boolean {
  const named = position === context.messages.length ? position - 1 : position
  return cuts.isSafe(position) && context.isNamed(named)
}

/** A summary of nothing but a summary frees nothing. */
function saysMore({ start, end }: Range, { messages }: Context): boolean {
  return messages.slice(start, end).some(({ type }) => type !== 'summary')
}

/** Behind the summaries the context begins with. */
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

function findOn(
  from: number,
  most: number,
  isWanted: (position: number) => boolean,
): number | undefined {
  for (let position = from; position <= most; position++) if (isWanted(position)) return position
  return undefined
}
