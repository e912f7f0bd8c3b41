// One item of a session: a prompt, a reply, a tool call with its result, a compaction, a note.

import { type Block, blocksOf, type ShownResult } from '../../chain/index.js'
import type { Entry, Row } from '../data/types.js'
import type { Item } from '../model/items.js'
import type { SessionModel } from '../model/session-model.js'
import { Boundary } from './boundary.js'
import { formatBytes, formatTime } from './format.js'
import { SubagentLog } from './subagent.js'
import { Code, Markdown, Marked } from './text.js'
import { FoldedCall, Picture, Result, ToolLine } from './tool.js'

const NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  summary: 'Summary',
  compaction_boundary: 'Compaction',
  subagent_spawn: 'Subagent',
  subagent_result: 'Subagent result',
  tool_call: 'Tool call',
  tool_result: 'Tool result',
  session_header: 'Session started',
  session_resumed: 'Session resumed',
  session_terminator: 'Session ended',
  turn_end: 'Turn ended',
  rewind: 'Rewound',
}

export interface ItemProps {
  readonly model: SessionModel
  readonly item: Item
  readonly place: number
  readonly onRaw: (index: number) => void
}

export function ItemView({ model, item, place, onRaw }: ItemProps) {
  const { row, index, kind } = item
  const isActive = model.active === place
  const isOpen = model.isOpen(item)
  const isNew = model.lens === 'written' && isFirstNew(model, place)
  const name = NAMES[row.type] ?? row.type
  const classes = ['item', kind, isActive && 'active', item.hasError && 'has-error']
  const canFold = kind !== 'problem'
  return (
    <>
      {isNew && <div class="marker">New since you were last here</div>}
      <article
        id={row.uuid === null ? undefined : `e-${row.uuid}`}
        class={classes.filter(Boolean).join(' ')}
        aria-posinset={place + 1}
        aria-setsize={model.isComplete ? model.items.length : -1}
        aria-label={`${name}${item.hasError ? ', error' : ''}: ${row.title}`}
        data-uuid={row.uuid}
        onPointerDown={() => {
          if (!isActive) model.select(place)
        }}
      >
        <header>
          {canFold ? (
            <button
              type="button"
              class="fold"
              aria-expanded={isOpen}
              aria-label={isOpen ? `Fold ${name}` : `Unfold ${name}`}
              onClick={() => model.toggle(item)}
            >
              {isOpen ? '▾' : '▸'}
            </button>
          ) : (
            <span class="fold" />
          )}
          <Heading model={model} item={item} name={name} isOpen={isOpen} />
          <time dateTime={row.ts ?? undefined}>{formatTime(row.ts)}</time>
          <button type="button" class="quiet" title="Raw JSON (r)" onClick={() => onRaw(index)}>
            {'{ }'}
            <span class="hidden">Raw JSON of {name}</span>
          </button>
        </header>
        {isOpen && <Body model={model} item={item} />}
      </article>
    </>
  )
}

/** The first item after the one that was last seen. */
function isFirstNew(model: SessionModel, place: number): boolean {
  const { lastSeen, items } = model
  return lastSeen !== undefined && place > 0 && items[place - 1]!.row.uuid === lastSeen
}

function Heading({
  model,
  item,
  name,
  isOpen,
}: {
  readonly model: SessionModel
  readonly item: Item
  readonly name: string
  readonly isOpen: boolean
}) {
  const { row, kind } = item
  if (kind === 'tool') {
    const calls = blocksWithResults(model, item)?.filter((block) => block.kind === 'call')
    if (calls !== undefined && calls.length > 0) {
      return (
        <span class="tools">
          {calls.map((call, at) => (
            <ToolLine key={at} call={call} marks={model.query} />
          ))}
        </span>
      )
    }
    return (
      <span class="tool-line">
        <b class="tool-name">{row.tool ?? name}</b>
        <span class="tool-input">{row.title}</span>
      </span>
    )
  }
  return (
    <span class="heading">
      <b>{kind === 'problem' ? 'Damaged' : name}</b>
      {(!isOpen || kind === 'note') && (
        <span class="short">
          <Marked text={row.title} marks={model.query} />
        </span>
      )}
    </span>
  )
}

