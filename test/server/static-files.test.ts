// The files of the viewer.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { startApp } from './client.js'

const NO_TOKEN = { headers: { authorization: '' } }

test('are served without a token, by their names only', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'assets', 'app-1a2b.js'), 'export {}')
  writeFileSync(join(folder, 'assets', '.hidden.js'), 'secret')
  writeFileSync(join(folder, 'assets', 'notes.txt'), 'secret')
  const { send } = await startApp(t, { assets: folder })
  const page = await send('/', NO_TOKEN)
  expect(await page.text()).toBe('<!doctype html>')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const script = await send('/assets/app-1a2b.js', NO_TOKEN)
  expect(await script.text()).toBe('export {}')
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(script.headers.get('cache-control')).toContain('immutable')
  for (const path of [
    '/secret.js',
    '/assets/../secret.js',
    '/assets/%2e%2e/secret.js',
    '/assets/..%2fsecret.js',
    '/assets/..%5csecret.js',
    '/assets/.hidden.js',
    '/assets/notes.txt',
    '/assets/',
    '/assets/app-1a2b.js/',
    '/assets/none.js',
    '/favicon.ico',
    '//etc/passwd',
  ]) {
    const response = await send(path, NO_TOKEN)
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.text()).not.toContain('secret\n')
  }
  const head = await send('/', { method: 'HEAD', ...NO_TOKEN })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('that were not built are replaced by a page that says so', async (t) => {
  for (const assets of [undefined, join(temporaryFolder(t), 'none')]) {
    const { send } = await startApp(t, { assets })
    const page = await send('/', NO_TOKEN)
    expect(await page.text()).toContain('not part of this build')
    expect(page.headers.get('content-type')).toContain('text/plain')
  }
})
