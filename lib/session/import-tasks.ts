// The logs of subagents that lie in files beside a transcript: whose they are, their bytes tell.

import type { Importer, SourceFacts } from '../importers/index.js'
import { ForeignSource, type ForeignTask, listForeignTasks } from '../store/index.js'
import { type ImportOptions, identify } from './import-options.js'

export interface TaskFile extends ForeignTask {
  readonly task_id: string
  readonly importer: Importer
  readonly facts: SourceFacts
}

/** Those of this session; what else lies there is somebody else's. */
export function listTasks(path: string, sessionId: string, options: ImportOptions): TaskFile[] {
  return listForeignTasks(path, sessionId).flatMap((file) => {
    const source = new ForeignSource(file.path)
    try {
      const known = identify(source, options)
      if ('reason' in known) return []
      const { importer, facts } = known
      // A file that names its session must name this one; others lie in a folder of its name.
      if (facts.task_id !== undefined && facts.session_id !== sessionId) return []
      return [{ ...file, importer, facts, task_id: facts.task_id ?? facts.session_id }]
    } finally {
      source.close()
    }
  })
}
