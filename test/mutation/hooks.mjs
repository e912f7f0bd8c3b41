// The test files as they are, with two packages replaced. What was translated once is kept: a
// process is replaced many times in a run, and translating is most of its start.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as typescript from '../helpers/typescript-hooks.mjs'

const STAND_INS = { vitest: './quick-vitest.mjs', 'fast-check': './few-runs.mjs' }
const KEPT = join(tmpdir(), 'jsonl-session-translated')
mkdirSync(KEPT, { recursive: true })

export async function resolve(specifier, context, nextResolve) {
  const standIn = STAND_INS[specifier]
  if (standIn === undefined) return typescript.resolve(specifier, context, nextResolve)
  return { url: new URL(standIn, import.meta.url).href, shortCircuit: true }
}

export async function load(address, context, nextLoad) {
  // A test asks for a module of its own by a query.
  const [url] = address.split('?')
  if (!url.endsWith('.ts')) return nextLoad(address, context)
  const text = readFileSync(fileURLToPath(url))
  const kept = join(KEPT, `${createHash('sha1').update(text).digest('hex')}.js`)
  if (existsSync(kept)) return { format: 'module', source: readFileSync(kept), shortCircuit: true }
  const loaded = await typescript.load(url, context, nextLoad)
  writeFileSync(`${kept}.${process.pid}`, loaded.source)
  renameSync(`${kept}.${process.pid}`, kept)
  return loaded
}
