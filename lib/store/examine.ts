// The health of a whole store. Reads, and changes nothing; `fixStore` is for what is harmless to
// mend.

import { join } from 'node:path'
import { countNewlines, hasKernelLock, systemEnvironment } from '../log/index.js'
import { isExpired, readClaimState } from './claim-state.js'
import type { ChannelName, ChannelSize, HeldLock, StoreFinding, StoreHealth } from './health.js'
import {
  checkKind,
  checkLeftover,
  checkLink,
  checkLock,
  checkMode,
  checkRoot,
} from './health-entries.js'
import {
  type AgentStore,
  historyEntries,
  readStores,
  type StoreEntry,
  unknownNames,
} from './health-folders.js'
import { checkKinship } from './health-kinship.js'
import { checkLog, readable } from './health-log.js'
import { HISTORY_LIMITS } from './history-append.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { logNamesIn } from './log-names.js'

export interface ExamineOptions extends StoreOptions {
  /**
   * Every line of every log is read, and not only its two ends.
   *
   * @default false
   */
  deep?: boolean | undefined

  /** Is told before every log. */
  onProgress?: ((progress: ExamineProgress) => void) | undefined

  /** Tests give their own clock. */
  now?: (() => number) | undefined
}

export interface ExamineProgress {
  readonly path: string
  /** Logs that are done. */
  readonly done: number
  readonly total: number
}

const CHANNELS: readonly ChannelName[] = [
  'transcripts',
  'sidechains',
  'checkpoints',
  'claims',
  'spool',
  'history',
  'store',
]

/** Of one agent when it is named, else of all. A store that does not exist is a healthy one. */
export async function examineStore(options: ExamineOptions = {}): Promise<StoreHealth> {
  const { deep: isDeep = false, onProgress, now: clock = systemEnvironment.now } = options
  const now = clock()
  const store = { root: options.root, home: options.home, agent: options.agent }
  const layout = layoutOf(store)
  const stores = readStores(store)
  const history = historyEntries(layout)
  const entries = uniqueByPath([...stores.flatMap((agent) => agent.entries), ...history])
  const logs = entries.filter(isReadableLog)
  const findings = [...checkRoots(layout.root, layout.home), ...lockModeFindings(layout.root)]
  for (const entry of entries) {
    findings.push(...checkKind(entry), ...checkMode(entry), ...checkLink(entry))
    findings.push(...checkLeftover(entry, now))
  }
  for (const [done, entry] of logs.entries()) {
    onProgress?.({ path: entry.path, done, total: logs.length })
    const damage = await checkLog(entry, { isDeep })
    if (damage !== undefined) findings.push(damage)
  }
  for (const agent of stores) findings.push(...agentFindings(agent))
  const held: HeldLock[] = []
  for (const entry of entries.filter(({ kind }) => kind === 'lock')) {
    const lock = checkLock(entry)
    findings.push(...lock.findings)
    if (lock.held !== undefined) held.push(lock.held)
  }
  const live = historyOf(layout.historyPath, history)
  findings.push(...historyFindings(layout.historyPath, live))
  return {
    root: layout.root,
    home: layout.home,
    isDeep,
    isHealthy: findings.every(({ severity }) => severity === 'info'),
    findings: findings.sort(byGravity),
    channels: CHANNELS.map((channel) => sizeOf(channel, entries)),
    locks: { mode: hasKernelLock() ? 'kernel' : 'advisory', held },
    claims: countClaims(stores, now),
    history: live,
    unknown: unknownNames(layout),
  }
}

function checkRoots(root: string, home: string): StoreFinding[] {
  return [...new Set([root, home])].flatMap(checkRoot)
}

function lockModeFindings(path: string): StoreFinding[] {
  if (hasKernelLock()) return []
  const message =
    'fs-native-extensions is not installed for this platform: locks are advisory, and two writers may fork a chain'
  return [{ code: 'advisory', severity: 'info', path, message }]
}

function agentFindings(agent: AgentStore): StoreFinding[] {
  return agent.entries.filter(isReadableLog).flatMap((entry) => checkKinship(agent, entry))
}

function isReadableLog({ kind, stats }: StoreEntry): boolean {
  // What a link leads to is told as a link, and read where it lies.
  return kind === 'log' && stats.isFile()
}

function sizeOf(channel: ChannelName, entries: readonly StoreEntry[]): ChannelSize {
  const logs = entries.filter((entry) => entry.channel === channel && isReadableLog(entry))
  const bytes = logs.reduce((sum, { stats }) => sum + stats.size, 0)
  return { channel, files: logs.length, bytes }
}

function countClaims(stores: readonly AgentStore[], now: number): StoreHealth['claims'] {
  let active = 0
  let expired = 0
  for (const { claims } of stores.map(({ layout }) => layout)) {
    for (const name of readable(() => logNamesIn(claims)) ?? []) {
      const { claim } = readable(() => readClaimState(join(claims, name), now)) ?? {}
      if (claim === undefined) continue
      if (isExpired(claim, now)) expired++
      else active++
    }
  }
  return { active, expired }
}

function historyOf(path: string, entries: readonly StoreEntry[]): StoreHealth['history'] {
  const live = entries.find((entry) => entry.path === path && isReadableLog(entry))
  const bytes = live?.stats.size ?? 0
  const entryCount = bytes === 0 ? 0 : readable(() => countNewlines(path, 0, bytes))
  return { entries: entryCount ?? 0, bytes, limits: HISTORY_LIMITS }
}

const NEAR_SHARE = 0.8

function historyFindings(
  path: string,
  { entries, bytes, limits }: StoreHealth['history'],
): StoreFinding[] {
  const share = Math.max(entries / limits.entries, bytes / limits.bytes)
  if (share < NEAR_SHARE) return []
  const message = `the history is ${Math.floor(share * 100)} % full; at 100 % the next prompt rotates it`
  // Twice the limit means that nobody rotates it.
  return [{ code: 'history', severity: share >= 2 ? 'warning' : 'info', path, message }]
}

/** A log about the store is one for all agents. */
function uniqueByPath(entries: readonly StoreEntry[]): StoreEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()]
}

const GRAVITY = { error: 0, warning: 1, info: 2 }

function byGravity(one: StoreFinding, other: StoreFinding): number {
  return GRAVITY[one.severity] - GRAVITY[other.severity]
}
