// The functions of the package that open a store for one call.

import type {
  AppendReceipt,
  AppendTranscriptInput,
  AppendTranscriptOptions,
  CompactorOptions,
  ResumeSession,
  SessionOptions,
} from './session/index.js'
import type { ContextOptions, RetireOptions } from './store/index.js'
import { openStore, type Store } from './store.js'

/** The index of the last parameter, which is the options. */
type LastIndex<Args extends unknown[]> =
  Required<Args> extends [unknown, ...infer Others] ? Others['length'] : 0

/** The parameters of a method, with the options of `openStore` besides its own. */
type WithStoreOptions<Args extends unknown[]> = Args extends []
  ? [options?: ContextOptions]
  : { [K in keyof Args]: K extends `${LastIndex<Args>}` ? Args[K] & ContextOptions : Args[K] }

/** The function for a method whose options are argument `At`; `never` if they are another one. */
type Once<At extends number, Args extends unknown[], Result> =
  At extends LastIndex<Args> ? (...args: WithStoreOptions<Args>) => Result : never

/** A function that opens a store with its options, argument `at`, and calls a method of it. */
function once<At extends number, Args extends unknown[], Result>(
  at: At,
  methodOf: (store: Store) => (...args: Args) => Result,
): Once<At, Args, Result> {
  const call = (...args: Args) => methodOf(openStore(args[at] as ContextOptions))(...args)
  return call as unknown as Once<At, Args, Result>
}

/** As `once`, for a method that returns a promise: options that are refused reject it too. */
function onceAsync<At extends number, Args extends unknown[], Result>(
  at: At,
  methodOf: (store: Store) => (...args: Args) => Promise<Result>,
): Once<At, Args, Promise<Result>> {
  const call = async (...args: Args) => methodOf(openStore(args[at] as ContextOptions))(...args)
  return call as unknown as Once<At, Args, Promise<Result>>
}

/** As `store.createSession`. */
export const createSession = onceAsync(0, (store) => store.createSession)

/** As `store.resumeSession`. */
export const resumeSession = onceAsync(
  0,
  (store) => store.resumeSession,
) as ResumeSession<ContextOptions>

/** As `store.forkSession`. */
export const forkSession = once(1, (store) => store.forkSession)

/** As `store.renameSession`. */
export const renameSession = onceAsync(2, (store) => store.renameSession)

/** As `store.tagSession`. */
export const tagSession = onceAsync(1, (store) => store.tagSession)

/** As `store.bypassSession`. */
export const bypassSession = onceAsync(2, (store) => store.bypassSession)

/** As `store.appendTranscript`. */
export const appendTranscript = onceAsync(1, (store) => store.appendTranscript)

/** The receipt of `append_transcript`: its fields have the names of the original specification. */
export type TranscriptReceiptAlias = Omit<AppendReceipt, 'byteOffset' | 'lineNumber'> & {
  readonly byte_offset?: number
  readonly line_number?: number
}

/** Same as `appendTranscript`, with snake_case fields. */
export const append_transcript = async (
  input: AppendTranscriptInput,
  options: ContextOptions & AppendTranscriptOptions = {},
): Promise<TranscriptReceiptAlias> => {
  const { byteOffset, lineNumber, ...others } = await appendTranscript(input, options)
  return {
    ...others,
    ...(byteOffset !== undefined && { byte_offset: byteOffset }),
    ...(lineNumber !== undefined && { line_number: lineNumber }),
  }
}

/** As `store.prompt`. */
export const promptOnce = onceAsync(1, (store) => store.prompt)

/** As `store.remember`. */
export const rememberOnce = onceAsync(2, (store) => store.remember)

/** As `store.recoverOnce`. */
export const recoverOnce = once(1, (store) => store.recoverOnce)

/** As `store.history.append`. */
export const appendHistory = once(2, (store) => store.history.append)

/** As `store.history.read`. */
export const readHistory = once(0, (store) => store.history.read)

/** As `store.history.recall`. */
export const recallHistory = once(0, (store) => store.history.recall)

/** As `store.history.rotate`. */
export const rotateHistory = once(0, (store) => store.history.rotate)

/** As `store.history.sweep`. */
export const sweepHistory = once(0, (store) => store.history.sweep)

