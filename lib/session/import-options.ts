// What an import is asked for, and whose file it is given.

import { SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import {
  detectFormat,
  findImporter,
  IMPORTERS,
  type Importer,
  type Refusal,
  type SourceFacts,
} from '../importers/index.js'
import type { ForeignSource } from '../store/index.js'
import type { SessionOptions } from './settings.js'

export interface ImportOptions extends SessionOptions {
  /**
   * Which program wrote it: `claude-code`, `codex`, `pi` or `gemini`; `jsonl-session` for an export
   * of ours.
   *
   * @default 'auto': by what stands in it
   */
  from?: string | undefined
  /** Writes nothing, and tells what would be. @default false */
  dryRun?: boolean | undefined
  /** Leaves a copy of the source in the store, named by its hash. @default false */
  keepSource?: boolean | undefined
  /** Is told now and then how far it is. */
  onProgress?: ((done: ImportProgress) => void) | undefined
}

export interface ImportProgress {
  readonly path: string
  readonly bytes: number
  readonly size: number
}

interface Identified {
  readonly importer: Importer
  readonly facts: SourceFacts
}

export function identify(
  source: ForeignSource,
  { from = 'auto' }: Pick<ImportOptions, 'from'>,
): Identified | { readonly reason: Refusal } {
  const importers = from === 'auto' ? IMPORTERS : [importerOf(from)]
  const detection = detectFormat(source.head(), { importers })
  if ('refusal' in detection) return { reason: detection.refusal }
  const { importer, first } = detection
  const facts = importer.describe(
    first.map(({ value }) => value),
    source.name,
  )
  return { importer, facts: { ...facts, session_id: normalizeSessionKey(facts.session_id) } }
}

function importerOf(format: string): Importer {
  const importer = findImporter(format)
  if (importer !== undefined) return importer
  const known = IMPORTERS.map((one) => one.format).join(', ')
  throw new SessionError('ERR_ARG', `"${format}" is no known format: ${known}`, { from: format })
}
