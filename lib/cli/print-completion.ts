// The answer to a shell that asks what may come next: one candidate per line, a tab, and what it
// is. A line `:file` says that names of files may stand there, too.

import type { Output } from './output.js'
import { toPlainText } from './plain-text.js'

/** Whatever goes wrong, somebody in the middle of a line must not be told of it. */
export async function printCompletion(words: readonly string[], output: Output): Promise<void> {
  try {
    const { complete } = await import('./complete.js')
    const { listSessionIds } = await import('./complete-sessions.js')
    const { candidates, isFile } = await complete(words, listSessionIds)
    for (const { value, text } of candidates) {
      // A name that would break the line, or the words of a shell, is not offered.
      if (toPlainText(value) !== value || /\s/.test(value)) continue
      await output.write(`${value}\t${toPlainText(text)}\n`)
    }
    if (isFile) await output.write(':file\t\n')
    await output.flush()
  } catch {
    // No completion is what a shell makes of silence.
  }
}
