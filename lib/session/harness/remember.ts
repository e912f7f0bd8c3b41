// Something that a harness wants to be remembered, and the pieces of a session that it processes.

import type { PayloadByType } from '../../format/index.js'
import type { StoreContext } from '../../store/index.js'
import {
  type ExtractedDelta,
  type ExtractOptions,
  extractDelta,
  type SkippedDelta,
} from '../extract/extract.js'
import { type HookRecordOptions, recordEvent } from '../record/hook-events.js'
import { type HarnessAnswer, type HarnessRequest, openCall, requireText } from './requests.js'

export interface RememberRequest extends HarnessRequest {
  readonly content: string
}

export interface RememberResponse extends HarnessAnswer {
  readonly uuid: string | null
}

/** It is a line of the session, and part of its next checkpoint. */
export async function rememberFor(
  given: StoreContext,
  request: RememberRequest,
  recordOptions: HookRecordOptions = {},
): Promise<RememberResponse> {
  requireText(request.content, 'content')
  const { store, sessionId, options } = openCall(given, request, recordOptions)
  requireText(sessionId, 'sessionKey')
  const payload: PayloadByType['remember'] = { text: request.content }
  const events = [{ type: 'remember', payload }]
  const { status, uuid } = await recordEvent(
    store,
    { sessionId, source: 'remember', events },
    options,
  )
  return { sessionId, status, uuid: uuid ?? null }
}

export interface ExtractRequest
  extends HarnessRequest,
    Pick<
      ExtractOptions,
      'transcript' | 'transcriptPath' | 'allowedFolders' | 'onlyFolders' | 'minChars'
    > {}

export type ExtractResponse = HarnessAnswer &
  (SkippedDelta | ({ readonly queued: true } & ExtractedDelta))

/**
 * The text that was added to a session since the last call. Call `commit` when it is processed; until
 * then every call returns the same text.
 */
export async function extractFor(
  given: StoreContext,
  request: ExtractRequest,
  recordOptions: HookRecordOptions = {},
): Promise<ExtractResponse> {
  const { store, sessionId } = openCall(given, request, recordOptions)
  requireText(sessionId, 'sessionKey')
  const { transcript, transcriptPath, allowedFolders, onlyFolders, minChars, runtimePath } = request
  const delta = await extractDelta(store, sessionId, {
    transcript,
    transcriptPath,
    allowedFolders,
    onlyFolders,
    minChars,
    runtimePath,
  })
  return 'skipped' in delta ? { ...delta, sessionId } : { queued: true, ...delta }
}
