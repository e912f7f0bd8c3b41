// A session: its head, the lens, the tree and the list of its items.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Item } from '../model/items.js'
import type { Lens, SessionModel } from '../model/session-model.js'
import {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatNumber,
  formatTokens,
} from './format.js'
import { ItemView } from './item.js'
import { Rail } from './rail.js'
import { RawPanel } from './raw.js'
import { keyOf, SESSION_KEYS, ShortcutHelp } from './shortcuts.js'
import { useModel } from './use-model.js'
import { type ListHandle, VirtualList } from './virtual.js'

interface Props {
  readonly model: SessionModel
  readonly onBack?: (() => void) | undefined
  readonly onSession?: ((id: string, uuid: string | null) => void) | undefined
  /** The event that is selected, for the address of the page. */
  readonly onSelect?: ((uuid: string) => void) | undefined
}

const ESTIMATES: Readonly<Record<Item['kind'], number>> = {
  prompt: 96,
  reply: 140,
  tool: 38,
  boundary: 180,
  summary: 160,
  subagent: 80,
  note: 38,
  problem: 70,
}
const FOLDED_PX = 38
/** Bodies of so many items before and after the screen are loaded, too. */
const AHEAD_ITEMS = 20

export function SessionView({ model, onBack, onSession, onSelect }: Props) {
  useModel(model)
  const list = useRef<ListHandle | undefined>(undefined)
  const search = useRef<HTMLInputElement>(null)
  const wanted = useRef<{ place: number; align: 'start' | 'center' | 'auto' } | undefined>(
    undefined,
  )
  const [raw, setRaw] = useState<number>()
  const [hasRail, setRail] = useState(() => matchMedia('(min-width: 900px)').matches)
  const [hasHelp, setHelp] = useState(false)
  const [notice, setNotice] = useState('')
  const { items } = model
  const selected = items[model.active]?.row.uuid

  useEffect(() => {
    model.onReveal = (place, align) => {
      wanted.current = { place, align }
    }
  }, [model])
  // After the list has been drawn with its newest items: it cannot scroll to one that it does not know.
  useEffect(() => {
    const { current } = wanted
    if (current === undefined || current.place >= items.length) return
    wanted.current = undefined
    list.current?.reveal(current.place, current.align)
  })
  useEffect(() => {
    if (selected) onSelect?.(selected)
  }, [selected])
  // A person who reads the end of a growing session stays at its end; anyone else stays where they are.
  const count = useRef(0)
  const isFollowing = useRef(false)
  useEffect(() => {
    if (isFollowing.current && items.length > count.current && model.arrived > 0) {
      list.current?.scrollToEnd()
    }
    count.current = items.length
  })

  function onRange(first: number, last: number): void {
    isFollowing.current = list.current?.isAtEnd() === true
    const near = items.slice(Math.max(0, first - AHEAD_ITEMS), last + 1 + AHEAD_ITEMS)
    model.feed.request(near.flatMap(({ index, results }) => [index, ...results]))
    if (model.isComplete) model.markSeen(last)
  }

  async function copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setNotice(`Copied ${what}`)
    } catch {
      // No permission, or a page without a secure context: the person can copy it by hand.
      setNotice(text)
    }
  }

  const actions: Readonly<Record<string, () => unknown>> = {
    nextPrompt: () => model.jump(1, ({ kind }) => kind === 'prompt'),
    previousPrompt: () => model.jump(-1, ({ kind }) => kind === 'prompt'),
    nextError: () => model.jump(1, isError) || model.jump(-1, isError) || setNotice('No errors'),
    previousError: () => model.jump(-1, isError),
    nextBoundary: () =>
      model.jump(1, isBoundary) || model.jump(-1, isBoundary) || setNotice('No compactions'),
    previousBoundary: () => model.jump(-1, isBoundary),
    down: () => model.select(model.active + 1),
    up: () => model.select(model.active - 1),
    first: () => model.select(0, 'start'),
    last: () => model.select(items.length - 1),
    fold: () => items[model.active] && model.toggle(items[model.active]!),
    raw: () => setRaw(raw === undefined ? items[model.active]?.index : undefined),
    search: () => search.current?.focus(),
    nextMatch: () => model.goToMatch(model.match + 1),
    previousMatch: () => model.goToMatch(model.match - 1),
    written: () => model.setLens('written'),
    seen: () => model.setLens('seen'),
    asOf: () => model.setLens('as-of', placeOfActive(model)),
    tree: () => setRail(!hasRail),
    copyId: () => selected && copy(selected, 'the id of the event'),
    copyResume: () => copy(resumeCommand(model), 'the resume command'),
    help: () => setHelp(!hasHelp),
    escape: () => {
      if (raw !== undefined) setRaw(undefined)
      else if (hasHelp) setHelp(false)
      else if (model.query !== '') void model.search('')
    },
  }

  function onKeyDown(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as HTMLElement
    const isTyping = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
    const action = SESSION_KEYS[keyOf(event)]
    if (action === undefined || (isTyping && action !== 'escape')) return
    // A button reacts to Enter itself.
    if (target.tagName === 'BUTTON' && event.key === 'Enter') return
    event.preventDefault()
    // Escape leaves the field; once more clears the search.
    if (isTyping) target.blur()
    else void actions[action]!()
  }
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })

  return (
    <div class="session">
      <header class="head">
        {onBack !== undefined && (
          <button type="button" onClick={onBack} aria-label="All sessions">
            ←
          </button>
        )}
        <Title model={model} />
        <Lenses model={model} onAsOf={() => actions['asOf']!()} />
        <SearchBox model={model} input={search} />
        <span class="buttons">
          <button type="button" aria-pressed={hasRail} onClick={() => setRail(!hasRail)}>
            Tree
          </button>
          <button type="button" onClick={() => void actions['copyResume']!()}>
            Copy resume command
          </button>
          <button type="button" aria-label="Keyboard shortcuts" onClick={() => setHelp(true)}>
            ?
          </button>
        </span>
        {model.lens === 'as-of' && <Slider model={model} />}
      </header>
      {model.error !== undefined && (
        <p class="failed" role="alert">
          {model.error}{' '}
          <button type="button" onClick={() => model.retry()}>
            Try again
          </button>
        </p>
      )}
      <div class="columns">
        {hasRail && (
          <nav class="rail" aria-label="Tree of the session">
            <Rail model={model} onSession={onSession} />
          </nav>
        )}
        <main>
          <VirtualList
            class="items"
            role="feed"
            label={LENS_NAMES[model.lens]}
            isBusy={!model.isComplete}
            count={items.length}
            keyOf={(place) => items[place]!.key}
            estimate={(place) =>
              model.isOpen(items[place]!) ? ESTIMATES[items[place]!.kind] : FOLDED_PX
            }
            onRange={onRange}
            onReady={(handle) => {
              list.current = handle
            }}
            render={(place) => (
              <ItemView model={model} item={items[place]!} place={place} onRaw={setRaw} />
            )}
          />
          {items.length === 0 && model.isComplete && <p class="waiting">Nothing to show.</p>}
        </main>
        {raw !== undefined && (
          <RawPanel model={model} index={raw} onClose={() => setRaw(undefined)} />
        )}
      </div>
      <Footer model={model} notice={notice} onEnd={() => actions['last']!()} />
      {hasHelp && <ShortcutHelp onClose={() => setHelp(false)} />}
    </div>
  )
}

