// A few events of a session as they were written: the last ones, those around one of them, or the failures.

import { SessionError } from '../../errors.js'
import type { LogEntry } from '../../log/index.js'
import {
  findEvent,
  findFailedCalls,
  readEntries,
  readEntriesAround,
  readLastEntries,
} from '../../store/index.js'
import type { Call } from '../command.js'
import { readNumber } from '../input/arguments.js'
import { findEventUuid } from '../input/event.js'
import { colorsOf } from '../output/colors.js'
import { toPlainText } from '../output/plain-text.js'
import { printStored } from '../output/print.js'
import { Conversation } from './conversation.js'
import { sayEntry } from './entry.js'

const NEIGHBOURS = 3

/** Whether the options select events of the file, whatever became of them since. */
export function isExcerpt(call: Call): boolean {
  if (call.has('errors') || call.value('around') !== undefined) return true
  return call.has('raw') && call.value('last') !== undefined
}

/** Returns whether there was anything to print. */
export async function printExcerpt(
  call: Call,
  path: string,
  { at, last }: { readonly at: string | undefined; readonly last: number | undefined },
): Promise<boolean> {
  const errors = call.has('errors')
  const end = at === undefined ? undefined : placeOf(call, path, at).end
  const around = call.value('around')
  if (around !== undefined) {
    const { offset } = placeOf(call, path, findEventUuid(call, path, around))
    const count = readNumber(call, 'context') ?? NEIGHBOURS
    const entries = readEntriesAround(call.store, path, { offset, count }, { errors })
    return printEntries(call, path, entries, { errors, centre: offset })
  }
  const entries =
    last === undefined
      ? readEntries(call.store, path, { errors, end })
      : readLastEntries(call.store, path, last, { errors, end })
  return printEntries(call, path, entries, { errors })
}

function placeOf(call: Call, path: string, uuid: string): { offset: number; end: number } {
  const found = findEvent(call.store, path, uuid)
  if (found !== undefined) {
    return { offset: found.byte_offset, end: found.byte_offset + found.length }
  }
  throw new SessionError('ERR_NOT_FOUND', `No event "${uuid}" in ${path}`, { at: uuid, path })
}

interface PrintOptions {
  /** Each failure is shown below its call. */
  readonly errors: boolean
  /** The offset of the entry that was asked for. */
  readonly centre?: number
}

async function printEntries(
  call: Call,
  path: string,
  entries: AsyncIterable<LogEntry> | Iterable<LogEntry>,
  { errors, centre }: PrintOptions,
): Promise<boolean> {
  const conversation = new Conversation(call.output, { colors: colorsOf(call), isWhole: false })
  const shownCalls = new Set<string>()
  let isEmpty = true
  for await (const entry of entries) {
    isEmpty = false
    if (call.has('json')) {
      if (entry.kind === 'event') await printStored(call, entry.event)
      else for (const diagnostic of entry.diagnostics) call.notes.report(diagnostic)
      continue
    }
    if (entry.byte_offset === centre) await conversation.mark(centreText(entry))
    if (errors && entry.kind === 'event') {
      for (const one of findFailedCalls(call.store, path, entry)) {
        if (!shownCalls.has(one.uuid)) await conversation.say(one)
        shownCalls.add(one.uuid)
      }
    }
    await sayEntry(conversation, entry)
  }
  return !isEmpty
}

function centreText(entry: LogEntry): string {
  const id = entry.kind === 'event' ? ` ${entry.event.uuid}` : ''
  return toPlainText(`this event${id}`)
}
