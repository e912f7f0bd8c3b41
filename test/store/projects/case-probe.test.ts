// Whether names differ by case is the volume's to say. Volumes without case are rare where these
// tests run, so they are told of here; what this very disk does is found out by trying.

import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileSystem } from '../../../lib/environment/index.js'
import { normalizeProject, openContext } from '../../../lib/store/index.js'
import { CaseProbe } from '../../../lib/store/projects/normalize-project.js'
import { temporaryFolder } from '../../helpers/temporary.js'

interface Volume {
  readonly dev: number
  readonly isCaseless: boolean
  /** Paths from its root, each once, in the spelling of the disk. */
  readonly paths: readonly string[]
}

/** Volumes by the paths they are mounted at. */
function disk(volumes: Readonly<Record<string, Volume>>) {
  const asked: string[] = []
  const volumeOf = (path: string): [string, Volume] | undefined =>
    Object.entries(volumes)
      .toSorted(([one], [other]) => other.length - one.length)
      .find(([mount]) => path === mount || path.startsWith(mount === '/' ? '/' : `${mount}/`))
  const identityOf = (path: string) => {
    asked.push(path)
    const [, volume] = volumeOf(path) ?? []
    if (volume === undefined) return undefined
    const ino = volume.paths.findIndex((known) =>
      volume.isCaseless ? known.toLowerCase() === path.toLowerCase() : known === path,
    )
    return ino === -1 ? undefined : { dev: volume.dev, ino }
  }
  const namesIn = (folder: string) =>
    Object.values(volumes)
      .flatMap(({ paths }) => paths)
      .filter((path) => path.startsWith(folder) && path !== folder)
      .map((path) => path.slice(folder.length).replace(/^\//, '').split('/')[0]!)
  return { asked, ...fileSystem(identityOf, namesIn) }
}

/** What the probe asks of a file system. */
function fileSystem(
  identityOf: (path: string) => { dev: number; ino: number } | undefined,
  namesIn: (folder: string) => string[],
): ConstructorParameters<typeof CaseProbe>[0] {
  const lstatSync = (path: string) => {
    const found = identityOf(path)
    if (found === undefined) throw new Error('ENOENT')
    return found
  }
  return { fs: { lstatSync, readdirSync: namesIn } as unknown as FileSystem }
}

const CASELESS = {
  dev: 1,
  isCaseless: true,
  paths: ['/', '/Users', '/Users/Ada', '/Users/Ada/App'],
}
const WITH_CASE = { ...CASELESS, isCaseless: false }

test('on a case-insensitive volume all spellings are one project', () => {
  const probe = new CaseProbe(disk({ '/': CASELESS }))
  expect(probe.fold('/Users/Ada/App', [])).toBe('/users/ada/app')
  expect(probe.fold('/users/ADA/app', [])).toBe('/users/ada/app')
})

test('on a case-sensitive volume they are different projects', () => {
  const probe = new CaseProbe(disk({ '/': WITH_CASE }))
  expect(probe.fold('/Users/Ada/App', [])).toBe('/Users/Ada/App')
})

test('the missing part of a path follows the rule of the volume it was on', () => {
  const folded = new CaseProbe(disk({ '/': CASELESS }))
  expect(folded.fold('/Users/Ada', ['Gone', 'Sub'])).toBe('/users/ada/gone/sub')
  const kept = new CaseProbe(disk({ '/': WITH_CASE }))
  expect(kept.fold('/Users/Ada', ['Gone', 'Sub'])).toBe('/Users/Ada/Gone/Sub')
})

test('a path across two volumes follows the rule of each', () => {
  const mounted = { dev: 2, isCaseless: false, paths: ['/Users/Disk', '/Users/Disk/App'] }
  const outer = { dev: 1, isCaseless: true, paths: ['/', '/Users'] }
  const probe = new CaseProbe(disk({ '/': outer, '/Users/Disk': mounted }))
  expect(probe.fold('/Users/Disk/App', [])).toBe('/users/disk/App')
})

test('probes a volume once', () => {
  const look = disk({ '/': CASELESS })
  const probe = new CaseProbe(look)
  probe.fold('/Users/Ada/App', [])
  const swapped = () => look.asked.filter((path) => /uSERS|aDA|aPP/.test(path))
  expect(swapped()).toEqual(['/uSERS'])
  probe.fold('/Users/Ada', ['Gone'])
  expect(swapped()).toHaveLength(1)
})

test('a folder mounted under two names does not make the volume case-insensitive', () => {
  const twice = fileSystem(
    (path) => ({ dev: 1, ino: path.toLowerCase() === '/app' ? 7 : 1 }),
    () => ['App', 'aPP'],
  )
  expect(new CaseProbe(twice).fold('/App', [])).toBe('/App')
})

// Requirement: 000-29
test('the result matches the behaviour of this disk', (t) => {
  const folder = realpathSync.native(temporaryFolder(t))
  const project = join(folder, 'Project')
  mkdirSync(project)
  const isCaseless = existsSync(join(folder, 'pROJECT'))
  expect(normalizeProject(openContext(), project)).toBe(
    (isCaseless ? project.toLowerCase() : project).normalize(),
  )
  const spelledOtherwise = normalizeProject(openContext(), join(folder, 'pROJECT'))
  expect(spelledOtherwise === normalizeProject(openContext(), project)).toBe(isCaseless)
})

test('looking writes nothing', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const before = { names: readdirSync(folder), mtime: lstatSync(folder).mtimeMs }
  normalizeProject(openContext(), join(folder, 'Gone'))
  expect({ names: readdirSync(folder), mtime: lstatSync(folder).mtimeMs }).toEqual(before)
})
