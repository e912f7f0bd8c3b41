import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { planFileRewind, resumeSession } from '../../lib/index.js'
import { startWork, type Work } from './project.js'

const CHILD = fileURLToPath(new URL('children/restore.mjs', import.meta.url))
const NAMES = Array.from({ length: 200 }, (_, index) => `d${index % 7}/f${index}.txt`)

const isTemporary = (name: string) => name.endsWith('.tmp')
const changed = ({ read }: Work) => NAMES.filter((name) => read(name).startsWith('old')).length
const temporaries = ({ project }: Work) =>
  readdirSync(project, { recursive: true, encoding: 'utf8' }).filter(isTemporary)

test.for([
  {
    moment: 'while contents are prepared',
    isReached: (work: Work) => temporaries(work).length > 5,
  },
  { moment: 'while files are replaced', isReached: (work: Work) => changed(work) > 5 },
])(
  'killed $moment, every file is old or new, and a second call finishes the restore',
  async (scene, t) => {
    const work = await startWork(t)
    const { root, session } = work
    for (const name of NAMES) work.write(name, `old ${name}`)
    await work.say('u1')
    await session.snapshotFiles(NAMES)
    for (const name of NAMES) work.write(name, `new ${name}`)
    await session.snapshotFiles(NAMES)
    await session.release()

    const child = spawn(process.execPath, [CHILD, root, session.id, 'u1'])
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    while (child.exitCode === null && !scene.isReached(work)) await setImmediate()
    child.kill('SIGKILL')
    await ended

    for (const name of NAMES) expect([`old ${name}`, `new ${name}`]).toContain(work.read(name))
    const options = { root, home: root, id: session.id, mode: 'append' } as const
    const again = (await resumeSession(options)).session!
    await again.applyFileRewind(await again.planFileRewind({ to: 'u1' }))
    await again.release()
    expect(changed(work)).toBe(NAMES.length)
    expect(temporaries(work)).toEqual([])
    const plan = await planFileRewind(session.id, { root, home: root, to: 'u1' })
    expect(plan).toMatchObject({ files: [], unchanged: NAMES.length })
    expect(readFileSync(join(work.project, NAMES[0]!), 'utf8')).toBe(`old ${NAMES[0]}`)
  },
)
