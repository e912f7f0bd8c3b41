// Which program wrote a file, and which session it belongs to.

import { isAbsolute } from 'node:path'
import { SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import {
  detectFormat,
  findImporter,
  IMPORTERS,
  type Importer,
  type Refusal,
  type SourceFacts,
} from '../../interchange/index.js'
import { ForeignSource, listForeignTasks, type StoreContext } from '../../store/index.js'

export interface IdentifiedSource {
  readonly importer: Importer
  readonly facts: SourceFacts
}

/** A file with the log of a subagent. */
export interface TaskFile extends IdentifiedSource {
  readonly path: string
  readonly taskId: string
  readonly agentType?: string | undefined
  readonly toolCallId?: string | undefined
}

/** `from`: `auto`, or the only format to accept. */
export function importersFor(from: string): readonly Importer[] {
  return from === 'auto' ? IMPORTERS : [requireImporter(from)]
}

export function identifySource(
  source: ForeignSource,
  importers: readonly Importer[],
): IdentifiedSource | { readonly refusal: Refusal } {
  let detection = detectFormat(source.head(), { importers })
  if ('refusal' in detection && detection.refusal === 'spread_json' && source.joinLines()) {
    detection = detectFormat(source.head(), { importers })
  }
  if ('refusal' in detection) return detection
  const { importer, first } = detection
  const values = first.map(({ value }) => value)
  const facts = importer.describe(values, source.name)
  const cwd = facts.cwd ?? readProject(source, importer)
  return { importer, facts: { ...facts, cwd, sessionId: normalizeSessionKey(facts.sessionId) } }
}

/** The absolute path in the project file of the program, if there is one. */
function readProject(source: ForeignSource, { projectFile }: Importer): string | undefined {
  const text = projectFile === undefined ? undefined : source.readBeside(projectFile)?.trim()
  return text !== undefined && isAbsolute(text) ? text : undefined
}

/** Files beside the transcript that hold subagents of its session, by their content. */
export function listTaskFiles(
  store: StoreContext,
  path: string,
  sessionId: string,
  importers: readonly Importer[],
): TaskFile[] {
  return listForeignTasks(store, path, sessionId).flatMap((file) => {
    const source = new ForeignSource(store, file.path)
    try {
      const identified = identifySource(source, importers)
      if ('refusal' in identified) return []
      const { taskId, sessionId: owner } = identified.facts
      // A file that names its session must name this one; others are in a folder of its name.
      if (taskId !== undefined && owner !== sessionId) return []
      const { agent_type: agentType, tool_call_id: toolCallId } = file
      return [{ ...identified, path: file.path, agentType, toolCallId, taskId: taskId ?? owner }]
    } finally {
      source.close()
    }
  })
}

function requireImporter(format: string): Importer {
  const importer = findImporter(format)
  if (importer !== undefined) return importer
  const formats = IMPORTERS.map((one) => one.format).join(', ')
  const what = `"${format}" is not a known format: ${formats}`
  throw new SessionError('ERR_ARG', what, { from: format })
}
