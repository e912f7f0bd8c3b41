// How a hook reads its event: the pipes that harnesses hand it, as they come.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import { readInput } from '../../lib/hooks/read-input.js'
import { BINARY } from '../cli/command-line.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'

const EVENT = JSON.stringify({ session_id: 'demo', prompt: 'hello', prompt_id: 'p1' })

// Node makes the stream of stdin when it is asked for, and that takes time.
const NO_STREAM = undefined as unknown as NodeJS.ReadStream

function startHook(root: string, stdin: 'pipe' | number) {
  const args = [BINARY, 'hook', 'UserPromptSubmit', '--root', root, '--home', root]
  return spawn(process.execPath, args, { stdio: [stdin, 'ignore', 'ignore'] })
}

const transcriptIn = (root: string) =>
  readFileSync(join(root, '.transcripts', 'demo.jsonl'), 'utf8')
    .trim()
    .split('\n')

it('ends its reading behind a whole object, also where the pipe is never closed', async (t) => {
  const root = temporaryFolder(t)
  const child = startHook(root, 'pipe')
  child.stdin!.write(`${EVENT}\n`)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(transcriptIn(root)).toHaveLength(2)
})

it('puts an event together that comes in pieces', async (t) => {
  const root = temporaryFolder(t)
  const child = startHook(root, 'pipe')
  const content = 'long '.repeat(100_000)
  const event = JSON.stringify({ session_id: 'demo', prompt: content })
  await new Promise((resolve) => child.stdin!.write(event.slice(0, 70_000), resolve))
  child.stdin!.end(event.slice(70_000))
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(JSON.parse(transcriptIn(root)[1]!).payload).toEqual({ content })
})

it('reads an event of megabytes that comes in thousands of pieces', async (t) => {
  const root = temporaryFolder(t)
  const child = startHook(root, 'pipe')
  const content = 'word '.repeat(1_000_000)
  const event = JSON.stringify({ session_id: 'demo', prompt: content })
  for (let at = 0; at < event.length; at += 1000) {
    const isTaken = child.stdin!.write(event.slice(at, at + 1000))
    if (!isTaken) await once(child.stdin!, 'drain')
  }
  child.stdin!.end()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(JSON.parse(transcriptIn(root)[1]!).payload).toEqual({ content })
})

it('reads a pipe that does not wait', async (t) => {
  const root = temporaryFolder(t)
  const path = join(root, 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const child = startHook(root, fd)
  writeSync(fd, EVENT.slice(0, 20))
  await once(child, 'spawn')
  writeSync(fd, EVENT.slice(20))
  closeSync(fd)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(transcriptIn(root)).toHaveLength(2)
})

it('an input that is empty or a device is a hook that does nothing', async (t) => {
  const root = temporaryFolder(t)
  const fd = openSync('/dev/null', 'r')
  expect(await once(startHook(root, fd), 'exit')).toEqual([0, null])
  const child = startHook(root, 'pipe')
  child.stdin!.end()
  expect(await once(child, 'exit')).toEqual([0, null])
  closeSync(fd)
  expect(() => transcriptIn(root)).toThrow('ENOENT')
})

it('reads an event from a file, to its last byte or to the end of its object', async (t) => {
  const read = async (text: string) => {
    const stdinFd = openSync(temporaryFile(t, 'event.json', text), 'r')
    const input = await readInput(systemEnvironment, { stdin: NO_STREAM, stdinFd })
    closeSync(stdinFd)
    return input
  }
  expect(await read(EVENT)).toEqual({ fields: JSON.parse(EVENT) })
  // The second piece ends with a brace, and not the object.
  const long = `{"a":"${'{}'.repeat(40_000)}","b":[{"c":1}]}`
  expect(await read(long)).toEqual({ fields: JSON.parse(long) })
  expect(await read('{"a":{}')).toEqual({ problem: 'the input is not JSON' })
  expect(await read('')).toEqual({ problem: 'the input is empty' })
})

it('leaves a descriptor that cannot be waited for to the stream', async () => {
  for (const stdinFd of [openSync('/dev/null', 'r'), 1_000_000]) {
    const stdin = new PassThrough()
    stdin.end(EVENT)
    const input = await readInput(systemEnvironment, {
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdinFd,
    })
    expect(input).toEqual({ fields: JSON.parse(EVENT) })
  }
})
