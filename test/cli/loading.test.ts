// Hooks and scripts pay the start of the process for every event, so what a command does not
// need must not be loaded. A resolve hook tells what was.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { runCli } from './command-line.js'

const HOOK = `
import { writeSync } from 'node:fs'
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context)
  writeSync(2, 'loads ' + resolved.url + '\\n')
  return resolved
}`
const REGISTER = `
import { register } from 'node:module'
register(${JSON.stringify(dataUrl(HOOK))})`

const HEAVY = /node_modules\/(?:commander|zod|chokidar|ndjson|write-file-atomic|picocolors)\//

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}

async function loadedBy(args: readonly string[], root?: string): Promise<string[]> {
  const nodeOptions = ['--import', dataUrl(REGISTER)]
  const options = root === undefined ? { nodeOptions } : { nodeOptions, root }
  const { stderr, exitCode } = await runCli(args, options)
  expect(exitCode).toBe(0)
  return [...stderr.matchAll(/^loads (.*)$/gm)].map(([, url]) => url!)
}

test('--version loads its own few files and nothing of others', async () => {
  const urls = await loadedBy(['--version'])
  expect(new Set(urls.filter((url) => url.includes('/dist/'))).size).toBeLessThanOrEqual(5)
  expect(urls.filter((url) => url.includes('node_modules'))).toEqual([])
  expect(sourcesOf(urls)).not.toContain('CommanderError')
})

test('append loads no help, no schemas and no watcher', async (t) => {
  const root = temporaryFolder(t)
  const urls = await loadedBy(['append', 'demo', '--type', 'user', '--payload', '{}'], root)
  expect(urls.filter((url) => HEAVY.test(url))).toEqual([])
  expect(sourcesOf(urls)).not.toContain('CommanderError')
  expect(sourcesOf(urls)).toContain('append_transcript')
})

/** What stands in the bundled files that were loaded. */
function sourcesOf(urls: readonly string[]): string {
  const files = urls.filter((url) => url.includes('/dist/'))
  return files.map((url) => readFileSync(new URL(url), 'utf8')).join('\n')
}

test('log loads no schemas and no watcher', async (t) => {
  const root = temporaryFolder(t)
  await loadedBy(['append', 'demo', '--type', 'user'], root)
  const urls = await loadedBy(['log', 'demo'], root)
  expect(urls.filter((url) => /node_modules\/(?:zod|chokidar)\//.test(url))).toEqual([])
})
