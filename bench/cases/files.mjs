// Files that come back: a whole rewind, from reading the transcript to the last rename, against
// copying the same files with cp. The calls that no such rewind can do without are measured, too.
//
// Every sample begins with the same transcript, which holds two file checkpoints, and writes its
// undo anew; what is timed is the call in a process that runs. cp is a process that starts, reads
// each file once, hashes nothing and replaces nothing.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FILE_BYTES, FILES, fill, makeFolders, NAMES, prepareBare } from '../bare-restore.mjs'
import { compareSamples } from '../harness.mjs'
import { loadSessions } from '../library.mjs'

export const fileCases = [
  {
    name: 'rewind-files',
    durability: 'files: none, record: turn',
    rows: [
      { against: `${FILES} files of 8 KiB, to cp -r`, unit: '× time', target: { most: 2 } },
      { against: 'only the calls it takes, to cp -r', unit: '× time' },
    ],
    async measure({ folder, isQuick }) {
      const source = join(folder, 'source')
      makeFolders(source)
      fill(source)
      const rewind = await prepareRewind(folder)
      const baseline = () => copy(source, folder)
      const rounds = isQuick ? 8 : 30
      const whole = await compareSamples({ ours: rewind, baseline }, rounds)
      check(join(folder, 'project'))
      const bare = await compareSamples({ ours: prepareBare(folder), baseline }, rounds)
      return [asTimes(whole), asTimes(bare)]
    },
  },
]

/** A ratio of times: less is better. */
function asTimes(compared) {
  return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
}

/** A function that rewinds once and says how long it took: to the one state, then to the other. */
async function prepareRewind(folder) {
  const { createSession, resumeSession } = await loadSessions()
  const root = join(folder, 'store')
  const project = join(folder, 'project')
  makeFolders(project)
  const store = { root, home: root, continuity: false }
  const { session, wanted } = await makeSession(() => createSession({ ...store, project }), project)
  const { id, path } = session
  const kept = join(folder, 'transcript')
  copyFileSync(path, kept)
  return async () => {
    copyFileSync(kept, path)
    removeManifests(join(root, 'file-history', id))
    const resumed = (await resumeSession({ ...store, id, mode: 'append' })).session
    const micros = await rewindOnce(resumed, wanted.reverse()[1])
    await resumed.release()
    return micros
  }
}

async function makeSession(create, project) {
  const session = await create()
  const wanted = []
  for (let state = 0; state < 2; state++) {
    fill(project)
    wanted.push((await session.snapshotFiles(NAMES)).uuid)
  }
  await session.release()
  return { session, wanted }
}

function removeManifests(history) {
  for (const name of readdirSync(history)) if (name.endsWith('.json')) rmSync(join(history, name))
}

async function rewindOnce(session, to) {
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

function check(place) {
  for (const name of NAMES) {
    if (readFileSync(join(place, name)).length !== FILE_BYTES) throw new Error(`${name} is cut`)
  }
}
