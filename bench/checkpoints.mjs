// Stores full of checkpoints, and the ways to find something in them, each in a process that has
// done nothing else.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { loadFormat, loadStore } from './library.mjs'

const PER_SESSION = 20
const SNIPPETS = 10
const SNIPPET_CHARS = 60
const SOURCE_CHARS = 256 * 1024
const START = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000

export function projectName(number) {
  return `/home/ada/work/project-${number}`
}

/** A store per entry: projects, checkpoints in each, one per minute from `start` on. */
export async function makeCheckpoints({ stores }) {
  const { LineEncoder } = await loadFormat()
  const { appendCheckpoint, openContext } = await loadStore()
  const encoder = new LineEncoder()
  const random = randomOf(7)
  const source = textOf(SOURCE_CHARS, random)
  for (const { root, projects, perProject, start = START } of stores) {
    for (let number = 0; number < projects; number++) {
      const project = projectName(number)
      const said = { session_key: 'first', trigger: 'periodic', harness: 'bench', digest: '' }
      const { path } = await appendCheckpoint(openContext({ root }), {
        ...said,
        prompt_count: 1,
        project,
      })
      encoder.reset()
      for (let at = 0; at < perProject; at++) {
        const index = number * perProject + at
        const ts = new Date(start + index * MINUTE_MS).toISOString()
        encoder.addEvent(lineOf({ project, index, ts }, source, random))
      }
      writeFileSync(path, encoder.bytes({ isolate: false }))
    }
  }
}

/** As a passive checkpoint is: ten prompts, a few words of each. */
function lineOf({ project, index, ts }, source, random) {
  const id = uuidOf(index)
  const snippet = () => {
    const start = Math.floor(random() * (SOURCE_CHARS - SNIPPET_CHARS))
    return `- ${source.slice(start, start + SNIPPET_CHARS)}`
  }
  const snippets = Array.from({ length: SNIPPETS }, snippet).join('\n')
  const payload = {
    id,
    session_key: uuidOf(Math.floor(index / PER_SESSION)),
    created_at: ts,
    project_normalized: project,
    trigger: 'periodic',
    agent_id: 'default',
    harness: 'bench',
    project,
    prompt_count: 10,
    total_prompt_count: 10 * (index % PER_SESSION),
    digest: `## Session Checkpoint\nProject: ${project}\n\n### Recent Prompts\n${snippets}`,
    cause: 'prompt_interval',
    transcript_offset: index * 1000,
    last_uuid: id,
    cycle: null,
  }
  return {
    type: 'checkpoint',
    ts,
    uuid: id,
    prevJson: 'null',
    payloadJson: JSON.stringify(payload),
  }
}

function uuidOf(number) {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** Resolves with the time in microseconds. */
export async function findCheckpoints({ root, project }) {
  const { findNewestCheckpoint, openContext } = await loadStore()
  const store = openContext({ root })
  const start = performance.now()
  const { newest } = findNewestCheckpoint(store, { project })
  const micros = (performance.now() - start) * 1000
  if (newest === undefined) throw new Error('did not find what is there')
  return { micros }
}

export function emptyStore(folder, name) {
  const root = join(folder, name)
  mkdirSync(root, { mode: 0o700 })
  return root
}
