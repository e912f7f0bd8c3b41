// A project with files in it, and a session that works on them.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { createSession } from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

export interface Work {
  readonly root: string
  readonly project: string
  readonly session: Session
  readonly diagnostics: Diagnostic[]
  write(path: string, content: string | Buffer, mode?: number): void
  read(path: string): string
  /** Every file of the project and what is in it. */
  files(): Record<string, string>
  /** Appends a message and returns its uuid. */
  say(uuid: string): Promise<string>
  /** Saves, and then changes a file, as a harness does around an edit. */
  edit(path: string, content: string): Promise<void>
}

export async function startWork(
  t: Pick<TestContext, 'onTestFinished'>,
  id = 'demo',
  { root = temporaryFolder(t), project = realpathSync(temporaryFolder(t)) } = {},
): Promise<Work> {
  const diagnostics: Diagnostic[] = []
  const session = await createSession({
    root,
    home: root,
    id,
    project,
    continuity: false,
    onDiagnostic: (it) => diagnostics.push(it),
  })
  t.onTestFinished(() => session.release())
  return workIn(session, { root, project, diagnostics })
}

export function workIn(
  session: Session,
  place: Pick<Work, 'root' | 'project' | 'diagnostics'>,
): Work {
  const { project } = place
  const work: Work = {
    ...place,
    session,
    write(path, content, mode) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), content, { mode })
    },
    read: (path) => readFileSync(join(project, path), 'utf8'),
    files() {
      const names = readdirSync(project, { recursive: true, encoding: 'utf8' }).sort()
      const paths = names.filter((name) => statSync(join(project, name)).isFile())
      return Object.fromEntries(paths.map((path) => [path, work.read(path)]))
    },
    async say(uuid) {
      await session.append({ type: 'user', uuid, payload: { content: uuid } })
      return uuid
    },
    async edit(path, content) {
      await session.snapshotFiles([path])
      work.write(path, content)
      await session.snapshotFiles([path])
    },
  }
  return work
}