function Body({ model, item }: { readonly model: SessionModel; readonly item: Item }) {
  const { row, index, kind } = item
  const entry = model.bodyOf(index)
  if (kind === 'problem') return <Problem row={row} entry={entry} />
  if (entry === undefined) return <Placeholder model={model} item={item} />
  if (kind === 'boundary') return <Boundary model={model} row={row} entry={entry} />
  const rest = entry.clipped === true || hasCutResult(model, item)
  return (
    <div class="body">
      <Blocks
        blocks={blocksWithResults(model, item) ?? []}
        marks={model.query}
        opensCalls={kind === 'tool'}
      />
      {kind === 'note' && entry.event !== undefined && (
        <Code
          text={JSON.stringify(entry.event.payload, null, 2)}
          language="json"
          marks={model.query}
          label={row.type}
        />
      )}
      {kind === 'subagent' && row.task !== undefined && (
        <SubagentLog model={model} task={row.task} />
      )}
      {rest && (
        <button type="button" class="more" onClick={() => void loadAll(model, item)}>
          Show all ({formatBytes(sizeOf(model, item))})
        </button>
      )}
    </div>
  )
}

/** `opensCalls`: the item was opened for its calls, so they are not folded once more. */
export function Blocks({
  blocks,
  marks,
  opensCalls,
}: {
  readonly blocks: readonly Block[]
  readonly marks: string
  readonly opensCalls: boolean
}) {
  return (
    <>
      {blocks.map((block, at) => {
        switch (block.kind) {
          case 'text':
            return <Markdown key={at} text={block.text} marks={marks} />
          case 'thinking':
            return (
              <details key={at} class="thinking">
                <summary>Thinking</summary>
                <Markdown text={block.text} marks={marks} />
              </details>
            )
          case 'image':
            return <Picture key={at} image={block.image} />
          case 'call':
            return <FoldedCall key={at} call={block} marks={marks} isOpen={opensCalls} />
          case 'result':
            return <Result key={at} result={block.result} marks={marks} />
          default:
            return (
              <span key={at} class="dim">
                {block.text}
              </span>
            )
        }
      })}
    </>
  )
}

function Placeholder({ model, item }: { readonly model: SessionModel; readonly item: Item }) {
  const failure = model.feed.failure(item.index)
  if (failure === undefined) return <p class="waiting">{item.row.title || '…'}</p>
  return (
    <p class="failed">
      {failure}{' '}
      <button type="button" onClick={() => model.retry()}>
        Try again
      </button>
    </p>
  )
}

const GAPS: Readonly<Record<string, string>> = {
  lost: 'The session that this one continues is missing.',
  missing: 'An event that is named here is missing.',
  opaque: 'Older messages were not read.',
}

function Problem({ row, entry }: { readonly row: Row; readonly entry: Entry | undefined }) {
  const damage = row.damage ?? entry?.damage
  if (damage === undefined) {
    return <p class="damage">{GAPS[entry?.reason ?? row.title] ?? 'A part is missing here.'}</p>
  }
  return (
    <p class="damage">
      {damage.message} <code>{damage.reason}</code>, bytes {row.offset}–{row.offset + row.length}
    </p>
  )
}

/** The blocks of an item, each call with its result; `undefined` while its body is loaded. */
function blocksWithResults(model: SessionModel, item: Item): readonly Block[] | undefined {
  const entry = model.bodyOf(item.index)
  if (entry?.event === undefined) return undefined
  if (entry.text !== undefined) return [{ kind: 'text', text: entry.text }]
  const results = new Map<string, ShownResult>()
  for (const index of item.results) {
    const event = model.bodyOf(index)?.event
    if (event === undefined) continue
    for (const block of blocksOf(event)) {
      if (block.kind === 'result') results.set(block.id ?? '', block.result)
    }
  }
  return blocksOf(entry.event).map((block) =>
    block.kind === 'call' ? { ...block, result: results.get(block.id ?? '') } : block,
  )
}

function hasCutResult(model: SessionModel, item: Item): boolean {
  return item.results.some((index) => model.bodyOf(index)?.clipped === true)
}

function sizeOf(model: SessionModel, item: Item): number {
  const { rows } = model.feed
  return [item.index, ...item.results].reduce((sum, index) => sum + rows[index]!.length, 0)
}

async function loadAll(model: SessionModel, item: Item): Promise<void> {
  for (const index of [item.index, ...item.results]) {
    if (model.bodyOf(index)?.clipped === true) await model.loadWhole(index)
  }
}
