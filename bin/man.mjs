// Writes the man page, dist/man/jsonl-session.1, from the modules that were built before.

import { mkdirSync, writeFileSync } from 'node:fs'
import { manPage } from '../dist/modules/lib/cli/man/index.js'

mkdirSync('dist/man', { recursive: true })
writeFileSync('dist/man/jsonl-session.1', await manPage())
