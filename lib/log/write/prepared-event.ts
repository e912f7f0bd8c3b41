// An event on its way to becoming a line: checked and turned into JSON, not yet stamped. Whatever
// can be refused is refused here, before anything has moved.

import { SessionError } from '../../errors.js'
import {
  assertNoPermissionState,
  assertTime,
  assertUuid,
  belongsTo,
  type Channel,
  FORMAT_VERSION,
  findPayloadProblem,
  isHeaderType,
  isOnChainType,
  isPlainObject,
  isSyncPoint,
  isTypeName,
  PAYLOAD_SHAPES,
  type PayloadInput,
  stringifyPayload,
} from '../../format/index.js'

/** An event to append. */
export interface NewEvent<Type extends string = string> {
  readonly type: Type
  readonly payload: PayloadInput<Type>
  /**
   * Gives the event a name of its own, so that appending it again is recognised.
   *
   * @default a new random uuid
   */
  readonly uuid?: string | undefined
  /**
   * The event this one follows; `null` only for off-chain events.
   *
   * @default the tip of the log
   */
  readonly prev_uuid?: string | null | undefined
  /** @default the time of writing */
  readonly ts?: string | undefined
  /**
   * For a payload that holds the offset of its own line: what to write instead of `payload`, once
   * that is known. Called in the middle of the write, so it must be quick and touch no log.
   */
  readonly payloadAt?: ((byteOffset: number) => PayloadInput<Type>) | undefined
  /**
   * JSON pointers to parts of the payload that redaction must leave as they are, for what a
   * provider has signed in a way that is not known here. Never stored.
   */
  readonly opaque?: readonly string[] | undefined
  /**
   * The event was recorded before, perhaps by another version: an unknown type needs no namespace,
   * and the payload of a known one is taken as it is. Never stored.
   *
   * @default false
   */
  readonly recorded?: boolean | undefined
}

/** What a payload becomes before it is serialised. Sees it whole, and must not change it in place. */
export type PayloadRedaction = (payload: object, event: Pick<NewEvent, 'type' | 'opaque'>) => object

/** What of a log's settings concerns a draft. */
export interface PrepareSettings {
  readonly channel: Channel | undefined
  readonly redact: PayloadRedaction | undefined
}

export interface PreparedEvent {
  readonly type: string
  readonly payloadJson: string
  readonly payloadJsonAt: ((byteOffset: number) => string) | undefined
  readonly uuid: string | undefined
  readonly prevUuid: string | undefined
  readonly ts: string | undefined
  readonly isOnChain: boolean
  readonly isHeader: boolean
  readonly isSyncPoint: boolean
}

export function prepareAll(
  events: readonly NewEvent[],
  settings: PrepareSettings,
): readonly PreparedEvent[] {
  return events.map((event) => prepareEvent(event, settings))
}

export function prepareEvent(event: NewEvent, { channel, redact }: PrepareSettings): PreparedEvent {
  const { type, payload, payloadAt, uuid, prev_uuid: prev, ts } = event
  const traits = traitsOf(type, channel)
  checkPayload(type, payload)
  if (uuid !== undefined) assertUuid(uuid, 'uuid')
  if (prev !== undefined) checkLink(type, prev, traits)
  if (ts !== undefined) assertTime(ts)
  const payloadJson = payloadJsonOf(payload, event, redact)
  const isChecked = channel !== undefined && event.recorded !== true
  if (isChecked && traits.isUnnamed) throw unnamedError(type)
  if (isChecked && payloadAt === undefined) checkShape(type, payload)
  if (channel !== undefined && traits.isHeader) assertFormat(payload)
  return {
    type,
    payloadJson,
    payloadJsonAt:
      payloadAt &&
      ((byteOffset) => {
        const placed = payloadAt(byteOffset)
        checkPayload(type, placed)
        const placedJson = payloadJsonOf(placed, event, redact)
        if (isChecked) checkShape(type, placed)
        return placedJson
      }),
    uuid,
    prevUuid: prev ?? undefined,
    ts,
    isOnChain: traits.isOnChain ?? prev !== null,
    isHeader: traits.isHeader,
    isSyncPoint: traits.isSyncPoint,
  }
}

