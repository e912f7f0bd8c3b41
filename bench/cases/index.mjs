// All cases, in the order of the table.
//
// A case has a name, `measure`, and the rows it fills; one with a single row has its fields itself.

import { NotInstalled } from '../peers.mjs'
import { appendCases } from './append.mjs'
import { catalogCases } from './catalog.mjs'
import { checkpointCases } from './checkpoints.mjs'
import { commandLineCases } from './command-line.mjs'
import { continuityCases } from './continuity.mjs'
import { fileCases } from './files.mjs'
import { grepCases } from './grep.mjs'
import { historyCases } from './history.mjs'
import { hookCases } from './hooks.mjs'
import { importCases } from './import.mjs'
import { processCases } from './processes.mjs'
import { readCases } from './read.mjs'
import { redactionCases } from './redaction.mjs'
import { sessionCases } from './session.mjs'
import { writtenCases } from './written.mjs'

export const cases = [
  ...appendCases,
  ...processCases,
  ...readCases,
  ...sessionCases,
  ...catalogCases,
  ...writtenCases,
  ...redactionCases,
  ...historyCases,
  ...grepCases,
  ...continuityCases,
  ...checkpointCases,
  ...hookCases,
  ...fileCases,
  ...importCases,
  ...commandLineCases,
]

/** It returns what was measured for every row of the case, or why nothing was. */
export async function measureCase({ name, ...context }) {
  const { measure } = cases.find((candidate) => candidate.name === name)
  try {
    return { measured: await measure(context) }
  } catch (error) {
    if (error instanceof NotInstalled) return { skipped: error.message }
    throw error
  }
}

/** The rows of a case, each with all that the table says about it but the figures. */
export function rowsOf({ name, durability, rows, ...single }) {
  return (rows ?? [single]).map(({ against, unit = '×', target = null }) => ({
    name,
    against,
    durability,
    unit,
    target,
  }))
}
