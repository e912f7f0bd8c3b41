// What a session is made of, and what its methods take and return.

import type { ContentInput, PayloadByType } from '../format/index.js'
import type { LogHandle, NewEvent, Receipt } from '../log/index.js'
import type { SessionContinuity } from './checkpoints/session-checkpoints.js'
import type { SessionFiles } from './files/file-rewind.js'
import type { Lazy } from './lazy.js'
import type { MetaKeeper, SessionView } from './live-view.js'
import type { PromptHistory } from './prompt-history.js'
import type { SessionSettings } from './settings.js'
import type { SessionStorage } from './storage.js'

/** Called after each event that the caller appended was written. */
export type AppendListener = (event: NewEvent, receipt: Receipt) => void

/** What `close` returns. The fields have the names of the original specification. */
export interface SessionEnd {
  readonly transcript_path: string
  /**
   * Offset of the session's last prompt in the history. For a session that was resumed in its own
   * file and recorded no prompt since, only the last 64 KiB of the live history are searched.
   */
  readonly history_offset: number | null
  /**
   * Hash of the session's newest checkpoint, or of the files it saved last, whichever is newer.
   * Files that an earlier process saved count if the transcript's last 64 KiB mention them.
   */
  readonly checkpoint_hash: string | null
  readonly transcript_flushed: boolean
  /** This process recorded prompts in the history, and none failed. */
  readonly history_appended: boolean
  /** `null` when the file was released without ending the session. */
  readonly terminator_uuid: string | null
}

/** One exchange, each part as a text or as a provider's blocks. */
export interface Turn {
  readonly user?: ContentInput | undefined
  readonly assistant?: ContentInput | undefined
}

export type RememberOptions = Omit<PayloadByType['remember'], 'text'>

/** The two events that a compaction wrote. */
export interface CompactResult {
  readonly boundaryUuid: string
  readonly summaryUuid: string
  readonly contextEpoch: number
  /** Tokens of the context before the compaction. */
  readonly tokensBefore: number
}

/** What a session is made of, once its log is open. */
export interface OpenParts {
  readonly log: LogHandle
  readonly view: SessionView
  readonly meta: MetaKeeper
  readonly storage: SessionStorage
  /** The session began with this process. */
  readonly isNew: boolean
}

export interface SessionParts extends OpenParts {
  readonly id: string
  /** `undefined`: no prompt of this session is recorded. */
  readonly history: Lazy<PromptHistory> | undefined
  /** `undefined`: it leaves no checkpoints. */
  readonly continuity: Lazy<SessionContinuity> | undefined
  readonly files: Lazy<SessionFiles>
  readonly settings: SessionSettings
}
