// Which tests must notice a mutant: the quick ones of this process that reach the three rooms.
// Whatever spawns many processes, sleeps, or needs seconds cannot be run once per mutant.

import { readdirSync } from 'node:fs'

const FOLDERS = ['format', 'chain', 'compaction', 'log', 'log/lock']
const LEFT_OUT = ['test/log/lock/processes.test.ts', 'test/log/lock/takeover.test.ts']

/** In the folder Stryker works in, a copy of this one. */
export function listTestFiles() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(`test/${folder}`)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `test/${folder}/${name}`),
  ).filter((path) => !LEFT_OUT.includes(path))
}

export function listLibraryFiles() {
  return ['format', 'chain', 'log'].flatMap((room) =>
    readdirSync(`lib/${room}`, { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `lib/${room}/${name}`),
  )
}

/** Beginnings of names, of files that are quick otherwise; the last one loads modules anew. */
export const SKIPPED = [
  'a line of 40 MB',
  'a line of 600 MB',
  'a rewind too long to be read',
  'a follower passes a line that is too long',
  'a line that no memory should hold',
  'an endless last line is torn',
  'offsets beyond 2 GiB',
  'a hundred thousand uuids',
  'a lock replaced from outside is noticed',
  'a lease taken from outside is had back',
  'nesting that no stack could follow',
  'a log renamed away while one waits',
]
