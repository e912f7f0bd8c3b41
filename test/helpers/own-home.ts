// No test reaches the home of whoever runs it: prompts of sessions without a home of their own go to
// a folder that is gone when the test file is.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'jsonl-session-home-'))
process.env['JSONL_SESSION_HOME'] = home
afterAll(() => rmSync(home, { recursive: true, force: true }))
