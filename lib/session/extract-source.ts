// Which text an extraction reads: one that is handed in, else a file that is named, else the
// transcript of the session. What is named and may not be read is never replaced by another.

import {
  type AllowedPathOptions,
  LogText,
  layoutOf,
  PlainText,
  readSmallText,
  resolveAllowed,
  type ServedTextOptions,
  type TextSource,
} from '../store/index.js'

export interface ExtractSourceOptions extends AllowedPathOptions, ServedTextOptions {
  /** The conversation itself, as a text. */
  transcript?: string | undefined

  /** A file that holds it: a log (`.jsonl`, also one of Claude Code), or else a plain text. */
  transcriptPath?: string | undefined
}

export function extractSourceOf(
  sessionId: string,
  options: ExtractSourceOptions,
): TextSource | { readonly refusal: string } {
  const { transcript, transcriptPath, redact } = options
  if (transcript !== undefined && transcript.trim() !== '') {
    return new PlainText(Buffer.from(transcript), { name: 'inline', isWhole: true, redact })
  }
  if (transcriptPath === undefined) {
    return new LogText(layoutOf(options).transcriptPath(sessionId), { redact })
  }
  const allowed = resolveAllowed(transcriptPath, options)
  if ('refusal' in allowed) return allowed
  const { path } = allowed
  if (path.endsWith('.jsonl')) return new LogText(path, { name: path, redact })
  return new PlainText(readSmallText(path), { name: path, isWhole: false, redact })
}
