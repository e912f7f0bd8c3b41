// The functions of the history, opened by options, with the limits of a small file.

import {
  type AppendHistoryOptions,
  appendHistory,
  type ContextOptions,
  openContext,
} from '../../../lib/store/index.js'

interface Options extends AppendHistoryOptions, ContextOptions {
  readonly limits?: { readonly bytes?: number; readonly entries?: number } | undefined
}

export const append = (
  prompt: string,
  sessionId: string,
  { limits = {}, ...options }: Options = {},
) => appendHistory(openContext(options), prompt, sessionId, options, { limits })
