import type { LineParts } from '../format/index.js'

/** What became of one event. */
export interface Receipt {
  readonly uuid: string
  readonly byte_offset: number
  /** Physical line, from 1; absent when line numbers were not asked for. */
  readonly line_number?: number
  /** The log held this event already; nothing was written. */
  readonly duplicate?: true
}

/** A line of a batch, and what its caller will be told. */
export interface BatchLine extends LineParts {
  readonly receipt: { -readonly [Key in keyof Receipt]: Receipt[Key] }
}
