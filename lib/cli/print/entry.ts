// One line of a log between the turns of a conversation: a message, a compaction, an off-chain event, or damage.

import { isOnChain, MESSAGE_TYPES, type SessionEvent } from '../../format/index.js'
import type { LogEntry } from '../../log/index.js'
import { toPlainText } from '../output/plain-text.js'
import { snippetOf } from '../output/snippet.js'
import { type Conversation, timeOf } from './conversation.js'

const SNIPPET_COLUMNS = 120

export async function sayEntry(conversation: Conversation, entry: LogEntry): Promise<void> {
  if (entry.kind !== 'event') {
    const [first] = entry.diagnostics
    const what = `${entry.kind} at byte ${entry.byte_offset}: ${toPlainText(first?.message ?? '')}`
    return conversation.mark(what, entry.kind === 'damage' ? 'red' : 'yellow')
  }
  await sayEvent(conversation, entry.event)
}

/** A message, a compaction, or anything else in one line. */
export async function sayEvent(conversation: Conversation, event: SessionEvent): Promise<void> {
  if (MESSAGE_TYPES.has(event.type)) await conversation.say(event)
  else if (event.type === 'compaction_boundary') await conversation.mark(boundaryText(event))
  else await conversation.aside(asideText(event))
}

function boundaryText({ ts, uuid, payload }: SessionEvent): string {
  const { messages_summarized: count, headUuid } = (payload ?? {}) as Record<string, unknown>
  const kept = typeof headUuid === 'string' ? `, kept from ${headUuid}` : ', nothing kept'
  const what = `compacted: ${count} messages summarized${kept}`
  return toPlainText(`${what}  ${timeOf(ts)}  ${uuid}`)
}

function asideText(event: SessionEvent): string {
  const { type, ts, uuid } = event
  const place = isOnChain(event) ? '' : ' (off-chain)'
  const name = toPlainText(`${type}${place}  ${timeOf(ts)}  ${uuid}`)
  return `${name}  ${snippetOf(event, SNIPPET_COLUMNS)}`
}
