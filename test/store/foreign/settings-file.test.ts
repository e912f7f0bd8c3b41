// Settings of other programs: read whole, replaced whole, never by a guess.

import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  openContext,
  readSettingsFile,
  removeSettingsFile,
  writeSettingsFile,
} from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const store = openContext()

test('rejects a folder, hard links, large files, other encodings and broken links', (t) => {
  const folder = temporaryFolder(t)
  const at = (name: string) => join(folder, name)
  mkdirSync(at('folder'))
  writeFileSync(at('one'), '{}')
  linkSync(at('one'), at('two'))
  writeFileSync(at('large'), ' '.repeat(1024 * 1024 + 1))
  writeFileSync(at('latin'), Buffer.from([0x7b, 0xe9, 0x7d]))
  symlinkSync('nowhere', at('broken'))
  const codes = ['folder', 'two', 'large', 'latin', 'broken'].map((name) => {
    try {
      return readSettingsFile(store, at(name)).text
    } catch (error) {
      return (error as { code: string }).code
    }
  })
  const [unsafe, settings] = ['ERR_UNSAFE_PATH', 'ERR_SETTINGS']
  expect(codes).toEqual([unsafe, unsafe, settings, settings, unsafe])
})

test('does not replace or remove a file that another process changed since', (t) => {
  const path = join(temporaryFolder(t), 'settings.json')
  writeFileSync(path, '{}')
  const read = readSettingsFile(store, path)
  writeFileSync(path, '{"by":"somebody"}')
  const refused = { code: 'ERR_FILE_REPLACED' }
  expect(() => writeSettingsFile(store, read, '{"by":"us"}')).toThrow(
    expect.objectContaining(refused),
  )
  expect(() => removeSettingsFile(store, read)).toThrow(expect.objectContaining(refused))
  rmSync(path)
  expect(() => writeSettingsFile(store, read, '{"by":"us"}')).toThrow(
    expect.objectContaining(refused),
  )
})

test('keeps a link: its target is written, and emptied instead of removed', (t) => {
  const folder = temporaryFolder(t)
  const target = join(folder, 'dotfiles.json')
  const path = join(folder, 'settings.json')
  writeFileSync(target, '{"mine":1}')
  symlinkSync(target, path)
  writeSettingsFile(store, readSettingsFile(store, path), '{"mine":2}')
  expect(readFileSync(target, 'utf8')).toBe('{"mine":2}')
  removeSettingsFile(store, readSettingsFile(store, path))
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('{}\n')
})

test('creates a missing file with its folder, private unless shared', (t) => {
  const folder = temporaryFolder(t)
  const own = join(folder, 'own', 'settings.json')
  writeSettingsFile(store, readSettingsFile(store, own), '{}')
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700)
  const shared = join(folder, 'shared', 'settings.json')
  writeSettingsFile(store, readSettingsFile(store, shared), '{}', { isShared: true })
  expect(statSync(join(folder, 'shared')).mode & 0o777).toBe(0o777 & ~process.umask())
  removeSettingsFile(store, readSettingsFile(store, own))
  expect(readSettingsFile(store, own).text).toBeUndefined()
})
