// What a session is made of, and what its calls take and give.

import type { PayloadByType } from '../format/index.js'
import type { LogHandle, NewEvent, Receipt } from '../log/index.js'
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
  readonly history_offset: number | null
  readonly checkpoint_hash: string | null
  readonly transcript_flushed: boolean
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
  readonly settings: SessionSettings
}