/** As `store.maintenance.maintain`. */
export const maintain = once(0, (store) => store.maintenance.maintain)

/** As `store.maintenance.archive` and `store.maintenance.trash`. */
export const retireSessions = ({ to, ...options }: ContextOptions & RetireOptions) =>
  openStore(options).maintenance[to](options)

/** As `store.maintenance.restore`. */
export const restoreSessions = once(0, (store) => store.maintenance.restore)

/** As `store.maintenance.prune`. */
export const pruneSessions = once(0, (store) => store.maintenance.prune)

/** As `store.maintenance.listRetired`. */
export const listRetired = (from: 'archive' | 'trash', options: ContextOptions = {}) =>
  openStore(options).maintenance.listRetired(from)

/** As `store.recover`. */
export const recover = once(0, (store) => store.recover)

/** As `store.sessionStart`. */
export const sessionStart = once(0, (store) => store.sessionStart)

/** As `store.readItem`. */
export const readItem = once(1, (store) => store.readItem)

/** As `store.checkpoints.add`. */
export const contextCheckpoint = once(0, (store) => store.checkpoints.add)

/** As `store.checkpoints.addDigest`. */
export const checkpointSession = once(0, (store) => store.checkpoints.addDigest)

/** As `store.listSessions`. */
export const listSessions = once(0, (store) => store.listSessions)

/** As `store.inferParentSession`. */
export const inferParentSession = once(0, (store) => store.inferParentSession)

/** As `store.sidechains.list`. */
export const listSidechains = once(0, (store) => store.sidechains.list)

/** As `store.sidechains.find`. */
export const findSidechain = once(1, (store) => store.sidechains.find)

/** As `store.sidechains.open`. */
export const openSidechain = onceAsync(1, (store) => store.sidechains.open)

/** As `store.checkpoints.list`. */
export const listCheckpoints = once(0, (store) => store.checkpoints.list)

/** As `store.claims.claim`. */
export const claimSession = once(1, (store) => store.claims.claim)

/** As `store.claims.listActive`. */
export const listActiveSessions = once(0, (store) => store.claims.listActive)

/** As `store.maintenance.init`. */
export const initStore = once(0, (store) => store.maintenance.init)

/** As `store.maintenance.verify`. */
export const verifyLog = once(1, (store) => store.maintenance.verify)

/** As `store.maintenance.repair`. */
export const repairLog = once(1, (store) => store.maintenance.repair)

/** As `store.maintenance.examine`. */
export const examineStore = once(0, (store) => store.maintenance.examine)

/** As `store.maintenance.fix`. */
export const fixStore = once(1, (store) => store.maintenance.fix)

/** As `store.exportSession`. */
export const exportSession = once(1, (store) => store.exportSession)

/** As `store.importSession`. */
export const importSession = once(1, (store) => store.importSession)

/** As `store.importExport`. */
export const importExported = once(1, (store) => store.importExport)

/** As `store.extractDelta`. */
export const extractDelta = once(1, (store) => store.extractDelta)

/** As `store.planFileRewind`. */
export const planFileRewind = once(1, (store) => store.planFileRewind)

/** As `store.searchSessions`. */
export const searchSessions = once(0, (store) => store.searchSessions)

/** As `store.grep`. */
export const grepStore = once(0, (store) => store.grep)

/** As `store.transcriptText`. */
export const transcriptText = once(1, (store) => store.transcriptText)

/** As `store.readTranscriptText`. */
export const readTranscriptText = once(1, (store) => store.readTranscriptText)

/** As `store.maintenance.stats`. */
export const storeStats = once(0, (store) => store.maintenance.stats)

/** As `store.maintenance.diskUsage`. */
export const diskUsage = once(0, (store) => store.maintenance.diskUsage)

/** As `store.listSummaries`. */
export const listSummaries = once(0, (store) => store.listSummaries)

/** As `store.expandSummary`. */
export const expandSummary = once(1, (store) => store.expandSummary)

/** As `store.tailSessions`. */
export const tailSessions = once(0, (store) => store.tailSessions)

/** As `store.createCompactor`, for the session `id`. */
export const createStoredCompactor = (
  { id, ...store }: ContextOptions & SessionOptions & { readonly id: string },
  options: CompactorOptions = {},
) => openStore(store).createCompactor(id, { ...store, ...options })
