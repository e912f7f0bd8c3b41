// Everything that branched off in a session, and the sessions that branched off from it.

import { type LogTree, type PlacedEvent, treeOf } from '../chain/index.js'
import type { LogHandle } from '../log/index.js'
import { listSessions, type StoreContext } from '../store/index.js'

export interface TreeOptions {
  /**
   * Look for sessions that were forked or resumed from this one, by the header of every session.
   *
   * @default true
   */
  descendants?: boolean | undefined
}

/** A session that began with this one. */
export interface Descendant {
  readonly sessionId: string
  readonly kind: 'fork' | 'resume'
  /** The event of this session it continues. */
  readonly atUuid: string | null
}

/** What `session.tree()` returns. */
export interface SessionTree extends LogTree {
  readonly sessionId: string
  readonly tip: string | null
  /** Sessions that were forked or resumed from this one, newest first. */
  readonly descendants: readonly Descendant[]
}

export async function readTree(
  store: StoreContext,
  { id, log }: { readonly id: string; readonly log: LogHandle },
  { descendants = true }: TreeOptions,
): Promise<SessionTree> {
  const events: PlacedEvent[] = []
  for await (const entry of log.read()) if (entry.kind === 'event') events.push(entry)
  return {
    sessionId: id,
    tip: log.tip,
    ...treeOf(events),
    descendants: descendants ? findDescendants(store, id) : [],
  }
}

function findDescendants(store: StoreContext, id: string): Descendant[] {
  const found: Descendant[] = []
  for (const { sessionId, resumedFrom, forkedFrom } of listSessions(store).sessions) {
    if (forkedFrom?.sessionId === id) {
      found.push({ sessionId, kind: 'fork', atUuid: forkedFrom.atUuid })
    } else if (resumedFrom?.sessionId === id) {
      found.push({ sessionId, kind: 'resume', atUuid: resumedFrom.tipUuid })
    }
  }
  return found
}
