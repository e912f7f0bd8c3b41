// All sessions of a store.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SessionRow } from '../data/types.js'
import type { ListModel } from '../model/list-model.js'
import {
  formatAge,
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
  formatTokens,
} from './format.js'
import { keyOf } from './shortcuts.js'
import { Marked } from './text.js'
import { useModel } from './use-model.js'
import { type ListHandle, VirtualList } from './virtual.js'

interface Props {
  readonly model: ListModel
  readonly onOpen: (id: string) => void
}

const ROW_PX = 56

export function SessionListView({ model, onOpen }: Props) {
  useModel(model)
  const list = useRef<ListHandle | undefined>(undefined)
  const filter = useRef<HTMLInputElement>(null)
  const [active, setActive] = useState(0)
  const rows = model.shown
  const names = useMemo(() => model.titlesById(), [model.version])

  function select(place: number): void {
    const next = Math.max(0, Math.min(place, rows.length - 1))
    setActive(next)
    list.current?.reveal(next, 'auto')
  }
  function onKeyDown(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as HTMLElement
    const isTyping = /^(?:INPUT|SELECT)$/.test(target.tagName)
    const isMoving = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (isTyping && !(target === filter.current && (isMoving || event.key === 'Enter'))) return
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => select(active + 1),
      j: () => select(active + 1),
      ArrowUp: () => select(active - 1),
      k: () => select(active - 1),
      '/': () => filter.current?.focus(),
      Enter: () => rows[active] && onOpen(rows[active].id),
    }
    const action = actions[keyOf(event)]
    if (action === undefined || (event.key === 'Enter' && target.tagName === 'A')) return
    event.preventDefault()
    action()
  }
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })

  return (
    <div class="store">
      <header class="head">
        <h1>Sessions</h1>
        <input
          ref={filter}
          type="search"
          placeholder="Filter by title, project or id (/)"
          aria-label="Filter sessions"
          value={model.filter.text}
          onInput={({ currentTarget }) => {
            setActive(0)
            model.setFilter({ text: currentTarget.value })
          }}
        />
        <Choice model={model} name="project" label="Project" values={model.projects} />
        <Choice model={model} name="status" label="Status" values={model.statuses} />
        <Choice model={model} name="tag" label="Tag" values={model.tags} />
        <label>
          <span class="hidden">Sort by</span>
          <select
            aria-label="Sort by"
            value={model.filter.sort}
            onChange={({ currentTarget }) =>
              model.setFilter({ sort: currentTarget.value as 'updated' })
            }
          >
            <option value="updated">Newest</option>
            <option value="tokens">Most tokens</option>
            <option value="cost">Highest cost</option>
            <option value="duration">Longest</option>
          </select>
        </label>
        <output class="dim">
          {formatNumber(rows.length)} of {formatNumber(model.total)}
          {model.isComplete ? '' : ', loading…'}
        </output>
      </header>
      {model.error !== undefined && (
        <p class="failed" role="alert">
          {model.error}
        </p>
      )}
      <main>
        <VirtualList
          class="sessions"
          role="list"
          label="Sessions"
          count={rows.length}
          keyOf={(place) => rows[place]!.id}
          estimate={() => ROW_PX}
          onReady={(handle) => {
            list.current = handle
          }}
          render={(place) => (
            <Row
              row={rows[place]!}
              isActive={place === active}
              parentTitle={names.get(rows[place]!.parent?.sessionId ?? '')}
              marks={model.filter.text}
              onOpen={onOpen}
            />
          )}
        />
        {rows.length === 0 && model.isComplete && <p class="waiting">No session matches.</p>}
      </main>
    </div>
  )
}

function Choice(props: {
  readonly model: ListModel
  readonly name: 'project' | 'status' | 'tag'
  readonly label: string
  readonly values: readonly string[]
}) {
  const { model, name, label, values } = props
  if (values.length === 0) return null
  return (
    <select
      aria-label={label}
      value={model.filter[name]}
      onChange={({ currentTarget }) => model.setFilter({ [name]: currentTarget.value })}
    >
      <option value="">{label}: all</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  )
}

function Row(props: {
  readonly row: SessionRow
  readonly isActive: boolean
  readonly parentTitle: string | undefined
  readonly marks: string
  readonly onOpen: (id: string) => void
}) {
  const { row, isActive, parentTitle, marks, onOpen } = props
  const { id, title, project, status, parent, tags } = row
  const facts = [
    formatCount(row.turns, 'turn'),
    formatTokens(row.tokens),
    formatCost(row.costMicroUsd),
    formatDuration(row.durationMs),
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: the items of a virtual list are not in one parent
    <div role="listitem" class={isActive ? 'row active' : 'row'}>
      <a
        href={`?session=${encodeURIComponent(id)}`}
        aria-current={isActive}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          onOpen(id)
        }}
      >
        <span class={`status ${status}`}>{status}</span>
        <span class="name">
          <Marked text={title ?? id} marks={marks} />
        </span>
        {tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </a>
      <p class="dim">
        <span class="project">
          <Marked text={project ?? ''} marks={marks} />
        </span>
        {parent !== null && (
          <span class="lineage">
            {parent.kind} of {parentTitle ?? parent.sessionId}
          </span>
        )}
        <span>{facts.filter(Boolean).join(' · ')}</span>
        <time dateTime={row.updatedAt ?? undefined} title={formatTime(row.updatedAt)}>
          {formatAge(row.updatedAt, Date.now())}
        </time>
      </p>
    </div>
  )
}
