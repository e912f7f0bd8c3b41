// The health of a whole store. Only reads; `fixStore` fixes what is safe to fix.

import { join } from 'node:path'
import { countNewlines, hasKernelLock } from '../../log/index.js'
import { isExpired, readClaimState } from '../claims/read-state.js'
import { DEFAULT_AGENT, type StoreContext } from '../context.js'
import { HISTORY_LIMITS } from '../history/append.js'
import { listLogNames } from '../list-logs.js'
import { checkEntry, checkLock, checkRoot } from './check-entries.js'
import { checkLog, readIfReadable } from './check-log.js'
import { checkReferences } from './check-references.js'
import { CHANNELS, type HeldLock, type StoreFinding, type StoreHealth } from './findings.js'
import {
  type AgentStore,
  historyEntries,
  readStores,
  type StoreEntry,
  unknownNames,
} from './list-entries.js'

export interface ExamineOptions {
  /**
   * Read every line of every log, not only the beginning and the end.
   *
   * @default false
   */
  deep?: boolean | undefined

  /**
   * Examine the stores of all agents.
   *
   * @default true for the default agent
   */
  allAgents?: boolean | undefined

  /**
   * Called before every log.
   *
   * @default none
   */
  onProgress?: ((progress: ExamineProgress) => void) | undefined
}

export interface ExamineProgress {
  readonly path: string
  /** Number of logs that were examined. */
  readonly done: number
  readonly total: number
}

const HISTORY_NEAR_SHARE = 0.8
const GRAVITY = { error: 0, warning: 1, info: 2 }

/** A store that does not exist is healthy. */
export async function examineStore(
  store: StoreContext,
  options: ExamineOptions = {},
): Promise<StoreHealth> {
  const { deep = false, allAgents = store.agent === DEFAULT_AGENT, onProgress } = options
  const { root, home } = store.layout
  const stores = readStores(store, allAgents)
  const all = [...stores.flatMap(({ entries }) => entries), ...historyEntries(store)]
  // The log of relocations is one for all agents.
  const entries = [...new Map(all.map((entry) => [entry.path, entry])).values()]
  const logs = entries.filter(isReadableLog)
  const findings = [...new Set([root, home])].flatMap((folder) => checkRoot(store, folder))
  if (!hasKernelLock()) findings.push(advisoryFinding(root))
  findings.push(...entries.flatMap((entry) => checkEntry(store, entry)))
  for (const [done, entry] of logs.entries()) {
    onProgress?.({ path: entry.path, done, total: logs.length })
    const damage = await checkLog(store, entry, deep)
    if (damage !== undefined) findings.push(damage)
  }
  for (const agent of stores) {
    for (const entry of agent.entries.filter(isReadableLog)) {
      findings.push(...checkReferences(store, agent.layout, entry))
    }
  }
  const held: HeldLock[] = []
  for (const entry of entries.filter(({ kind }) => kind === 'lock')) {
    const lock = checkLock(store, entry)
    if (lock === undefined) continue
    if ('pid' in lock) held.push(lock)
    else findings.push(lock)
  }
  const history = measureHistory(store, entries)
  findings.push(...checkHistory(store, history))
  return {
    root,
    home,
    deep,
    healthy: findings.every(({ severity }) => severity === 'info'),
    findings: findings.sort((one, other) => GRAVITY[one.severity] - GRAVITY[other.severity]),
    channels: CHANNELS.map((channel) => {
      const own = logs.filter((entry) => entry.channel === channel)
      const bytes = own.reduce((sum, { stats }) => sum + stats.size, 0)
      return { channel, files: own.length, bytes }
    }),
    locks: { mode: hasKernelLock() ? 'kernel' : 'advisory', held },
    claims: countClaims(store, stores),
    history,
    unknown: unknownNames(store),
  }
}

/** A link is reported as a link; its target is read where it is. */
function isReadableLog({ kind, stats }: StoreEntry): boolean {
  return kind === 'log' && stats.isFile()
}

function advisoryFinding(path: string): StoreFinding {
  const message =
    'no kernel locks (fs-native-extensions is not installed, or cannot be loaded here): locks are advisory, and two writers may fork a chain'
  return { code: 'advisory', severity: 'info', path, message }
}

function countClaims(store: StoreContext, stores: readonly AgentStore[]): StoreHealth['claims'] {
  const now = store.env.now()
  let active = 0
  let expired = 0
  for (const { claims } of stores.map(({ layout }) => layout)) {
    for (const name of readIfReadable(() => listLogNames(store, claims)) ?? []) {
      const { claim } = readIfReadable(() => readClaimState(store, join(claims, name), now)) ?? {}
      if (claim === undefined) continue
      if (isExpired(claim, now)) expired++
      else active++
    }
  }
  return { active, expired }
}

function measureHistory(
  { layout: { historyPath }, env }: StoreContext,
  entries: readonly StoreEntry[],
): StoreHealth['history'] {
  const live = entries.find((entry) => entry.path === historyPath && isReadableLog(entry))
  const bytes = live?.stats.size ?? 0
  const lines = bytes === 0 ? 0 : readIfReadable(() => countNewlines(historyPath, env, 0, bytes))
  return { entries: lines ?? 0, bytes, limits: HISTORY_LIMITS }
}

function checkHistory(
  { layout: { historyPath: path } }: StoreContext,
  { entries, bytes, limits }: StoreHealth['history'],
): StoreFinding[] {
  const share = Math.max(entries / limits.entries, bytes / limits.bytes)
  if (share < HISTORY_NEAR_SHARE) return []
  const message = `the history is ${Math.floor(share * 100)} % full; at 100 % the next prompt rotates it`
  // Twice the limit means that it is never rotated.
  return [{ code: 'history', severity: share >= 2 ? 'warning' : 'info', path, message }]
}
