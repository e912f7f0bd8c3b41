// Our hooks in the real Gemini CLI, for `npm run real -- gemini hooks`: what is recorded of a session, and what
// the next one is given after kill -9.

import { setTimeout as sleep } from 'node:timers/promises'
import { compareLines, findLeaks, installHooks, listRecorded } from '../rig/hook-store.mjs'
import client from './client.mjs'
import { GeminiHome } from './driver.mjs'

/** `live(home)` returns the lines that the log of the first session should have. */
function scenario(name, live, { recovers = [], needsTerminal } = {}) {
  return {
    name,
    needsTerminal,
    async run(context) {
      const home = new GeminiHome(context)
      installHooks('gemini', home.home)
      const wanted = await live(home)
      const [first] = listRecorded(home.home)
      const problems = findLeaks(home.home).map((path) => `permission state in ${path}`)
      if (recovers.length > 0) {
        const before = context.server.requests.length
        await home.ask('a new session')
        const sent = JSON.stringify(firstChat(context.server.requests.slice(before)))
        problems.push(
          ...recovers
            .filter((word) => !sent.includes(word))
            .map((word) => `the next session was not given "${word}"`),
        )
        const next = listRecorded(home.home).at(-1).messages[0]
        if (next !== 'user: a new session') problems.push(`the next prompt is recorded as ${next}`)
      }
      return compareLines(wanted, first?.messages ?? [], problems)
    },
  }
}

function firstChat(requests) {
  return requests.find(({ path }) => path.endsWith(':streamGenerateContent'))?.body.contents ?? ''
}

const replyTo = (number, prompt) => `assistant: REPLY-${number} to [${prompt}]`

export default {
  ...client,
  scenarios: [
    scenario('a turn with a call', async (home) => {
      await home.ask('SAY TOOL echo hi')
      return [
        'user: SAY TOOL echo hi',
        'assistant: Saying before call 1.',
        'call: echo hi',
        'result: hi',
        replyTo(1, 'SAY TOOL echo hi'),
      ]
    }),
    scenario('equal calls, one after the other', async (home) => {
      await home.ask('TOOL echo same')
      await home.ask('TOOL echo same', '--resume', 'latest')
      const turn = (number) => [
        'user: TOOL echo same',
        'call: echo same',
        'result: same',
        replyTo(number, 'TOOL echo same'),
      ]
      return [...turn(1), ...turn(2)]
    }),
    scenario('a failed call', async (home) => {
      const prompt = 'CALL read_file {"file_path":"no.txt"}'
      await home.ask(prompt)
      return [
        `user: ${prompt}`,
        'call: {"file_path":"no.txt"}',
        'error: Could not read file because no file was found at the specified path.',
        replyTo(1, prompt),
      ]
    }),
    scenario(
      'kill in a call of turn 1',
      async (home) => {
        const { kill, ended } = home.start('remember the heron TOOL sleep 61')
        await home.waitForCommand('sleep 61')
        kill()
        await ended
        return ['user: remember the heron TOOL sleep 61', 'call: sleep 61']
      },
      { recovers: ['Session Recovery', 'remember the heron', 'sleep 61'] },
    ),
    scenario(
      'two turns on the screen, then kill',
      async (home) => {
        const terminal = await home.open()
        await home.say('remember the stork', /REPLY-1/)
        await home.say('TOOL echo two', /REPLY-2/)
        await home.submit('and the crane HANG')
        await home.waitForRequest('and the crane')
        await sleep(300)
        terminal.kill()
        terminal.close()
        return [
          'user: remember the stork',
          replyTo(1, 'remember the stork'),
          'user: TOOL echo two',
          'call: echo two',
          'result: two',
          replyTo(2, 'TOOL echo two'),
          'user: and the crane HANG',
        ]
      },
      { needsTerminal: true, recovers: ['Session Recovery', 'the crane'] },
    ),
  ],
}
