// Entries of a feed as the items of a view: one for each turn, tool call, boundary and note. The result
// of a call is shown with the call, so it has no item of its own where both are at hand.

import { type Block, blocksOf, fieldsOf } from '../../chain/index.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import { toPlainText } from '../output/plain-text.js'
import { snippetOf } from '../output/snippet.js'
import { formatNumber, plural } from '../output/units.js'
import type { FeedEntry } from './feed.js'
import type { Style } from './styled-line.js'

export type ItemKind = 'prompt' | 'reply' | 'tool' | 'note' | 'boundary' | 'subagent' | 'problem'

export interface Item {
  readonly key: number
  readonly kind: ItemKind
  readonly title: string
  readonly style: Style | undefined
  readonly blocks: readonly Block[]
  readonly entry: FeedEntry
  /** Of a subagent: the name of its task. */
  readonly task?: string | undefined
  /** Places of entries that are shown as a part of this item: the results of its calls. */
  readonly merged: readonly number[]
}

type Made = Omit<Item, 'merged'>

/** `entries` in the order of reading. */
export function toItems(entries: readonly FeedEntry[]): Item[] {
  const calls = new Map<string, { block: Call; merged: number[] }>()
  return entries.flatMap((entry) => {
    const made = toItem(entry)
    const merged: number[] = []
    const blocks = made.blocks.filter((block) => {
      if (block.kind === 'call' && block.id !== undefined) calls.set(block.id, { block, merged })
      if (block.kind !== 'result') return true
      const call = calls.get(block.id ?? '')
      if (call === undefined || call.block.result !== undefined) return true
      call.block.result = block.result
      call.merged.push(entry.key)
      return false
    })
    const isMerged = blocks.length === 0 && made.blocks.length > 0
    return isMerged ? [] : [{ ...made, blocks, merged }]
  })
}

type Call = Extract<Block, { kind: 'call' }>

const SPEAKERS: ReadonlyMap<string, Pick<Item, 'kind' | 'title' | 'style'>> = new Map([
  ['user', { kind: 'prompt', title: 'User', style: 'prompt' }],
  ['assistant', { kind: 'reply', title: 'Assistant', style: 'reply' }],
  ['tool_call', { kind: 'tool', title: '', style: 'tool' }],
  ['tool_result', { kind: 'tool', title: '', style: 'tool' }],
  ['system', { kind: 'note', title: 'System', style: 'system' }],
  ['summary', { kind: 'boundary', title: 'Summary', style: 'system' }],
  ['subagent_result', { kind: 'note', title: 'Subagent result', style: 'system' }],
])

function toItem(entry: FeedEntry): Made {
  const { key, event, problem } = entry
  if (event === undefined) {
    const blocks: Block[] = [{ kind: 'other', text: problem ?? '' }]
    return { key, kind: 'problem', title: 'Damaged', style: 'error', blocks, entry }
  }
  const speaker = SPEAKERS.get(event.type)
  if (speaker !== undefined) return toMessage(entry, event, speaker)
  if (event.type === 'compaction_boundary') {
    const [kind, style] = ['boundary', 'system'] as const
    return { key, kind, title: boundaryTitle(event), style, blocks: [], entry }
  }
  if (event.type === 'subagent_spawn') {
    const { task_id, agent_type } = fieldsOf(event.payload)
    const title = toPlainText(`Subagent ${agent_type ?? ''} ${task_id ?? '?'}`)
    const task = typeof task_id === 'string' ? task_id : undefined
    return { key, kind: 'subagent', title, style: 'system', blocks: [], entry, task }
  }
  return { key, kind: 'note', title: noteTitle(event), style: 'dim', blocks: [], entry }
}

/** A user's message that only has results is that of a tool; of a reply without text only the calls count. */
function toMessage(
  entry: FeedEntry,
  event: SessionEvent,
  { kind, title, style }: Pick<Item, 'kind' | 'title' | 'style'>,
): Made {
  const blocks = blocksOf(event)
  const isTool =
    blocks.length > 0 && blocks.every((block) => block.kind === 'call' || block.kind === 'result')
  const shown = isTool
    ? { kind: 'tool' as const, title: '', style: 'tool' as const }
    : { kind, title, style }
  return { key: entry.key, ...shown, blocks, entry }
}

function boundaryTitle({ payload }: SessionEvent): string {
  const { messages_summarized, tokens_before, tokens_after, keptUuids, headUuid } =
    fieldsOf(payload)
  const parts = [
    typeof messages_summarized === 'number' &&
      `${plural(messages_summarized, 'message')} summarized`,
    typeof tokens_before === 'number' &&
      tokens_before > 0 &&
      `~${formatNumber(tokens_before)} tokens${
        typeof tokens_after === 'number' ? ` → ${formatNumber(tokens_after)}` : ''
      }`,
    Array.isArray(keptUuids)
      ? `${plural(keptUuids.length, 'message')} kept`
      : typeof headUuid === 'string'
        ? `kept from ${headUuid}`
        : 'nothing kept',
  ]
  return toPlainText(`── Compacted: ${parts.filter((part) => part !== false).join(', ')} ──`)
}

const SNIPPET_COLUMNS = 100

function noteTitle(event: SessionEvent): string {
  const place = isOnChain(event) ? '' : ' (off-chain)'
  return `${toPlainText(event.type)}${place}  ${snippetOf(event, SNIPPET_COLUMNS)}`.trimEnd()
}

/** Whether a tool failed here, or a line could not be read. */
export function isError({ kind, blocks }: Item): boolean {
  if (kind === 'problem') return true
  return blocks.some(
    (block) =>
      (block.kind === 'result' && block.result.isError) ||
      (block.kind === 'call' && block.result?.isError === true),
  )
}
