// The importers there are, in the order in which they are asked. Who adds one adds it here.

import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { gemini } from './gemini.js'
import type { Importer } from './importer.js'
import { pi } from './pi.js'

export const IMPORTERS: readonly Importer[] = [claudeCode, codex, pi, gemini]

export function findImporter(format: string): Importer | undefined {
  return IMPORTERS.find((importer) => importer.format === format)
}
