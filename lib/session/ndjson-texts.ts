// Objects through ndjson into lines, spelled as our logs spell them: ended by LF on every system,
// and without characters that other tools take for the end of a line. ndjson knows neither.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { escapeSeparators } from '../format/index.js'

export async function* ndjsonTexts(
  objects: AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  // Only for those who export: nobody else should wait for it to load.
  const { stringify } = await import('ndjson')
  const lines = stringify()
  const done = pipeline(Readable.from(objects), lines)
  // An error comes out of the loop below; leaving the loop early is none.
  done.catch(() => undefined)
  for await (const line of lines as AsyncIterable<string>) {
    yield `${escapeSeparators(line.trimEnd())}\n`
  }
}
