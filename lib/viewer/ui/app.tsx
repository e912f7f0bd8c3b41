// The page of a server: the list of sessions, or one of them, as the address says.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Api } from '../data/api.js'
import { ApiSource } from '../data/api-source.js'
import { ListModel } from '../model/list-model.js'
import { SessionModel } from '../model/session-model.js'
import { SessionListView } from './list.js'
import { SearchAll } from './search-all.js'
import { SessionView } from './session.js'

interface Route {
  readonly session: string | undefined
  readonly uuid: string | undefined
}

export function App({ api }: { readonly api: Api }) {
  const [route, setRoute] = useState(readRoute)
  const [isSearching, setSearching] = useState(false)
  const [allowsSecrets, setAllowsSecrets] = useState(false)
  const [showsSecrets, setShowsSecrets] = useState(false)
  useEffect(() => {
    const onPop = () => setRoute(readRoute())
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setSearching(true)
    }
    addEventListener('popstate', onPop)
    document.addEventListener('keydown', onKey)
    api.get<{ allowSecrets: boolean }>('/api/info').then(
      ({ allowSecrets }) => setAllowsSecrets(allowSecrets),
      () => {
        // The list says what is wrong.
      },
    )
    return () => {
      removeEventListener('popstate', onPop)
      document.removeEventListener('keydown', onKey)
    }
  }, [])

  function go(session: string | undefined, uuid?: string | null): void {
    const query = session === undefined ? '' : `?session=${encodeURIComponent(session)}`
    history.pushState(null, '', `${location.pathname}${query}${uuid ? `#${uuid}` : ''}`)
    setSearching(false)
    setRoute(readRoute())
  }

  return (
    <>
      {route.session === undefined ? (
        <StorePage key={`list ${showsSecrets}`} api={api} onOpen={(id) => go(id)} />
      ) : (
        <SessionPage
          key={`${route.session} ${route.uuid ?? ''} ${showsSecrets}`}
          api={api}
          id={route.session}
          uuid={route.uuid}
          onBack={() => go(undefined)}
          onSession={go}
        />
      )}
      {allowsSecrets && (
        <label class="secrets">
          <input
            type="checkbox"
            checked={showsSecrets}
            onChange={({ currentTarget }) => {
              api.showsSecrets = currentTarget.checked
              setShowsSecrets(currentTarget.checked)
            }}
          />
          Show secrets
        </label>
      )}
      {isSearching && <SearchAll api={api} onOpen={go} onClose={() => setSearching(false)} />}
    </>
  )
}

function readRoute(): Route {
  const session = new URLSearchParams(location.search).get('session') ?? undefined
  const uuid = decodeURIComponent(location.hash.slice(1))
  return { session, uuid: uuid === '' ? undefined : uuid }
}

function StorePage({ api, onOpen }: { readonly api: Api; readonly onOpen: (id: string) => void }) {
  const model = useMemo(() => new ListModel(api), [])
  useEffect(() => {
    void model.open()
    return () => model.close()
  }, [])
  return <SessionListView model={model} onOpen={onOpen} />
}

function SessionPage(props: {
  readonly api: Api
  readonly id: string
  readonly uuid: string | undefined
  readonly onBack: () => void
  readonly onSession: (id: string, uuid: string | null) => void
}) {
  const { api, id, uuid, onBack, onSession } = props
  const model = useMemo(() => new SessionModel(new ApiSource(api, id)), [])
  useEffect(() => {
    void model.open(uuid)
    return () => model.close()
  }, [])
  // The address always names the selected event, so it can be copied and reloaded.
  const onSelect = (selected: string) => history.replaceState(null, '', `#${selected}`)
  return <SessionView model={model} onBack={onBack} onSession={onSession} onSelect={onSelect} />
}
