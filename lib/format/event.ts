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

/** A block of a provider, also of a type without an index signature, such as an interface. */
export type BlockInput =
  | { readonly type: string; readonly [field: string]: unknown }
  | { readonly type: string }

/** What is said: a text, or the blocks of a provider as its own types describe them. */
export type ContentInput = string | readonly BlockInput[]

/** Counts of tokens; more fields of a provider may be beside them. */
export type UsageInput =
  | PayloadByType['assistant']['usage']
  | { readonly input_tokens: number; readonly output_tokens: number }

/** A payload to append: as `PayloadOf`, and its content and usage may be what a provider returned. */
export type PayloadInput<Type extends string> = Type extends 'user' | 'assistant' | 'system'
  ? {
      [Name in keyof PayloadByType[Type]]: Name extends 'content'
        ? ContentInput
        : Name extends 'usage'
          ? UsageInput
          : PayloadByType[Type][Name]
    }
  : PayloadOf<Type>

/** The payload of a known type is checked by the compiler; other types carry any JSON object. */
export type PayloadOf<Type extends string> = Type extends EventType
  ? PayloadByType[Type]
  : Readonly<Record<string, unknown>>
