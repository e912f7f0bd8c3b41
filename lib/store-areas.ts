// The areas of a store that have methods of their own: `store.history`, `store.checkpoints`,
// `store.sidechains`, `store.claims` and `store.maintenance`.

import {
  type CheckpointSessionOptions,
  type ContextCheckpoint,
  type ContextCheckpointOptions,
  checkpointNudge,
  checkpointSession,
  contextCheckpoint,
  isCheckpointed,
  type NudgeOptions,
  type SessionCheckpoint,
} from './continuity/index.js'
import {
  openSidechain,
  type SessionOptions,
  type Sidechain,
  type SubagentTask,
} from './session/index.js'
import {
  type ActiveSessions,
  type AppendHistoryOptions,
  appendHistory,
  type CheckpointList,
  type ClaimSessionOptions,
  type ContextOptions,
  claimSession,
  type DeleteCheckpointOptions,
  type DiskUsage,
  type DiskUsageOptions,
  deleteCheckpoint,
  diskUsage,
  type ExamineOptions,
  examineStore,
  type FixStoreOptions,
  type FoundCheckpoint,
  findCheckpoint,
  findNewestCheckpoint,
  findSidechain,
  fixStore,
  type HistoryEntry,
  type HistoryReceipt,
  type HistoryRetentionOptions,
  type HistoryRotation,
  type HistorySweep,
  type InitializedStore,
  type InitStoreOptions,
  initStore,
  isBypassed,
  isSessionLive,
  type ListCheckpointsQuery,
  type ListSidechainsOptions,
  listActiveSessions,
  listCheckpoints,
  listRetired,
  listSidechains,
  type Maintenance,
  maintain,
  type NewestCheckpoint,
  type NewestCheckpointQuery,
  type PruneCheckpointsOptions,
  type PruneReport,
  type PruneSessionsOptions,
  pruneCheckpoints,
  pruneSessions,
  type ReadHistoryOptions,
  type RecallHistoryOptions,
  type ReleasedClaim,
  type RelocateOptions,
  type Relocation,
  type RepairOptions,
  type RepairReport,
  type RestoreSessionsOptions,
  type RetentionOptions,
  type RetentionReport,
  type RetireOptions,
  type RuntimePathOptions,
  readClaim,
  readHistory,
  readSessionState,
  recallHistory,
  releaseClaim,
  relocateProject,
  renewClaim,
  repairLog,
  restoreSessions,
  retireSessions,
  rotateHistory,
  type SessionClaim,
  type SessionState,
  type SessionUnit,
  type SidechainInfo,
  type SidechainList,
  type SkippedCall,
  type StoreContext,
  type StoreFixes,
  type StoreHealth,
  type StoreStats,
  type StoreStatsOptions,
  type SweepHistoryOptions,
  storeStats,
  sweepHistory,
  type Unreadable,
  type VerifyReport,
  verifyLog,
} from './store/index.js'

class Area {
  protected readonly store: StoreContext
  readonly #options: ContextOptions

  constructor(store: StoreContext, options: ContextOptions) {
    this.store = store
    this.#options = options
  }

  protected with<Options extends object>(options: Options): Options & ContextOptions {
    return { ...this.#options, ...options }
  }
}

/** `store.history`: one file with the prompts of all sessions of this user. */
export class HistoryStore extends Area {
  /** Appends a prompt; `null` for a blank prompt, which is not recorded. */
  append(
    prompt: string,
    sessionId: string,
    options: AppendHistoryOptions = {},
  ): Promise<HistoryReceipt | null> {
    return appendHistory(this.store, prompt, sessionId, options)
  }

  /** Reads every prompt, newest first unless `order` is `asc`. */
  read(options: ReadHistoryOptions = {}): Promise<HistoryEntry[]> {
    return readHistory(this.store, options)
  }

  /** Reads prompts as the up-arrow shows them: newest first, without direct repetitions. */
  recall(options: RecallHistoryOptions = {}): Promise<HistoryEntry[]> {
    return recallHistory(this.store, options)
  }

  /** Starts a new history file now. */
  rotate(): Promise<HistoryRotation> {
    return rotateHistory(this.store)
  }

  /** Plans, or with `apply` does, the removal of old history files. */
  sweep(options: SweepHistoryOptions = {}): Promise<HistorySweep> {
    return sweepHistory(this.store, options)
  }
}

/** `store.checkpoints`: what sessions leave for the next one, one file per project. */
export class CheckpointStore extends Area {
  /** Stores a summary of a session and memories; memories that are known are left out. */
  add(options: ContextCheckpointOptions): Promise<ContextCheckpoint> {
    return contextCheckpoint(this.store, options)
  }

  /** Stores a short text about the state of the work. */
  addDigest(options: CheckpointSessionOptions): Promise<SessionCheckpoint> {
    return checkpointSession(this.store, options)
  }

  /** Whether an agent's checkpoint was stored since the newest message of the session. */
  isCurrent(session: string): boolean {
    return isCheckpointed(this.store, session)
  }

  /** A suggestion to store a checkpoint, for an agent that has not stored one for long. */
  nudge(session: string, options: NudgeOptions = {}): string | undefined {
    return checkpointNudge(this.store, session, options)
  }

  /** Lists checkpoints of a session or a project, newest first. */
  list(query: ListCheckpointsQuery = {}): CheckpointList {
    return listCheckpoints(this.store, query)
  }

  /** Finds a checkpoint by its id. */
  find(id: string, options: RetentionOptions = {}): FoundCheckpoint | undefined {
    return findCheckpoint(this.store, id, options)
  }