const isError = (item: Item) => item.hasError || item.kind === 'problem'
const isBoundary = (item: Item) => item.kind === 'boundary'

function placeOfActive(model: SessionModel): number {
  const uuid = model.items[model.active]?.row.uuid
  const place = model.writtenRows.findIndex((row) => row.uuid === uuid)
  return place === -1 ? model.writtenRows.length - 1 : place
}

/** Ids that the library makes need no quotes in any shell; an id that a caller chose may. */
function resumeCommand({ source: { sessionId } }: SessionModel): string {
  const isPlain = /^[\w.:@-]+$/.test(sessionId)
  return `jsonl-session resume ${isPlain ? sessionId : `'${sessionId.replaceAll("'", "'\\''")}'`}`
}

function Title({ model }: { readonly model: SessionModel }) {
  const { session, source } = model
  const facts =
    session === undefined
      ? []
      : [
          session.status,
          formatCount(session.turns, 'turn'),
          formatTokens(session.tokens),
          formatCost(session.costMicroUsd),
          formatDuration(session.durationMs),
          session.models?.join(', '),
        ]
  return (
    <div class="title">
      <h1>{session?.title ?? source.sessionId}</h1>
      <p class="dim">{facts.filter(Boolean).join(' · ')}</p>
    </div>
  )
}