function checkPayload(type: string, payload: unknown): asserts payload is object {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new SessionError('ERR_ARG', `The payload of "${type}" must be a JSON object`, { type })
  }
  if (!isPlainObject(payload)) {
    const name = payload.constructor?.name ?? 'a class'
    throw new SessionError('ERR_SERIALIZE', `The payload is an instance of ${name}`, { type })
  }
}

/** Where the kind of a log is known, a known payload must be what its type says. */
function checkShape(type: string, payload: object): void {
  const shape = PAYLOAD_SHAPES.get(type)
  const problem = shape && findPayloadProblem(shape, payload)
  if (problem === undefined) return
  throw new SessionError('ERR_ARG', `The payload of "${type}" is invalid: ${problem}`, { type })
}

function assertFormat({ format }: { readonly format?: unknown }): void {
  if (typeof format !== 'number' || format <= FORMAT_VERSION) return
  const what = `A header of format ${format} cannot be written; this version writes ${FORMAT_VERSION}`
  throw new SessionError('ERR_FORMAT_TOO_NEW', what, { format, supported: FORMAT_VERSION })
}

function unnamedError(type: string): SessionError {
  const what = `"${type}" is not a known event type; give a type of your own a namespace, as in "acme:${type}"`
  return new SessionError('ERR_ARG', what, { type })
}

function payloadJsonOf(
  payload: object,
  event: NewEvent,
  redact: PayloadRedaction | undefined,
): string {
  const json = stringifyPayload(redact === undefined ? payload : redact(payload, event))
  // Last, because a payload that cannot be written may throw when it is looked at.
  assertNoPermissionState(event.type, payload)
  return json
}

interface Traits {
  /** `undefined`: a type of another program, decided by its link. */
  readonly isOnChain: boolean | undefined
  readonly isHeader: boolean
  readonly isSyncPoint: boolean
  /** Unknown and without a namespace: perhaps a misspelling. */
  readonly isUnnamed: boolean
}

const traitsByType = new Map<string, Traits>()
const TRAITS_MAX = 1024

function traitsOf(type: string, channel: Channel | undefined): Traits {
  if (typeof type !== 'string') throw new TypeError('The type of an event must be a string')
  let traits = traitsByType.get(type)
  if (traits === undefined) {
    if (!isTypeName(type)) {
      throw new SessionError(
        'ERR_ARG',
        `${JSON.stringify(type.slice(0, 64))} is not an event type: start with a-z, continue with a-z 0-9 _ . : -, 64 characters at most`,
      )
    }
    const isOnChain = isOnChainType(type)
    traits = {
      isOnChain,
      isHeader: isHeaderType(type),
      isSyncPoint: isSyncPoint(type),
      isUnnamed: isOnChain === undefined && !/^[^:]+:./.test(type),
    }
    if (traitsByType.size >= TRAITS_MAX) traitsByType.clear()
    traitsByType.set(type, traits)
  }
  if (channel !== undefined && !belongsTo(channel, type)) {
    const what = `A ${channel} takes no "${type}" events`
    throw new SessionError('ERR_WRONG_LOG_KIND', what, { type, channel })
  }
  return traits
}

function checkLink(type: string, prev: string | null, { isOnChain, isHeader }: Traits): void {
  if (prev !== null) assertUuid(prev, 'prev_uuid')
  const isLinked = isOnChain === true && !isHeader
  // The link of a type of another program says whether it is on the chain.
  if (isOnChain === undefined || isLinked === (prev !== null)) return
  const what = isLinked
    ? 'is on the chain, so prev_uuid cannot be null'
    : 'follows no other, so prev_uuid must be null'
  throw new SessionError('ERR_ARG', `A "${type}" event ${what}`, { type })
}

/** Why a log of that kind refuses an event; `undefined` if it takes it. */
export function findRefusal(event: NewEvent, channel: Channel): SessionError | undefined {
  try {
    prepareEvent(event, { channel, redact: undefined })
    return undefined
  } catch (error) {
    if (error instanceof SessionError) return error
    throw error
  }
}

// One event more at the end of a write: what the owner of a log wants found near the end of the
// file, however much is written. No caller waits for it, and it has no receipt.

/** A write that is about to happen: the lines it brings, and where they begin and end. */
export interface PendingWrite {
  readonly lines: readonly { readonly type: string; readonly payloadJson: string }[]
  readonly start: number
  readonly end: number
}

/** The event to write after these lines; in most writes there is none. */
export type TrailingEvent = (write: PendingWrite) => NewEvent | undefined
