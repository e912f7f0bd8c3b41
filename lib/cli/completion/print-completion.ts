// The answer to a shell that asks what may come next: one candidate per line, a tab, and what it
// is. A line `:file` means that file names are possible, too.

import { toPlainText } from '../output/plain-text.js'
import type { Surroundings } from '../run-command.js'
import { complete } from './complete.js'
import { storeSources } from './store-sources.js'

/** An error in the middle of a command line must not be printed: the shell gets no candidates. */
export async function printCompletion(
  words: readonly string[],
  { io, output }: Surroundings,
): Promise<void> {
  try {
    const { candidates, isFile } = await complete(words, storeSources(io))
    for (const { value, text } of candidates) {
      // A name that would break the line, or the words of a shell, is not offered.
      if (toPlainText(value) !== value || /\s/.test(value)) continue
      await output.write(`${value}\t${toPlainText(text)}\n`)
    }
    if (isFile) await output.write(':file\t\n')
    await output.flush()
  } catch {
    // A shell takes silence for no candidates.
  }
}
