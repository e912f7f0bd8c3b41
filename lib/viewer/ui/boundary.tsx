// A compaction: the summary that replaced messages, which ones, and which were kept.

import { blocksOf, fieldsOf } from '../../chain/index.js'
import type { Entry, Row } from '../data/types.js'
import type { SessionModel } from '../model/session-model.js'
import { formatNumber } from './format.js'
import { Markdown } from './text.js'

const LISTED_ROWS = 200

interface Props {
  readonly model: SessionModel
  readonly row: Row
  readonly entry: Entry
}

export function Boundary({ model, row, entry }: Props) {
  const cut = model.cutOf(row)
  const fields = fieldsOf(entry.event?.payload)
  const summary = summaryOf(model, fields['summary_event_uuid'])
  const facts = [
    typeof fields['trigger'] === 'string' ? fields['trigger'] : undefined,
    countOf(fields['tokens_before'], 'tokens before'),
    countOf(fields['tokens_after'], 'tokens after'),
  ]
  const place = model.writtenRows.findIndex(({ uuid }) => uuid === row.uuid)
  return (
    <div class="body">
      <p class="dim">{facts.filter(Boolean).join(' · ')}</p>
      {summary !== undefined && (
        <section class="summary-text" aria-label="Summary">
          <Markdown text={summary} marks={model.query} />
        </section>
      )}
      {cut === undefined ? (
        <p class="waiting">Comparing what the model saw before and after…</p>
      ) : (
        <>
          <RowList rows={cut.covered} class="covered" name="Covered by the summary" model={model} />
          <RowList rows={cut.kept} class="kept" name="Kept as they were" model={model} />
        </>
      )}
      {place > 0 && (
        <p>
          <button type="button" onClick={() => void model.setLens('as-of', place - 1)}>
            What the model saw before
          </button>{' '}
          <button type="button" onClick={() => void model.setLens('as-of', place)}>
            What it saw after
          </button>
        </p>
      )}
    </div>
  )
}

function RowList({
  rows,
  name,
  model,
  class: className,
}: {
  readonly rows: readonly Row[]
  readonly name: string
  readonly model: SessionModel
  readonly class: string
}) {
  return (
    <details class={className}>
      <summary>
        {name}: {formatNumber(rows.length)}
      </summary>
      <ul>
        {rows.slice(0, LISTED_ROWS).map(({ uuid, type, title }, at) => (
          <li key={at}>
            <button type="button" class="link" onClick={() => void (uuid && model.reveal(uuid))}>
              {type}: {title}
            </button>
          </li>
        ))}
        {rows.length > LISTED_ROWS && <li>and {formatNumber(rows.length - LISTED_ROWS)} more</li>}
      </ul>
    </details>
  )
}

/** The summary is a line of its own, right before its boundary. */
function summaryOf(model: SessionModel, uuid: unknown): string | undefined {
  const { rows } = model.feed
  const index = rows.findLastIndex((row) => row.uuid === uuid)
  if (index === -1) return undefined
  model.feed.request([index])
  const entry = model.bodyOf(index)
  if (entry?.event === undefined) return undefined
  const [block] = blocksOf(entry.event)
  return entry.text ?? (block?.kind === 'text' ? block.text : undefined)
}

function countOf(value: unknown, unit: string): string | undefined {
  return typeof value === 'number' ? `${formatNumber(value)} ${unit}` : undefined
}
