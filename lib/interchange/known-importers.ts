// All importers, in the order in which they are tried. A new importer is added here and nowhere else.

import { claudeCode } from './claude-code/importer.js'
import { codex } from './codex/importer.js'
import { gemini } from './gemini/importer.js'
import type { Importer } from './import/importer.js'
import { pi } from './pi/importer.js'

export const IMPORTERS: readonly Importer[] = [claudeCode, codex, pi, gemini]

export function findImporter(format: string): Importer | undefined {
  return IMPORTERS.find((importer) => importer.format === format)
}
