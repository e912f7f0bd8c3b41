// `view` on a real terminal of 80 columns, and where there is none.

import { describe, expect, it } from 'vitest'
import { runCli } from '../command-line.js'
import { CHAT, newPlace, storeSession } from '../stored.js'
import { hasTerminals, playTerminal } from '../terminal.js'

describe.runIf(hasTerminals)('view on a terminal', () => {
  it('opens at the end, goes to an event, searches, and gives the terminal back', async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo', { said: CHAT })
    const played = await playTerminal(['view', 'demo'], place, {
      env: { NO_COLOR: '1' },
      steps: [
        { wait: 'Two files.', send: 'g' },
        { wait: 'session_header', send: 'p' },
        { wait: '▌ User', send: '/list\r' },
        { wait: 'list the files', send: 'l' },
        { wait: 'what the model sees', send: 'q' },
      ],
    })
    expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
    expect(played.seen).toContain('→ Bash ls  ✓ 2 lines')
  })

  it('begins at the event of --at, named by the beginning of its id', async (t) => {
    const place = newPlace(t)
    const said = [['user', 'first-prompt', 'one'], ...CHAT] as const
    await storeSession(place, 'demo', { said })
    const played = await playTerminal(['view', 'demo', '--at', 'first-'], place, {
      env: { NO_COLOR: '1' },
      steps: [{ wait: '▌ User', send: 'q' }],
    })
    expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  })

  it('ends on SIGTERM and gives the terminal back', async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo', { said: CHAT })
    const played = await playTerminal(['view', 'demo'], place, {
      env: { NO_COLOR: '1' },
      steps: [{ wait: 'Two files.', signal: 'SIGTERM' }],
    })
    expect(played.isGivenBack).toBe(true)
  })
})

describe('view without a terminal', () => {
  it('names the command that prints instead', async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo', { said: CHAT })
    const { exitCode, stderr } = await runCli(['view', 'demo'], place)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('jsonl-session show')
  })
})
