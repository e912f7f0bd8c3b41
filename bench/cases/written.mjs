// Bytes handed to the kernel for each byte of content: what a session costs beyond what it keeps.

import { join } from 'node:path'
import { NotInstalled } from '../peers.mjs'
import { runInChild } from '../processes.mjs'

const SESSIONS = [
  { against: 'a session of 400 messages of 2 KB', options: {} },
  { against: 'the same, with five compactions', options: { compactions: 5 } },
  { against: 'the same, with prompts and checkpoints', options: { checkpoints: true } },
]

export const writtenCases = [
  {
    name: 'bytes-written',
    durability: 'none',
    rows: SESSIONS.map(({ against }) => ({ against, unit: '× content' })),
    async measure({ folder }) {
      const measured = []
      for (const [index, { options }] of SESSIONS.entries()) {
        const own = join(folder, `session-${index}`)
        const said = await runInChild('written', { way: 'session', folder: own, ...options })
        if (said.skipped !== undefined) throw new NotInstalled(said.skipped)
        measured.push({ value: said.ratio })
      }
      return measured
    },
  },
]
