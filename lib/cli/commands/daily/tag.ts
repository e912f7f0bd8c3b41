// The tags of a session.

import { tagSession } from '../../../session/index.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { findSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `+tag adds a tag, -tag removes one; without either the tags are printed. A tag is one word of
letters, digits and _ . @ # : / + -. \`list --tag\` finds sessions by it. A session that continues
another one has its tags until it gets its own. The tag \`pinned\` puts a session first on the
screen, and archive, trash and prune keep it.

Examples:
  $ jsonl-session tag demo +pinned +parser -draft
  demo: pinned parser

  $ jsonl-session tag demo --json
  {"sessionId":"demo","tags":["pinned","parser"],"changed":false,"queued":false}

Exit codes:
  0 changed, queued, shown, or nothing to change · 2 wrong use, or failed · 3 not found
`

export const tag: Command = {
  name: 'tag',
  summary: 'Add tags to a session, remove or print them',
  operand: '<session> [change...]',
  operandText: ['the session', '+tag adds a tag, -tag removes one'],
  hasSignedOperands: true,
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    const id = findSession(call, call.operands[0]!)
    const changes = readChanges(call)
    const isDryRun = call.has('dry-run')
    const tagged = await tagSession(call.store, id, { ...changes, dryRun: isDryRun })
    const { sessionId, tags, changed, queued } = tagged
    const names = tags.length === 0 ? 'no tags' : tags.join(' ')
    if (isDryRun) {
      return answerDryRun(call, { sessionId, tags, changed }, `would be ${sessionId}: ${names}`)
    }
    const later = queued ? ' (queued: the process that has it open will write it)' : ''
    return answer(call, { sessionId, tags, changed, queued }, `${sessionId}: ${names}${later}`)
  },
}

function readChanges(call: Call): { add: string[]; remove: string[] } {
  const add: string[] = []
  const remove: string[] = []
  for (const change of call.operands.slice(1)) {
    const [sign, name] = [change[0], change.slice(1)]
    if (sign !== '+' && sign !== '-') {
      throw new UsageError(
        `"${change}" is no change: use +${change} to add it, -${change} to remove it`,
      )
    }
    const names = sign === '+' ? add : remove
    names.push(name)
  }
  return { add, remove }
}
