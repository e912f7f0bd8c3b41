// The title that the user gave a session in its own program, where that is in a file of its own.

import { decodeForeign, type Importer } from '../../interchange/index.js'
import { ForeignSource, findBesideTranscripts, type StoreContext } from '../../store/index.js'

/** The newest title of the session; `undefined` if the program has no such file. */
export function findGivenTitle(
  store: StoreContext,
  path: string,
  { importer, sessionId }: { importer: Importer; sessionId: string },
): string | undefined {
  const { titles } = importer
  if (titles === undefined) return undefined
  const found = findBesideTranscripts(store, path, importer, titles.name)
  if (found === undefined) return undefined
  const file = new ForeignSource(store, found)
  try {
    let title: string | undefined
    for (const line of file.lines()) {
      // Most lines are about other sessions.
      if (line.isOversize || !line.bytes.subarray(line.start, line.end).includes(sessionId))
        continue
      for (const { value } of decodeForeign(line, () => true).records) {
        const read = titles.read(value)
        if (read?.sessionId === sessionId) title = read.title
      }
    }
    return title
  } finally {
    file.close()
  }
}
