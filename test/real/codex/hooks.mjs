// Our hooks in the real Codex, for `npm run real -- codex hooks`: what is recorded of a session, and what the
// next one is given after kill -9. Codex runs hooks only that its user trusts; the rig has a flag for that.

import { compareLines, findLeaks, installHooks, listRecorded } from '../rig/hook-store.mjs'
import client from './client.mjs'
import { Codex } from './driver.mjs'

const args = ['--dangerously-bypass-hook-trust']

/** `live(codex)` returns the lines that the log of the first session should have. */
function scenario(name, live, { recovers = [], settings } = {}) {
  return {
    name,
    async run({ folder, server, installed }) {
      const codex = new Codex({ folder, server, ...installed.current, settings })
      installHooks('codex', codex.home)
      try {
        const wanted = await live(codex, server)
        const [first] = listRecorded(codex.home)
        const problems = findLeaks(codex.home).map((path) => `permission state in ${path}`)
        if (recovers.length > 0) {
          const before = server.requests.length
          await codex.exec('a new session', { args })
          const sent = server.requests.slice(before).find(({ path }) => /responses$/.test(path))
          const text = JSON.stringify(sent?.body.input ?? '')
          problems.push(
            ...recovers
              .filter((word) => !text.includes(word))
              .map((word) => `the next session was not given "${word}"`),
          )
        }
        return compareLines(wanted, first?.messages ?? [], problems)
      } finally {
        await codex.close()
      }
    },
  }
}

const replyTo = (number, prompt) => `assistant: REPLY-${number} to [${prompt}]`

export default {
  ...client,
  scenarios: [
    scenario('a turn with a call', async (codex) => {
      await codex.exec('TOOL echo hi', { args })
      return ['user: TOOL echo hi', 'call: echo hi', 'result: hi', replyTo(1, 'TOOL echo hi')]
    }),
    scenario('a second turn by resume', async (codex) => {
      const resume = await codex.exec('TOOL echo same', { args })
      await codex.exec('TOOL echo same', { args, resume })
      const turn = (number) => [
        'user: TOOL echo same',
        'call: echo same',
        'result: same',
        replyTo(number, 'TOOL echo same'),
      ]
      return [...turn(1), ...turn(2)]
    }),
    scenario('hooks that are not trusted do not run', async (codex) => {
      await codex.exec('TOOL echo hi')
      return []
    }),
    scenario(
      'kill in a call of turn 1',
      async (codex) => {
        const isCalled = () =>
          listRecorded(codex.home)[0]?.messages.includes('call: sleep 61') === true
        await codex.exec('remember the heron TOOL sleep 61', { args, killWhen: isCalled })
        return ['user: remember the heron TOOL sleep 61', 'call: sleep 61']
      },
      { recovers: ['Session Recovery', 'remember the heron', 'sleep 61'] },
    ),
  ],
}
