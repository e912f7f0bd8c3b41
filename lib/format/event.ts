// What one event is. Field names are as on disk: the object is the line, never a translation.

import type { PayloadByType } from './schemas.js'

/** An event, as it is on disk. */
export interface SessionEvent<Type extends string = string, Payload = unknown> {
  readonly type: Type
  readonly ts: string
  readonly uuid: string
  /** `null` for the root and for off-chain events. */
  readonly prev_uuid: string | null
  readonly payload: Payload
}

export type EventType = keyof PayloadByType
export type EventOf<Type extends EventType> = SessionEvent<Type, PayloadByType[Type]>

/** The payload of a known type is checked by the compiler; other types carry any JSON object. */
export type PayloadOf<Type extends string> = Type extends EventType
  ? PayloadByType[Type]
  : Readonly<Record<string, unknown>>