  /** Finds the newest checkpoint of a session or a project. */
  findNewest(query: NewestCheckpointQuery = {}): NewestCheckpoint {
    return findNewestCheckpoint(this.store, query)
  }

  /** Deletes one checkpoint. Its file keeps a record that it was there. */
  delete(id: string, options: DeleteCheckpointOptions): Promise<FoundCheckpoint> {
    return deleteCheckpoint(this.store, id, options)
  }

  /** Plans, or with `apply` does, the removal of checkpoints beyond the retention. */
  prune(options: PruneCheckpointsOptions = {}): Promise<PruneReport> {
    return pruneCheckpoints(this.store, options)
  }
}

/** `store.sidechains`: the logs of subagents. */
export class SidechainStore extends Area {
  /** Lists the subagents of a session, or of all sessions. */
  list(options: ListSidechainsOptions = {}): SidechainList {
    return listSidechains(this.store, options)
  }

  /** Finds the log of a subagent by its task id. */
  find(task: string, options: ListSidechainsOptions = {}): SidechainInfo {
    return findSidechain(this.store, task, options)
  }

  /** Opens the log of a subagent that another process delegated to this one. */
  open(task: SubagentTask, options: SessionOptions = {}): Promise<Sidechain> {
    return openSidechain(this.store, task, options)
  }
}

/** `store.claims`: which process or runtime path records a session, so that only one of them does. */
export class ClaimStore extends Area {
  /** Claims a session for a runtime path. */
  claim(session: string, options: ClaimSessionOptions = {}): Promise<SessionClaim & SkippedCall> {
    return claimSession(this.store, session, options)
  }

  /** Extends a claim that the runtime path holds. */
  renew(session: string, options: RuntimePathOptions = {}): Promise<SessionClaim & SkippedCall> {
    return renewClaim(this.store, session, options)
  }

  /** Ends a claim. */
  release(session: string, options: RuntimePathOptions = {}): Promise<ReleasedClaim> {
    return releaseClaim(this.store, session, options)
  }

  /** Returns the claim of a session. */
  read(session: string): SessionClaim {
    return readClaim(this.store, session)
  }

  /** Lists the sessions that are claimed or being written now. */
  listActive(): ActiveSessions {
    return listActiveSessions(this.store)
  }

  /** Returns whether a process writes to the session, or claims it, now. */
  isLive(session: string): boolean {
    return isSessionLive(this.store, session)
  }

  /** Returns whether hooks record nothing for the session. */
  isBypassed(session: string): boolean {
    return isBypassed(this.store, session)
  }

  /** Returns everything that is known of who records a session. */
  readState(session: string): SessionState {
    return readSessionState(this.store, session)
  }
}

/** `store.maintenance`: set-up, health, retention and statistics. */
export class MaintenanceStore extends Area {
  /** Creates the folders of the store and keeps them out of git. */
  init(options: InitStoreOptions = {}): InitializedStore {
    return initStore(this.store, options)
  }

  /** Reads one log and reports damage. */
  verify(path: string, options: { signal?: AbortSignal | undefined } = {}): Promise<VerifyReport> {
    return verifyLog(this.store, path, options)
  }

  /** Writes a repaired copy of a log. The damaged file is not changed. */
  repair(path: string, options: RepairOptions): Promise<RepairReport> {
    return repairLog(this.store, path, options)
  }

  /** Examines everything in the store. */
  examine(options: ExamineOptions = {}): Promise<StoreHealth> {
    return examineStore(this.store, options)
  }

  /** Plans, or with `apply` does, what is safe to fix of the findings. */
  fix(health: Pick<StoreHealth, 'findings'>, options: FixStoreOptions = {}): StoreFixes {
    return fixStore(this.store, health, options)
  }

  /** Plans, or with `apply` does, the move of sessions into the archive. */
  archive(options: Omit<RetireOptions, 'to'>): Promise<RetentionReport> {
    return retireSessions(this.store, { ...options, to: 'archive' })
  }

  /** Plans, or with `apply` does, the move of sessions into the trash. */
  trash(options: Omit<RetireOptions, 'to'>): Promise<RetentionReport> {
    return retireSessions(this.store, { ...options, to: 'trash' })
  }

  /** Plans, or with `apply` does, the move of sessions back into the store. */
  restore(options: RestoreSessionsOptions): Promise<RetentionReport> {
    return restoreSessions(this.store, options)
  }

  /** Lists the sessions in the archive or the trash. */
  listRetired(from: 'archive' | 'trash'): Promise<{
    readonly sessions: readonly SessionUnit[]
    readonly skipped: readonly Unreadable[]
  }> {
    return listRetired(this.store, from)
  }

  /** Plans, or with `apply` does, the removal of sessions from the trash. */
  prune(options: PruneSessionsOptions = {}): Promise<RetentionReport> {
    return pruneSessions(this.store, options)
  }

  /** Counts sessions, tokens and tools. */
  stats(options: StoreStatsOptions = {}): Promise<StoreStats> {
    return storeStats(this.store, options)
  }

  /** Counts files and bytes. */
  diskUsage(options: DiskUsageOptions = {}): DiskUsage {
    return diskUsage(this.store, options)
  }

  /** Does the periodic work of a harness: sweeps the history once a month. */
  maintain(options: HistoryRetentionOptions = {}): Promise<Maintenance> {
    return maintain(this.store, options)
  }

  /** Records that a project moved to another folder. */
  relocateProject(options: RelocateOptions): Promise<Relocation> {
    return relocateProject(this.store, options)
  }
}
