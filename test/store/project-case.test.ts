// Whether names differ by case is the volume's to say. Volumes without case are rare where these
// tests run, so they are told of here; what this very disk does is found out by trying.

import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normalizeProject } from '../../lib/store/index.js'
import { CaseProbe, type PathLook } from '../../lib/store/project-case.js'
import { temporaryFolder } from '../helpers/temporary.js'

interface Volume {
  readonly dev: number
  readonly isCaseless: boolean
  /** Paths from its root, each once, in the spelling of the disk. */
  readonly paths: readonly string[]
}

/** Volumes by the paths they are mounted at. */
function disk(volumes: Readonly<Record<string, Volume>>): PathLook & { asked: string[] } {
  const asked: string[] = []
  const volumeOf = (path: string): [string, Volume] | undefined =>
    Object.entries(volumes)
      .toSorted(([one], [other]) => other.length - one.length)
      .find(([mount]) => path === mount || path.startsWith(mount === '/' ? '/' : `${mount}/`))
  return {
    asked,
    identityOf(path) {
      asked.push(path)
      const [, volume] = volumeOf(path) ?? []
      if (volume === undefined) return undefined
      const ino = volume.paths.findIndex((known) =>
        volume.isCaseless ? known.toLowerCase() === path.toLowerCase() : known === path,
      )
      return ino === -1 ? undefined : { dev: volume.dev, ino }
    },
    namesIn: (folder) =>
      Object.values(volumes)
        .flatMap(({ paths }) => paths)
        .filter((path) => path.startsWith(folder) && path !== folder)
        .map((path) => path.slice(folder.length).replace(/^\//, '').split('/')[0]!),
  }
}

const CASELESS = {
  dev: 1,
  isCaseless: true,
  paths: ['/', '/Users', '/Users/Ada', '/Users/Ada/App'],
}
const WITH_CASE = { ...CASELESS, isCaseless: false }

test('on a volume without case all spellings are one project', () => {
  const probe = new CaseProbe(disk({ '/': CASELESS }))
  expect(probe.fold('/Users/Ada/App', [])).toBe('/users/ada/app')
  expect(probe.fold('/users/ADA/app', [])).toBe('/users/ada/app')
})

test('on a volume with case they are different projects', () => {
  const probe = new CaseProbe(disk({ '/': WITH_CASE }))
  expect(probe.fold('/Users/Ada/App', [])).toBe('/Users/Ada/App')
})

test('of a folder that is gone the rest follows the rule of the volume it was on', () => {
  const folded = new CaseProbe(disk({ '/': CASELESS }))
  expect(folded.fold('/Users/Ada', ['Gone', 'Sub'])).toBe('/users/ada/gone/sub')
  const kept = new CaseProbe(disk({ '/': WITH_CASE }))
  expect(kept.fold('/Users/Ada', ['Gone', 'Sub'])).toBe('/Users/Ada/Gone/Sub')
})

test('a path over two volumes follows each of them for its own names', () => {
  const mounted = { dev: 2, isCaseless: false, paths: ['/Users/Disk', '/Users/Disk/App'] }
  const outer = { dev: 1, isCaseless: true, paths: ['/', '/Users'] }
  const probe = new CaseProbe(disk({ '/': outer, '/Users/Disk': mounted }))
  expect(probe.fold('/Users/Disk/App', [])).toBe('/users/disk/App')
})

test('a volume is asked once', () => {
  const look = disk({ '/': CASELESS })
  const probe = new CaseProbe(look)
  probe.fold('/Users/Ada/App', [])
  const swapped = () => look.asked.filter((path) => /uSERS|aDA|aPP/.test(path))
  expect(swapped()).toEqual(['/uSERS'])
  probe.fold('/Users/Ada', ['Gone'])
  expect(swapped()).toHaveLength(1)
})

test('one folder mounted under two names is no proof that the volume has no case', () => {
  const twice: PathLook = {
    identityOf: (path) => ({ dev: 1, ino: path.toLowerCase() === '/app' ? 7 : 1 }),
    namesIn: () => ['App', 'aPP'],
  }
  expect(new CaseProbe(twice).fold('/App', [])).toBe('/App')
})

test('the answer is what this disk does (000-29)', (t) => {
  const folder = realpathSync.native(temporaryFolder(t))
  const project = join(folder, 'Project')
  mkdirSync(project)
  const isCaseless = existsSync(join(folder, 'pROJECT'))
  expect(normalizeProject(project)).toBe((isCaseless ? project.toLowerCase() : project).normalize())
  const spelledOtherwise = normalizeProject(join(folder, 'pROJECT'))
  expect(spelledOtherwise === normalizeProject(project)).toBe(isCaseless)
})

test('looking writes nothing', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const before = { names: readdirSync(folder), mtime: lstatSync(folder).mtimeMs }
  normalizeProject(join(folder, 'Gone'))
  expect({ names: readdirSync(folder), mtime: lstatSync(folder).mtimeMs }).toEqual(before)
})
