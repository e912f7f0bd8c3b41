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
import { readSettingsFile, removeSettingsFile, writeSettingsFile } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

test('what is no text of a person is refused: a folder, two names, too much, other bytes', (t) => {
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
      return readSettingsFile(at(name)).text
    } catch (error) {
      return (error as { code: string }).code
    }
  })
  const [unsafe, settings] = ['ERR_UNSAFE_PATH', 'ERR_SETTINGS']
  expect(codes).toEqual([unsafe, unsafe, settings, settings, unsafe])
})

test('a file that somebody changed since it was read is neither replaced nor removed', (t) => {
  const path = join(temporaryFolder(t), 'settings.json')
  writeFileSync(path, '{}')
  const read = readSettingsFile(path)
  writeFileSync(path, '{"by":"somebody"}')
  const refused = { code: 'ERR_FILE_REPLACED' }
  expect(() => writeSettingsFile(read, '{"by":"us"}')).toThrow(expect.objectContaining(refused))
  expect(() => removeSettingsFile(read)).toThrow(expect.objectContaining(refused))
  rmSync(path)
  expect(() => writeSettingsFile(read, '{"by":"us"}')).toThrow(expect.objectContaining(refused))
})

test('a link stays a link: what it leads to is written, and emptied instead of removed', (t) => {
  const folder = temporaryFolder(t)
  const target = join(folder, 'dotfiles.json')
  const path = join(folder, 'settings.json')
  writeFileSync(target, '{"mine":1}')
  symlinkSync(target, path)
  writeSettingsFile(readSettingsFile(path), '{"mine":2}')
  expect(readFileSync(target, 'utf8')).toBe('{"mine":2}')
  removeSettingsFile(readSettingsFile(path))
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('{}\n')
})

test('a file that was not there is made with its folder, for its owner alone unless it is shared', (t) => {
  const folder = temporaryFolder(t)
  const own = join(folder, 'own', 'settings.json')
  writeSettingsFile(readSettingsFile(own), '{}')
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700)
  const shared = join(folder, 'shared', 'settings.json')
  writeSettingsFile(readSettingsFile(shared), '{}', { isShared: true })
  expect(statSync(join(folder, 'shared')).mode & 0o777).toBe(0o777 & ~process.umask())
  removeSettingsFile(readSettingsFile(own))
  expect(readSettingsFile(own).text).toBeUndefined()
})
