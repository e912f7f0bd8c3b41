// The areas of a store that have methods of their own: `store.history`, `store.checkpoints`,
// `store.sidechains`, `store.claims` and `store.maintenance`.

import {
  checkpointNudge,
  checkpointSession,
  contextCheckpoint,
  isCheckpointed,
} from './continuity/index.js'
import { openSidechain } from './session/index.js'
import {
  type AppendHistoryOptions,
  appendHistory,
  claimSession,
  deleteCheckpoint,
  diskUsage,
  examineStore,
  findCheckpoint,
  findNewestCheckpoint,
  findSidechain,
  fixStore,
  initStore,
  isBypassed,
  isSessionLive,
  listActiveSessions,
  listCheckpoints,
  listRetired,
  listSidechains,
  maintain,
  pruneCheckpoints,
  pruneSessions,
  type RetireOptions,
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
  type StoreContext,
  storeStats,
  sweepHistory,
  verifyLog,
} from './store/index.js'

/** A function of the layers below as a method: the store is its first argument. */
export const bind =
  <Args extends unknown[], Result>(
    store: StoreContext,
    method: (store: StoreContext, ...args: Args) => Result,
  ) =>
  (...args: Args): Result =>
    method(store, ...args)

class Area {
  readonly #store: StoreContext

  constructor(store: StoreContext) {
    this.#store = store
  }

  protected on<Args extends unknown[], Result>(
    method: (store: StoreContext, ...args: Args) => Result,
  ): (...args: Args) => Result {
    return bind(this.#store, method)
  }
}

/** `store.history`: one file with the prompts of all sessions of this user. */
export class HistoryStore extends Area {
  /** Appends a prompt; `null` for a blank prompt, which is not recorded. */
  readonly append = this.on(
    (store, prompt: string, sessionId: string, options?: AppendHistoryOptions) =>
      appendHistory(store, prompt, sessionId, options),
  )

  /** Reads every prompt, newest first unless `order` is `asc`. */
  readonly read = this.on(readHistory)

  /** Reads prompts as the up-arrow shows them: newest first, without direct repetitions. */
  readonly recall = this.on(recallHistory)

  /** Starts a new history file now. */
  readonly rotate = this.on(rotateHistory)

  /** Plans, or with `apply` does, the removal of old history files. */
  readonly sweep = this.on(sweepHistory)
}

/** `store.checkpoints`: what sessions leave for the next one, one file per project. */
export class CheckpointStore extends Area {
  /** Stores a summary of a session and memories; memories that are known are left out. */
  readonly add = this.on(contextCheckpoint)

  /** Stores a short text about the state of the work. */
  readonly addDigest = this.on(checkpointSession)

  /** Whether an agent's checkpoint was stored since the newest message of the session. */
  readonly isCurrent = this.on(isCheckpointed)

  /** A suggestion to store a checkpoint, for an agent that has not stored one for long. */
  readonly nudge = this.on(checkpointNudge)

  /** Lists checkpoints of a session or a project, newest first. */
  readonly list = this.on(listCheckpoints)

  /** Finds a checkpoint by its id. */
  readonly find = this.on(findCheckpoint)

  /** Finds the newest checkpoint of a session or a project. */
  readonly findNewest = this.on(findNewestCheckpoint)

  /** Deletes one checkpoint. Its file keeps a record that it was there. */
  readonly delete = this.on(deleteCheckpoint)

  /** Plans, or with `apply` does, the removal of checkpoints beyond the retention. */
  readonly prune = this.on(pruneCheckpoints)
}

/** `store.sidechains`: the logs of subagents. */
export class SidechainStore extends Area {
  /** Lists the subagents of a session, or of all sessions. */
  readonly list = this.on(listSidechains)

  /** Finds the log of a subagent by its task id. */
  readonly find = this.on(findSidechain)

  /** Opens the log of a subagent that another process delegated to this one. */
  readonly open = this.on(openSidechain)
}

/** `store.claims`: which process or runtime path records a session, so that only one of them does. */
export class ClaimStore extends Area {
  /** Claims a session for a runtime path. */
  readonly claim = this.on(claimSession)

  /** Extends a claim that the runtime path holds. */
  readonly renew = this.on(renewClaim)

  /** Ends a claim. */
  readonly release = this.on(releaseClaim)

  /** Returns the claim of a session. */
  readonly read = this.on(readClaim)

  /** Lists the sessions that are claimed or being written now. */
  readonly listActive = this.on(listActiveSessions)

  /** Returns whether a process writes to the session, or claims it, now. */
  readonly isLive = this.on(isSessionLive)

  /** Returns whether hooks record nothing for the session. */
  readonly isBypassed = this.on(isBypassed)

  /** Returns everything that is known of who records a session. */
  readonly readState = this.on(readSessionState)
}

/** `store.maintenance`: set-up, health, retention and statistics. */
export class MaintenanceStore extends Area {
  /** Creates the folders of the store and keeps them out of git. */
  readonly init = this.on(initStore)

  /** Reads one log and reports damage. */
  readonly verify = this.on(verifyLog)

  /** Writes a repaired copy of a log. The damaged file is not changed. */
  readonly repair = this.on(repairLog)

  /** Examines everything in the store. */
  readonly examine = this.on(examineStore)

  /** Plans, or with `apply` does, what is safe to fix of the findings. */
  readonly fix = this.on(fixStore)

  /** Plans, or with `apply` does, the move of sessions into the archive. */
  readonly archive = this.on((store, options: Omit<RetireOptions, 'to'>) =>
    retireSessions(store, { ...options, to: 'archive' }),
  )

  /** Plans, or with `apply` does, the move of sessions into the trash. */
  readonly trash = this.on((store, options: Omit<RetireOptions, 'to'>) =>
    retireSessions(store, { ...options, to: 'trash' }),
  )

  /** Plans, or with `apply` does, the move of sessions back into the store. */
  readonly restore = this.on(restoreSessions)

  /** Lists the sessions in the archive or the trash. */
  readonly listRetired = this.on(listRetired)

  /** Plans, or with `apply` does, the removal of sessions from the trash. */
  readonly prune = this.on(pruneSessions)

  /** Counts sessions, tokens and tools. */
  readonly stats = this.on(storeStats)

  /** Counts files and bytes. */
  readonly diskUsage = this.on(diskUsage)

  /** Does the periodic work of a harness: sweeps the history monthly, and prunes large checkpoint files. */
  readonly maintain = this.on(maintain)

  /** Records that a project moved to another folder. */
  readonly relocateProject = this.on(relocateProject)
}
