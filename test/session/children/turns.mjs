// Works in a session until it is killed. Arguments: the root, the project, the id, and how many turns
// are complete before the one in which it is killed.

import { createSession } from '../../../dist/lib/index.js'

const [root, project, id, turns] = process.argv.slice(2)
const session = await createSession({ root, home: root, id, project })
const say = (type, payload) => session.append({ type, payload })
for (let turn = 1; turn <= Number(turns) + 1; turn++) {
  await session.prompt(`Turn ${turn}: repair the parser`)
  await say('tool_call', {
    tool_call_id: `r${turn}`,
    name: 'Read',
    input: { path: `lib/${turn}.ts` },
  })
  await say('tool_result', { tool_call_id: `r${turn}`, content: 'text', is_error: false })
  await say('tool_call', { tool_call_id: `t${turn}`, name: 'Bash', input: { command: 'npm test' } })
  if (turn > Number(turns)) break
  await say('tool_result', { tool_call_id: `t${turn}`, content: 'ok', is_error: false })
  await say('assistant', { content: `Turn ${turn} is done.` })
  await session.checkpoint({ digest: `Digest of turn ${turn}`, trigger: 'agent' })
}
process.stdout.write('ready\n')
setInterval(() => {}, 1 << 30)
