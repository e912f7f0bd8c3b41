// Where the fields of a checkpoint stand in its line, found by the spelling of our writer.

import { isUtf8 } from 'node:buffer'
import { checkChecksum } from './checksum.js'

const UUID = '[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}'
const TEXT = '(?:[^"\\\\]|\\\\.)'
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'
const BEFORE_TIME = '{"type":"checkpoint","ts":"'
const BEFORE_UUID = '","uuid":"'
const BEFORE_ID = '","prev_uuid":null,"payload":{"id":"'
const BEFORE_SESSION = '","session_key":"'
const BEFORE_CREATED = '","created_at":"'
const BEFORE_PROJECT = '","project_normalized":"'
// Tried on bytes taken for latin1, so that places in the match are places in the line.
const SHAPE = new RegExp(
  `^\\{"type":"checkpoint","ts":"(${TIME})","uuid":"(${UUID})","prev_uuid":null,"payload":\\{` +
    `"id":"\\2","session_key":"(${TEXT}+)","created_at":"\\1",` +
    `"project_normalized":(?:null|"(${TEXT}*)"),"trigger":"([a-z_]{1,64})"`,
)

// Enough for nearly all; a path may take up to 4,096 bytes, and more where it is escaped.
const SHORT_BYTES = 512
const LONG_BYTES = 32 * 1024

/** All of it, time, uuid, session, project, trigger. */
type Matched = [string, string, string, string, string | undefined, string]

export const TIME_BYTES = 24
export const TIME_AT = BEFORE_TIME.length
export const TIME_END = TIME_AT + TIME_BYTES
export const UUID_AT = TIME_END + BEFORE_UUID.length

/** What a checkpoint shares with its neighbours. */
export interface CheckpointLabel {
  readonly session_key: string
  readonly project_normalized: string | null
  readonly trigger: string
}

/** Where in the beginning of a line the parts stand that may differ in the next. */
export interface Mould {
  readonly uuidEnd: number
  readonly idAt: number
  readonly idEnd: number
  readonly createdAt: number
  readonly end: number
  readonly label: CheckpointLabel
}

/** `undefined` for a line that is spelled otherwise, or does not prove itself. */
export function mouldOf(bytes: Buffer, start: number, end: number): Mould | undefined {
  const match = matchUpTo(SHORT_BYTES) ?? matchUpTo(LONG_BYTES)
  if (match === null || checkChecksum(bytes, start, end) !== 'valid') return undefined
  const [{ length }, , uuid, sessionJson, projectJson, trigger] = match as unknown as Matched
  const uuidEnd = UUID_AT + uuid.length
  const idAt = uuidEnd + BEFORE_ID.length
  const idEnd = idAt + uuid.length
  const sessionAt = idEnd + BEFORE_SESSION.length
  const createdAt = sessionAt + sessionJson.length + BEFORE_CREATED.length
  const projectAt = createdAt + TIME_BYTES + BEFORE_PROJECT.length
  const session_key = textAt(sessionAt, sessionJson)
  const project_normalized = projectJson === undefined ? null : textAt(projectAt, projectJson)
  if (session_key === undefined || project_normalized === undefined) return undefined
  const label = {
    session_key,
    project_normalized,
    trigger: flatAt(length - 1 - trigger.length, trigger),
  }
  return { uuidEnd, idAt, idEnd, createdAt, end: length, label }

  function matchUpTo(most: number): RegExpExecArray | null {
    return SHAPE.exec(bytes.toString('latin1', start, Math.min(end, start + most)))
  }

  /** What a JSON string says that stands there; bytes beyond ASCII are taken for what they are. */
  function textAt(at: number, latin1: string): string | undefined {
    if (!/[\\\x80-\xff]/.test(latin1)) return flatAt(at, latin1)
    const json = bytes.subarray(start + at, start + at + latin1.length)
    if (!isUtf8(json)) return undefined
    return parseText(`"${json.toString('utf8')}"`)
  }

  /** A part of a match would keep all of the text alive that it was found in. */
  function flatAt(at: number, { length }: string): string {
    return bytes.toString('latin1', start + at, start + at + length)
  }
}

function parseText(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}
