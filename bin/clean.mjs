// Removes what an earlier build left, so that no file of a removed module is packed.

import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
