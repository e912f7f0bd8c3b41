// Files that come back: a whole rewind, from reading the transcript to the last rename, against
// copying the same files with cp.

import { spawnSync } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareSamples } from '../harness.mjs'
import { loadSessions } from '../library.mjs'

const FILES = 1000
const FILE_BYTES = 8 * 1024
const FOLDERS = 20

export const fileCases = [
  {
    name: 'rewind-files',
    durability: 'files: none, record: turn',
    against: `${FILES} files of 8 KiB, to cp -r`,
    unit: '× time',
    target: { most: 2 },
    async measure({ folder, isQuick }) {
      const project = join(folder, 'project')
      const source = join(folder, 'source')
      const names = Array.from({ length: FILES }, (_, index) => `d${index % FOLDERS}/f${index}`)
      for (let index = 0; index < FOLDERS; index++) {
        for (const place of [project, source]) {
          mkdirSync(join(place, `d${index}`), { recursive: true })
        }
      }
      const session = await startSession(folder, project)
      fill(project, names)
      const { uuid: first } = await session.snapshotFiles(names)
      fill(project, names)
      const { uuid: second } = await session.snapshotFiles(names)
      fill(source, names)
      const wanted = [first, second]
      const compared = await compareSamples(
        {
          ours: () => rewind(session, wanted.reverse()[1]),
          baseline: () => copy(source, folder),
        },
        isQuick ? 8 : 30,
      )
      check(project, names)
      await session.release()
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  },
]

async function startSession(folder, project) {
  const { createSession } = await loadSessions()
  const root = join(folder, 'store')
  return createSession({ root, home: root, project, continuity: false })
}

function fill(place, names) {
  const bytes = Buffer.alloc(FILE_BYTES)
  for (const name of names) writeFileSync(join(place, name), randomFillSync(bytes))
}

async function rewind(session, to) {
  const start = performance.now()
  const plan = await session.planFileRewind({ to })
  const { files } = await session.applyFileRewind(plan)
  const micros = (performance.now() - start) * 1000
  const done = files.filter(({ failure }) => failure === undefined).length
  if (done !== FILES) throw new Error(`${done} files came back`)
  return micros
}

/** To a new place each time: what was removed just before is given out again much faster. */
function copy(from, folder) {
  const to = mkdtempSync(join(folder, 'copy-'))
  const start = performance.now()
  const { status } = spawnSync('cp', ['-r', from, to])
  if (status !== 0) throw new Error('cp failed')
  return (performance.now() - start) * 1000
}

function check(place, names) {
  for (const name of names) {
    if (readFileSync(join(place, name)).length !== FILE_BYTES) throw new Error(`${name} is cut`)
  }
}
