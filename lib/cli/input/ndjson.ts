// The pipes of other programs: JSON lines on stdin and stdout, as streams of ndjson. A slow reader slows
// its writer, so that a session of any size passes through.

import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SessionError } from '../../errors.js'
import { escapeSeparators } from '../../format/index.js'
import { AtomicFile } from '../../log/index.js'
import type { Call } from '../command.js'

/** Objects as lines, spelled as in our logs: LF on every system, and no other end of a line. */
export async function* toNdjson(
  objects: AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  const { stringify } = await import('ndjson')
  const lines = stringify()
  const done = pipeline(Readable.from(objects), lines)
  // The loop below throws the same error; leaving it early is not an error.
  done.catch(() => undefined)
  for await (const line of lines as AsyncIterable<string>) {
    yield `${escapeSeparators(line.trimEnd())}\n`
  }
}

/** Calls back with a file of the same bytes as stdin, in a folder of its own, and removes it. */
export async function withStdinFile<Result>(
  call: Call,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const { env, io, notes } = call
  if (io.stdin.isTTY) notes.say('Waiting for a transcript on stdin; end it with Ctrl-D')
  const token = env.newToken()
  const folder = join(env.host.tmpdir(), `jsonl-session-${token}`)
  env.fs.mkdirSync(folder, { mode: 0o700 })
  try {
    // The name of a transcript that does not say its id; importers take a uuid for one.
    const path = join(folder, `stdin-${token.slice(0, 8)}.jsonl`)
    const file = new AtomicFile(path, env)
    try {
      for await (const piece of wholeLines(io.stdin)) file.write(piece)
      file.finish()
    } finally {
      file.abandon()
    }
    return await use(path)
  } finally {
    env.fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The pieces as they are, checked on the way: a program that is killed while it writes leaves half a
 * line, and its stream must not be taken for a whole transcript.
 */
async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { parse } = await import('ndjson')
  const parser = parse()
  let count = 0
  let isBroken = false
  parser.on('data', () => count++)
  parser.on('error', () => {
    isBroken = true
  })
  // Until an error, too, which is noticed above.
  const waitFor = (event: string) => once(parser, event).catch(() => undefined)
  for await (const piece of pieces) {
    if (!parser.write(piece)) await waitFor('drain')
    if (isBroken) throw brokenError(count)
    yield piece
  }
  const ended = waitFor('end')
  parser.end()
  await ended
  if (isBroken) throw brokenError(count)
}

function brokenError(count: number): SessionError {
  const what =
    `stdin is no whole stream of JSON lines: it cannot be read after ${count} records. ` +
    'Import it from a file to keep what can be read; unreadable lines are then reported'
  return new SessionError('ERR_DAMAGED', what, { records: count })
}
