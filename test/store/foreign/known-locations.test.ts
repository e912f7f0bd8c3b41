// Where other programs keep their transcripts.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { IMPORTERS } from '../../../lib/interchange/index.js'
import { listForeignFiles, listKnownLocations, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const locationsOf = (variables: Record<string, string>) =>
  listKnownLocations(openContext({ environment: { host: { variables } } }), IMPORTERS)

function homeWith(t: TestContext, ...files: readonly string[]): string {
  const home = temporaryFolder(t)
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), '{}\n')
  }
  return home
}

test('finds the transcripts of each program in its folder, by their names', (t) => {
  const home = homeWith(
    t,
    '.claude/projects/-home-ada/b.jsonl',
    '.claude/projects/-home-ada/a.jsonl',
    '.claude/projects/-home-ada/agent-1.jsonl',
    '.claude/projects/-home-ada/notes.txt',
    '.claude/projects/-home-ada/a/too-deep.jsonl',
    '.codex/sessions/2026/01/31/rollout-1.jsonl',
    '.codex/archived_sessions/rollout-0.jsonl',
    '.pi/agent/sessions/--home--/x.jsonl',
    '.gemini/tmp/hash/chats/session-1.json',
    '.gemini/tmp/hash/chats/session-2.jsonl',
    '.gemini/tmp/hash/logs.json',
  )
  expect(locationsOf({ HOME: home })).toEqual([
    {
      format: 'claude-code',
      folder: join(home, '.claude/projects'),
      files: ['a', 'b'].map((name) => join(home, `.claude/projects/-home-ada/${name}.jsonl`)),
    },
    {
      format: 'codex',
      folder: join(home, '.codex/sessions'),
      files: [join(home, '.codex/sessions/2026/01/31/rollout-1.jsonl')],
    },
    {
      format: 'codex',
      folder: join(home, '.codex/archived_sessions'),
      files: [join(home, '.codex/archived_sessions/rollout-0.jsonl')],
    },
    {
      format: 'pi',
      folder: join(home, '.pi/agent/sessions'),
      files: [join(home, '.pi/agent/sessions/--home--/x.jsonl')],
    },
    {
      format: 'gemini',
      folder: join(home, '.gemini/tmp'),
      files: ['session-1.json', 'session-2.jsonl'].map((name) =>
        join(home, '.gemini/tmp/hash/chats', name),
      ),
    },
  ])
})

test('follows the environment variable of a program', (t) => {
  const home = homeWith(t, '.codex/sessions/old.jsonl', 'elsewhere/sessions/new.jsonl')
  const places = locationsOf({ HOME: home, CODEX_HOME: join(home, 'elsewhere') })
  expect(places.flatMap(({ files }) => files)).toEqual([join(home, 'elsewhere/sessions/new.jsonl')])
})

test('finds transcripts in a folder that a variable names, besides the usual one', (t) => {
  const files = ['.pi/agent/sessions/--p--/a.jsonl', 'mine/b.jsonl']
  const home = homeWith(t, ...files)
  for (const folder of [join(home, 'mine'), '~/mine']) {
    const places = locationsOf({ HOME: home, PI_CODING_AGENT_SESSION_DIR: folder })
    expect(places.flatMap((place) => place.files)).toEqual(files.map((name) => join(home, name)))
  }
})

test('finds nothing in an empty home', (t) => {
  expect(locationsOf({ HOME: temporaryFolder(t) })).toEqual([])
})

test('lists all transcripts below a folder except those of subagents, and a file as itself', (t) => {
  const folder = homeWith(
    t,
    'one/a.jsonl',
    'one/agent-1.jsonl',
    'one/a/subagents/agent-2.jsonl',
    'one/a/subagents/strange.jsonl',
    'two/three/b.jsonl',
    'two/readme.md',
  )
  symlinkSync(join(folder, 'one'), join(folder, 'link'))
  expect(listForeignFiles(openContext(), folder)).toEqual(
    ['one/a.jsonl', 'two/three/b.jsonl'].map((name) => join(folder, name)),
  )
  for (const name of ['one/agent-1.jsonl', 'nowhere.jsonl']) {
    expect(listForeignFiles(openContext(), join(folder, name))).toEqual([join(folder, name)])
  }
})
