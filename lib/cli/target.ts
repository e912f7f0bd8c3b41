// Which file is meant: an argument that contains a separator or ends in .jsonl is a file, or else a
// session of just that id; anything else is a session, by its id or by the beginning of it.

import { resolve } from 'node:path'
import type { StoreOptions } from '../store/index.js'
import {
  digestTranscript,
  findTranscript,
  isSessionAndNoFile,
  isSkipped,
  layoutOf,
  refuseSkipped,
} from '../store/index.js'
import { UsageError } from './command.js'

export async function pathOf(target: string, options: StoreOptions): Promise<string> {
  return isFile(target, options) ? target : findTranscript(target, options)
}

/**
 * The session that is meant, for commands that need one of the store. A file is taken for the
 * session it holds, because that is what people have at hand to paste.
 */
export async function sessionOf(target: string, options: StoreOptions): Promise<string> {
  if (!isFile(target, options)) return target
  const path = resolve(target)
  const digest = digestTranscript(path)
  if (isSkipped(digest)) refuseSkipped(digest)
  const { transcriptPath, transcripts } = layoutOf(options)
  if (transcriptPath(digest.session_id) === path) return digest.session_id
  throw new UsageError(
    `${target} is not a session of ${transcripts}; log, verify and show read any file`,
    { path },
  )
}

/** By the look of it, a separator in it or .jsonl at its end; but ids may look like that, too. */
export function isFile(target: string, options: StoreOptions): boolean {
  const isPath = /[/\\]/.test(target) || target.endsWith('.jsonl')
  return isPath && !isSessionAndNoFile(target, options)
}
