// All importers, by the contract that any new one must keep, too.

import { expect, it } from 'vitest'
import { IMPORTERS } from '../../lib/importers/index.js'
import { foreignCases } from '../contracts/foreign-files.js'
import { importerContract } from '../contracts/importer.js'

for (const importer of IMPORTERS) importerContract(importer, foreignCases(importer.format))

it('every importer has a name of its own', () => {
  expect(new Set(IMPORTERS.map(({ format }) => format)).size).toBe(IMPORTERS.length)
})
