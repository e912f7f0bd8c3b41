// What one prompt costs: how often a hook opens the transcript, and which locks it takes.

import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { runHook } from '../../lib/hooks/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

test('a prompt opens the transcript once and takes two locks', async (t) => {
  const root = temporaryFolder(t)
  const counts = new Counts()
  await submitPrompt(root, 'one', counts)
  counts.clear()
  await submitPrompt(root, 'two', counts)
  expect(counts.opens.filter((path) => path === '.transcripts/demo.jsonl')).toHaveLength(1)
  expect(counts.locks).toEqual(['.transcripts/demo.jsonl', `${basename(root)}/history.jsonl`])
})

class Counts {
  readonly opens: string[] = []
  readonly locks: string[] = []

  clear(): void {
    this.opens.length = 0
    this.locks.length = 0
  }

  readonly fs = {
    openSync: ((path: string, ...rest: [string]) => {
      this.opens.push(shortPath(path))
      return fs.openSync(path, ...rest)
    }) as typeof fs.openSync,
    mkdirSync: ((path: string, ...rest: [object]) => {
      const made = fs.mkdirSync(path, ...rest)
      if (path.endsWith('.lock')) this.locks.push(shortPath(path.slice(0, -'.lock'.length)))
      return made
    }) as typeof fs.mkdirSync,
  }
}

function shortPath(path: string): string {
  return `${basename(dirname(path))}/${basename(path)}`
}

async function submitPrompt(root: string, prompt: string, { fs }: Counts): Promise<void> {
  const fields = { session_id: 'demo', hook_event_name: 'UserPromptSubmit', cwd: root, prompt }
  const answer = await runHook({
    store: { root, home: root },
    io: {
      stdin: Readable.from([
        Buffer.from(JSON.stringify(fields)),
      ]) as unknown as NodeJS.Process['stdin'],
      env: {},
      cwd: () => root,
    },
    write: async () => {},
    report: (text) => {
      throw new Error(text)
    },
    environment: { fs },
  })
  expect(answer.status).toBe('written')
}
