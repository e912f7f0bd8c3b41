// What is measured: the built package, as its users get it, and for modules without a public entry point
// the module itself. Paths are built here, because this folder is a package of its own and cannot import
// the one around it by name.

import { existsSync } from 'node:fs'

const LOG = new URL('../dist/lib/log/public.js', import.meta.url)
export const LIBRARY = new URL('../dist/lib/index.js', import.meta.url)
const FORMAT = new URL('../dist/modules/lib/format/index.js', import.meta.url)
const REDACTION = new URL('../dist/modules/lib/redaction/index.js', import.meta.url)
const CONTINUITY = new URL('../dist/modules/lib/continuity/index.js', import.meta.url)
const STORE = new URL('../dist/modules/lib/store/index.js', import.meta.url)

export const BINARY = new URL('../dist/bin/jsonl-session.cjs', import.meta.url).pathname

if (!existsSync(LOG)) throw new Error('dist/ is missing: "npm run bench" builds it first')

export const { appendOnce, indexUuids, openLog, readLogBackwardSync, readLogSync } = await import(
  LOG.href
)

/** Whole sessions; loaded by those who measure them, because memory is part of the measure. */
export const loadSessions = () => import(LIBRARY.href)

export const loadFormat = () => import(FORMAT.href)

export const loadStore = () => import(STORE.href)
export const loadRedaction = () => import(REDACTION.href)
export const loadContinuity = () => import(CONTINUITY.href)