const LENS_NAMES: Readonly<Record<Lens, string>> = {
  written: 'Everything that was written',
  seen: 'What the model sees now',
  'as-of': 'What the model saw at an event',
}

function Lenses({ model, onAsOf }: { readonly model: SessionModel; readonly onAsOf: () => void }) {
  const choose = { written: () => model.setLens('written'), seen: () => model.setLens('seen') }
  const lens = (name: Lens, label: string, pick: () => unknown) => (
    <label title={LENS_NAMES[name]}>
      <input
        type="radio"
        name="lens"
        checked={model.lens === name}
        onChange={() => void pick()}
        aria-label={LENS_NAMES[name]}
      />
      <span>{label}</span>
    </label>
  )
  return (
    <fieldset class="lenses">
      <legend class="hidden">Lens</legend>
      {lens('written', 'Written', choose.written)}
      {lens('seen', 'Seen', choose.seen)}
      {lens('as-of', 'As of', onAsOf)}
    </fieldset>
  )
}

function Slider({ model }: { readonly model: SessionModel }) {
  const { asOf, writtenRows } = model
  const row = writtenRows[asOf]
  const text = `Event ${asOf + 1} of ${writtenRows.length}: ${row?.type ?? ''} ${row?.title ?? ''}`
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  return (
    <label class="slider">
      <input
        type="range"
        min={0}
        max={Math.max(0, writtenRows.length - 1)}
        value={asOf}
        aria-label="What the model saw at event"
        aria-valuetext={text}
        onInput={({ currentTarget }) => {
          const place = Number(currentTarget.value)
          clearTimeout(timer.current)
          // A drag passes many events; only where it rests is asked for.
          timer.current = setTimeout(() => void model.setLens('as-of', place), 80)
        }}
      />
      <span class="dim">{text}</span>
    </label>
  )
}

function SearchBox(props: {
  readonly model: SessionModel
  readonly input: preact.RefObject<HTMLInputElement | null>
}) {
  const { model, input } = props
  const { matches, match, query } = model
  const count =
    query === ''
      ? ''
      : matches === undefined
        ? 'Searching…'
        : matches.length === 0
          ? 'No match'
          : `${match + 1} of ${matches.length}`
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = input.current?.value ?? ''
          if (wanted === query && matches !== undefined) void model.goToMatch(match + 1)
          else void model.search(wanted)
        }}
      >
        <input
          ref={input}
          type="search"
          placeholder="Search (/)"
          aria-label="Search in this session"
          onInput={({ currentTarget }) => {
            if (currentTarget.value === '') void model.search('')
          }}
        />
      </form>
      <output>{count}</output>
    </search>
  )
}

function Footer(props: {
  readonly model: SessionModel
  readonly notice: string
  readonly onEnd: () => void
}) {
  const { model, notice, onEnd } = props
  const state = !model.source.isLive
    ? ''
    : !model.isComplete
      ? 'Loading…'
      : model.isConnected
        ? 'Live'
        : 'Connecting…'
  return (
    <footer class="foot">
      <span>
        {formatNumber(model.items.length)} items · {formatNumber(model.writtenRows.length)} events
        {model.session !== undefined && ` · ${formatBytes(model.session.bytes)}`}
      </span>
      <output class={`state ${model.isConnected ? 'live' : ''}`}>{state}</output>
      {model.arrived > 0 && (
        <button type="button" onClick={onEnd}>
          {formatNumber(model.arrived)} new
        </button>
      )}
      <output>{notice}</output>
    </footer>
  )
}
