// Search over all sessions (Ctrl-K, ⌘-K).

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Api } from '../data/api.js'
import type { Match } from '../data/types.js'
import { Dialog } from './dialog.js'
import { formatTime } from './format.js'

interface Props {
  readonly api: Api
  readonly onOpen: (id: string, uuid: string) => void
  readonly onClose: () => void
}

const WAIT_MS = 250
const CHARS_MIN = 2

export function SearchAll({ api, onOpen, onClose }: Props) {
  const [query, setQuery] = useState('')
  const [matches, setMatches] = useState<readonly Match[]>()
  const [error, setError] = useState('')
  const [active, setActive] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    setMatches(undefined)
    setActive(0)
    setError('')
    if (query.length < CHARS_MIN) return
    const aborting = new AbortController()
    const timer = setTimeout(() => {
      api.grep(query, { limit: 50 }, aborting.signal).then(setMatches, (reason) => {
        if (!aborting.signal.aborted) setError(String(reason.message ?? reason))
      })
    }, WAIT_MS)
    return () => {
      clearTimeout(timer)
      aborting.abort()
    }
  }, [query])
  const state =
    error !== ''
      ? error
      : query.length < CHARS_MIN
        ? 'Type two characters or more'
        : matches === undefined
          ? 'Searching…'
          : matches.length === 0
            ? 'No match'
            : `${matches.length} matches`
  return (
    <Dialog label="Search all sessions" onClose={onClose}>
      <form
        class="search-all"
        onSubmit={(event) => {
          event.preventDefault()
          const match = matches?.[active]
          if (match !== undefined) onOpen(match.sessionId, match.uuid)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step === undefined || matches === undefined) return
          event.preventDefault()
          setActive(Math.max(0, Math.min(active + step, matches.length - 1)))
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label="Search all sessions"
          placeholder="Search all sessions"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <output class="dim">{state}</output>
        <ul>
          {matches?.map((match, at) => (
            <li key={`${match.sessionId}${match.uuid}`}>
              <button
                type="button"
                class={at === active ? 'active' : ''}
                onClick={() => onOpen(match.sessionId, match.uuid)}
              >
                <b>{match.title ?? match.sessionId}</b>
                <span class="dim">
                  {match.type} · {formatTime(match.ts)}
                </span>
                <Snippet match={match} />
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  )
}

function Snippet({ match: { snippet, ranges } }: { readonly match: Match }) {
  const parts: preact.ComponentChildren[] = []
  let from = 0
  for (const [start, end] of ranges) {
    parts.push(snippet.slice(from, start), <mark key={start}>{snippet.slice(start, end)}</mark>)
    from = end
  }
  return (
    <span class="snippet">
      {parts}
      {snippet.slice(from)}
    </span>
  )
}
