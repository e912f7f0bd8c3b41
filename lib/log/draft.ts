// An event on its way to becoming a line: checked and turned into JSON, not yet stamped. Whatever
// can be refused is refused here, before anything has moved.

import { SessionError } from '../errors.js'
import {
  belongsTo,
  type Channel,
  checkTime,
  checkUuid,
  isHeaderType,
  isOnChainType,
  isPlainObject,
  isSyncPoint,
  isTypeName,
  type PayloadOf,
  refusePermissionKeys,
  refusePermissionType,
  stringifyPayload,
} from '../format/index.js'

export interface NewEvent<Type extends string = string> {
  readonly type: Type
  readonly payload: PayloadOf<Type>
  /**
   * Gives the event a name of its own, so that appending it again is recognised.
   *
   * @default a new random uuid
   */
  readonly uuid?: string | undefined
  /**
   * The event this one follows; `null` only for events beside the chain.
   *
   * @default the tip of the log
   */
  readonly prev_uuid?: string | null | undefined
  /** @default the time of writing */
  readonly ts?: string | undefined
  /**
   * For a payload that says where its own line stands: what to write instead of `payload`, once
   * that is known. Called in the middle of the write, so it must be quick and touch no log.
   */
  readonly payloadAt?: ((byteOffset: number) => PayloadOf<Type>) | undefined
  /**
   * JSON pointers to parts of the payload that redaction must leave as they are, for what a
   * provider has signed in a way that is not known here. Never stored.
   */
  readonly opaque?: readonly string[] | undefined
}

/** What a payload becomes before it is serialised. Sees it whole, and must not change it in place. */
export type PayloadRedaction = (payload: object, event: Pick<NewEvent, 'type' | 'opaque'>) => object

/** What of a log's settings concerns a draft. */
export interface DraftSettings {
  readonly channel: Channel | undefined
  readonly redact: PayloadRedaction | undefined
}

export interface Draft {
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

export function draftOf(event: NewEvent, { channel, redact }: DraftSettings): Draft {
  const { type, payload, payloadAt, uuid, prev_uuid: prev, ts } = event
  const traits = traitsOf(type, channel)
  checkPayload(type, payload)
  if (uuid !== undefined) checkUuid(uuid, 'uuid')
  if (prev !== undefined) checkLink(type, prev, traits)
  if (ts !== undefined) checkTime(ts)
  const payloadJson = payloadJsonOf(payload, event, redact)
  return {
    type,
    payloadJson,
    payloadJsonAt:
      payloadAt &&
      ((byteOffset) => {
        const placed = payloadAt(byteOffset)
        if (placed === payload) return payloadJson
        checkPayload(type, placed)
        return payloadJsonOf(placed, event, redact)
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
  refusePermissionKeys(type, payload)
}

function payloadJsonOf(
  payload: object,
  event: NewEvent,
  redact: PayloadRedaction | undefined,
): string {
  return stringifyPayload(redact === undefined ? payload : redact(payload, event))
}

interface Traits {
  /** `undefined`: a type of somebody else, which says it by its link. */
  readonly isOnChain: boolean | undefined
  readonly isHeader: boolean
  readonly isSyncPoint: boolean
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
        `"${type.slice(0, 64)}" is no event type: use a-z first, then a-z 0-9 _ . : -, at most 64`,
      )
    }
    refusePermissionType(type)
    traits = {
      isOnChain: isOnChainType(type),
      isHeader: isHeaderType(type),
      isSyncPoint: isSyncPoint(type),
    }
    if (traitsByType.size >= TRAITS_MAX) traitsByType.clear()
    traitsByType.set(type, traits)
  }
  if (channel !== undefined && !belongsTo(channel, type)) {
    throw new SessionError('ERR_WRONG_CHANNEL', `A ${channel} takes no "${type}" events`, {
      type,
      channel,
    })
  }
  return traits
}

function checkLink(type: string, prev: string | null, { isOnChain, isHeader }: Traits): void {
  if (prev === null) {
    if (isOnChain !== true || isHeader) return
    throw new SessionError(
      'ERR_ARG',
      `A "${type}" event stands on the chain, so prev_uuid cannot be null`,
      {
        type,
      },
    )
  }
  checkUuid(prev, 'prev_uuid')
  if (isOnChain === false || isHeader) {
    throw new SessionError(
      'ERR_ARG',
      `A "${type}" event follows no other, so prev_uuid must be null`,
      {
        type,
      },
    )
  }
}
