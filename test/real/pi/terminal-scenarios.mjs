// What a person does in the TUI of pi.

import { setTimeout as sleep } from 'node:timers/promises'
import { inTerminal, until } from './live.mjs'

export const terminalScenarios = [
  inTerminal('tui-tools-and-escape', async (pi, _, server) => {
    await pi.say('hello')
    await pi.waitFor('REPLY-1')
    await pi.say('TOOL echo one')
    await pi.waitFor('REPLY-2')
    const before = server.requests.length
    await pi.say('HANG here')
    await until(() => server.requests.length > before)
    await sleep(500)
    await pi.press('Escape')
    await pi.waitFor(/abort/i)
    await pi.say('after the abort')
    await pi.waitFor('REPLY-4 to [after')
  }),
  inTerminal('tui-tree-shell-and-name', async (pi) => {
    await pi.say('the first-prompt')
    await pi.waitFor('REPLY-1')
    await pi.say('a second-prompt')
    await pi.waitFor('REPLY-2')
    await pi.say('!echo by hand')
    await sleep(1000)
    await pi.say('/name Named in the TUI')
    await sleep(500)
    await pi.say('/tree')
    await pi.waitFor(/Session Tree/i)
    // From the shell command up to the first reply; then the choice not to summarize.
    await pi.press('Up', 'Up', 'Up', 'Enter')
    await pi.waitFor('Summarize branch?')
    await pi.press('Enter')
    await pi.say('another second')
    await pi.waitFor('REPLY-3')
  }),
  inTerminal('tui-killed-in-a-tool-and-resumed', async (pi, home) => {
    await pi.say('hello')
    await pi.waitFor('REPLY-1')
    await pi.say('SAY TOOL sleep 20')
    await pi.waitFor('sleep 20')
    await until(() => home.entries().at(-1)?.message?.role === 'assistant')
    pi.kill()
    const next = await home.terminal(['--continue'])
    await next.say('after the kill')
    await next.waitFor(/REPLY-\d to \[after the kill/)
    next.close()
  }),
  inTerminal('tui-compaction-and-queue', async (pi) => {
    await pi.say('BIG 1 first')
    await pi.waitFor('REPLY-1')
    await pi.say('/compact')
    await pi.waitFor(/compacted/i)
    await pi.say('TOOL sleep 2')
    await sleep(700)
    await pi.say('queued meanwhile')
    await pi.waitFor(/REPLY-\d to \[queued/)
  }),
]
