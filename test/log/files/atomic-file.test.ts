// A whole file is on the disk before it has its name, and its name is on the disk before it is told.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { AtomicFile, writeAtomicFile } from '../../../lib/log/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, type FileFault, watchFiles } from '../../helpers/watched-files.js'

const newPath = () => join(temporaryFolder({ onTestFinished }), 'file')
const openCount = () => readdirSync('/proc/self/fd').length
const coded = (code: string) => expect.objectContaining({ code }) as Error

function faultAt(path: string, at: string, fault: FileFault): void {
  const before = ({ name }: FileCall) => (name === at ? fault : undefined)
  onTestFinished(watchFiles(dirname(path), { before }))
}

async function* piecesOf(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

test.each([
  [false, 'linkSync'],
  [true, 'renameSync'],
])('its bytes are synced, then named, then the name is: replace %s', (replace, naming) => {
  const path = newPath()
  const calls: string[] = []
  const after = ({ name, path: at }: FileCall) => {
    const what = at === dirname(path) ? 'the folder' : 'the file'
    if (['fsyncSync', 'linkSync', 'renameSync'].includes(name)) calls.push(`${name} ${what}`)
  }
  onTestFinished(watchFiles(dirname(path), { after }))
  const file = new AtomicFile(path, systemEnvironment, { replace })
  file.write(Buffer.from('x'))
  expect(calls).toEqual([])
  file.seal()
  file.finish()
  expect(calls).toEqual(['fsyncSync the file', `${naming} the file`, 'fsyncSync the folder'])
  expect(readdirSync(dirname(path))).toEqual(['file'])
})

test.runIf(process.platform === 'linux')(
  'a disk that refuses to sync is told, and leaves neither file nor descriptor',
  () => {
    const path = newPath()
    const before = openCount()
    faultAt(path, 'fsyncSync', { code: 'EIO', errno: -5 })
    const file = new AtomicFile(path, systemEnvironment)
    file.write(Buffer.from('x'))
    expect(() => file.seal()).toThrow(coded('ERR_IO'))
    file.abandon()
    expect(openCount()).toBe(before)
    expect(readdirSync(dirname(path))).toEqual([])
  },
)

test('reports why a name cannot be given, and leaves nothing behind', () => {
  const path = newPath()
  faultAt(path, 'linkSync', { code: 'EACCES', errno: -13 })
  const file = new AtomicFile(path, systemEnvironment)
  expect(() => file.finish()).toThrow(expect.not.objectContaining({ code: 'ERR_EXISTS' }) as Error)
  expect(readdirSync(dirname(path))).toEqual([])
})

test('a folder is made where that is asked for, and not otherwise', () => {
  const path = join(dirname(newPath()), 'folder', 'file')
  expect(() => new AtomicFile(path, systemEnvironment)).toThrow()
  new AtomicFile(path, systemEnvironment, { makeFolder: true }).abandon()
  expect(readdirSync(dirname(path))).toEqual([])
})

test('what may exist is found out at the end, and stays as it is', () => {
  const path = newPath()
  writeFileSync(path, 'old')
  expect(() => new AtomicFile(path, systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_EXISTS', details: { path } }) as Error,
  )
  const file = new AtomicFile(path, systemEnvironment, { mayExist: true })
  file.write(Buffer.from('new'))
  expect(() => file.finish()).toThrow(coded('ERR_EXISTS'))
  expect(readFileSync(path, 'utf8')).toBe('old')
  mkdirSync(join(dirname(path), 'taken'))
  expect(new AtomicFile(path, systemEnvironment, { mayExist: true }).isNameTaken).toBe(true)
})

test('pieces are gathered into few writes, and one that fails leaves nothing', async () => {
  const path = newPath()
  const sizes: number[] = []
  const after = ({ name, bytes }: FileCall) => {
    if (name === 'writeSync') sizes.push(bytes?.length ?? 0)
  }
  const stop = watchFiles(dirname(path), { after })
  onTestFinished(stop)
  await writeAtomicFile(path, piecesOf('a', 'b', 'é'), systemEnvironment)
  expect(readFileSync(path, 'utf8')).toBe('abé')
  expect(sizes.filter((size) => size > 0)).toEqual([4])
  sizes.length = 0
  const piece = 'x'.repeat(40 * 1024)
  await writeAtomicFile(`${path}2`, piecesOf(piece, piece, piece, piece), systemEnvironment)
  expect(sizes.filter((size) => size > 0)).toEqual([80 * 1024, 80 * 1024])
  stop()
  async function* failing(): AsyncGenerator<string> {
    yield 'half'
    throw new Error('no more')
  }
  await expect(writeAtomicFile(`${path}3`, failing(), systemEnvironment)).rejects.toThrow('no more')
  expect(readdirSync(dirname(path)).sort()).toEqual(['file', 'file2'])
})
