// Our plugin in the real OpenCode, for `npm run real -- opencode hooks`: what is recorded of a session, and
// what the next one is given after kill -9.

import { setTimeout as sleep } from 'node:timers/promises'
import { compareLines, findLeaks, installHooks, listRecorded } from '../rig/hook-store.mjs'
import { completions } from '../rig/wire/completions.mjs'
import { installOpencode, OpencodeHome, VERSION } from './driver.mjs'

const TITLES = /title generator/

/** `live(home)` returns the lines that the log of the first session should have. */
function scenario(name, live, { recovers = [] } = {}) {
  return {
    name,
    async run(context) {
      const home = new OpencodeHome(context)
      installHooks('opencode', home.home)
      const wanted = await live(home)
      const [first] = listRecorded(home.home)
      const before = context.server.requests.length
      await home.ask('a new session')
      const sent = context.server.requests
        .slice(before)
        .find(({ body }) => !TITLES.test(JSON.stringify(body.messages[0])))
      const given = JSON.stringify(sent.body.messages.slice(1))
      const problems = findLeaks(home.home).map((path) => `permission state in ${path}`)
      const missing = recovers.filter((word) => !given.includes(word))
      problems.push(...missing.map((word) => `the next session was not given "${word}"`))
      const next = listRecorded(home.home).at(-1).messages[0]
      if (next !== 'user: a new session') problems.push(`the next prompt is recorded as ${next}`)
      return compareLines(wanted, first?.messages ?? [], problems)
    },
  }
}

const turn = (number, prompt) => [
  `user: ${prompt}`,
  `assistant: Saying before call ${number}.`,
  'call: echo hi',
  'result: hi',
]

export default {
  name: 'opencode-hooks',
  version: VERSION,
  protocols: [completions],
  install: installOpencode,
  scenarios: [
    scenario(
      'a turn with a call',
      async (home) => {
        await home.ask('SAY TOOL echo hi')
        return [...turn(1, 'SAY TOOL echo hi'), 'assistant: REPLY-1 to [SAY TOOL echo hi]']
      },
      { recovers: ['Session Recovery', '- SAY TOOL echo hi'] },
    ),
    scenario(
      'a second turn by --continue',
      async (home) => {
        await home.ask('one')
        await home.ask('two', ['--continue'])
        return [
          'user: one',
          'assistant: REPLY-1 to [one]',
          'user: two',
          'assistant: REPLY-2 to [two]',
        ]
      },
      { recovers: ['Total Prompts: 2', '- two'] },
    ),
    scenario(
      'kill in a call of turn 1',
      async (home) => {
        const { kill, ended } = home.start('remember the heron TOOL sleep 61')
        await home.waitForEvent('tool_call')
        await sleep(500)
        kill()
        await ended
        return ['user: remember the heron TOOL sleep 61', 'call: sleep 61']
      },
      { recovers: ['remember the heron', 'bash sleep 61 (no result)'] },
    ),
  ],
}
