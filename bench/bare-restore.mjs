// A thousand files that are replaced by others, with the calls that it takes and nothing else.

import { hash, randomFillSync } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export const FILES = 1000
export const FILE_BYTES = 8 * 1024
const FOLDERS = 20
export const NAMES = Array.from({ length: FILES }, (_, index) => `d${index % FOLDERS}/f${index}`)

/**
 * What is there must be known and what comes back must be proven, so both are read and hashed; no
 * file may be seen half written, so each is written beside its place, checked again and renamed.
 */
export function prepareBare(folder) {
  const places = { project: join(folder, 'bare'), copies: join(folder, 'copies') }
  for (const place of Object.values(places)) {
    makeFolders(place)
    fill(place)
  }
  const bytes = Buffer.alloc(FILE_BYTES)
  return () => {
    const start = performance.now()
    const hashes = new Set(NAMES.map((name) => hashOf(join(places.project, name), bytes)))
    for (const name of NAMES) {
      hashes.add(hashOf(join(places.copies, name), bytes))
      writeNew(join(places.project, `${name}.tmp`), bytes)
    }
    for (const name of NAMES) {
      const path = join(places.project, name)
      if (lstatSync(path).size !== FILE_BYTES) throw new Error(`${name} is cut`)
      renameSync(`${path}.tmp`, path)
    }
    const micros = (performance.now() - start) * 1000
    if (hashes.size < FILES) throw new Error(`${hashes.size} contents`)
    return micros
  }
}

function hashOf(path, bytes) {
  const fd = openSync(path, 'r')
  if (fstatSync(fd).size !== bytes.length) throw new Error(`${path} is cut`)
  readSync(fd, bytes, 0, bytes.length, 0)
  closeSync(fd)
  return hash('sha256', bytes)
}

function writeNew(path, bytes) {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  writeSync(fd, bytes)
  closeSync(fd)
}

export function makeFolders(place) {
  for (let index = 0; index < FOLDERS; index++) {
    mkdirSync(join(place, `d${index}`), { recursive: true })
  }
}

export function fill(place) {
  const bytes = Buffer.alloc(FILE_BYTES)
  for (const name of NAMES) writeFileSync(join(place, name), randomFillSync(bytes))
}
