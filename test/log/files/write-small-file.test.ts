// A small file, replaced as a whole: by write-file-atomic, with what it leaves open closed.

import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { writeSmallFileAtomic } from '../../../lib/log/index.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const LOG_MODULE = fileURLToPath(new URL('../../../dist/modules/lib/log/index.js', import.meta.url))

it('a new file is private, and there whole', (t) => {
  const path = join(temporaryFolder(t), 'new.json')
  writeSmallFileAtomic(path, 'é\n', systemEnvironment)
  expect(readFileSync(path, 'utf8')).toBe('é\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('an existing file keeps its mode, also after another one was written', (t) => {
  const path = temporaryFile(t, 'old.json', 'old, and longer than the new one')
  chmodSync(path, 0o604)
  writeSmallFileAtomic(join(dirname(path), 'other.json'), 'x', systemEnvironment)
  writeSmallFileAtomic(path, 'new', systemEnvironment)
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o604)
  expect(statSync(join(dirname(path), 'other.json')).mode & 0o777).toBe(0o600)
})

it('a link is kept and its target replaced', (t) => {
  const path = temporaryFile(t, 'target.json', 'old')
  const link = join(dirname(path), 'link.json')
  symlinkSync('target.json', link)
  writeSmallFileAtomic(link, 'new', systemEnvironment)
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(readdirSync(dirname(path)).sort()).toEqual(['link.json', 'target.json'])
})

it('a disk that takes only part of it leaves the old file, and says so', async (t) => {
  const path = temporaryFile(t, 'settings.json', 'old')
  const script = `
    const { writeSmallFileAtomic } = await import(process.argv[1])
    const { systemEnvironment } = await import(process.argv[1] + '/../../environment/index.js')
    try { writeSmallFileAtomic(process.argv[2], 'x'.repeat(300_000), systemEnvironment) }
    catch (error) { process.stdout.write(error.code) }`
  // A real limit: the kernel takes 64 KiB and refuses the rest.
  const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1" "$2" "$3"`
  const child = spawn('bash', ['-c', limited, process.execPath, script, LOG_MODULE, path])
  let told = ''
  child.stdout.on('data', (chunk) => {
    told += chunk
  })
  await new Promise((resolve) => child.once('close', resolve))
  expect(told).toBe('ERR_NO_SPACE')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(dirname(path))).toEqual(['settings.json'])
})

it('a folder that is not there is a typed error', (t) => {
  const path = join(temporaryFolder(t), 'missing', 'x.json')
  expect(() => writeSmallFileAtomic(path, '{}', systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
})

it('it leaves no listeners on the process', (t) => {
  const path = temporaryFile(t, 'x.json', 'old')
  const count = () => process.eventNames().map((name) => [name, process.listenerCount(name)])
  writeSmallFileAtomic(path, 'first', systemEnvironment)
  const before = count()
  writeFileSync(path, 'between')
  writeSmallFileAtomic(path, 'second', systemEnvironment)
  expect(count()).toEqual(before)
})
