// What a session is made of, and what its calls take and give.

import type { PayloadByType } from '../format/index.js'
import type { LogHandle, NewEvent, Receipt } from '../log/index.js'
import type { EarlierEnd } from './earlier-end.js'
import type { PromptHistory } from './prompt-history.js'
import type { SessionContinuity } from './session-continuity.js'
import type { SessionFiles } from './session-files.js'
import type { SessionSettings } from './settings.js'
import type { SessionStorage } from './storage.js'
import type { TitleKeeper } from './title.js'
import type { SessionView } from './view.js'

export type AppendListener = (event: NewEvent, receipt: Receipt) => void

/** What is left of a session when it is closed: the seed's contract. */
export interface SessionEnd {
  readonly transcript_path: string
  /**
   * Where the session's last prompt stands in the history. Of one that goes on in its own file,
   * and has recorded none since, only the last 64 KiB of the live history are looked through.
   */
  readonly history_offset: number | null
  /**
   * Of the line of the session's newest checkpoint, or of the files it saved last, if that was
   * later; of those an earlier process saved only where the transcript's last 64 KiB tell of them.
   */
  readonly checkpoint_hash: string | null
  readonly transcript_flushed: boolean
  /** This process recorded prompts in the history, and left none out. */
  readonly history_appended: boolean
  /** `null` when the file was given free without ending the session. */
  readonly terminator_uuid: string | null
}

/** What one exchange said, each as a text or as a provider's blocks. */
export interface Turn {
  readonly user?: PayloadByType['user']['content'] | undefined
  readonly assistant?: PayloadByType['assistant']['content'] | undefined
}

export type RememberOptions = Omit<PayloadByType['remember'], 'text'>

export interface CompactResult {
  readonly boundary_uuid: string
  readonly summary_uuid: string
  readonly contextEpoch: number
}

export interface SessionParts {
  readonly id: string
  readonly log: LogHandle
  readonly view: SessionView
  readonly title: TitleKeeper
  readonly storage: SessionStorage
  /** `undefined`: no prompt of this session is recorded. */
  readonly history: PromptHistory | undefined
  /** `undefined`: it leaves no checkpoints. */
  readonly continuity: SessionContinuity | undefined
  readonly files: SessionFiles
  /** `undefined`: the session began with this process. */
  readonly earlier: EarlierEnd | undefined
  readonly settings: SessionSettings
}
