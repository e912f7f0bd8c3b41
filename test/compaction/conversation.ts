// Conversations in both shapes tools are recorded in, as a log would hold them.

import { type Message, projectLog } from '../../lib/chain/index.js'
import { History } from '../chain/history.js'

/**
 * `u1 c1:t1 r1:t1 a1`: names, and of tools the call they are about. The first letter is the
 * type: u(ser), a(ssistant), c(all), r(esult), C and R (the same as blocks), s(ystem).
 */
export function conversation(text: string, history = new History()): History {
  for (const step of text.split(/\s+/).filter(Boolean)) {
    const [name = '', id = ''] = step.split(':')
    history.add({ uuid: name, ...spoken(name, id) })
  }
  return history
}

function spoken(name: string, id: string): { type: string; payload: object } {
  switch (name[0]) {
    case 'a':
      return { type: 'assistant', payload: { content: `reply ${name}` } }
    case 'c':
      return { type: 'tool_call', payload: { tool_call_id: id, name: 'tool', input: { name } } }
    case 'r':
      return {
        type: 'tool_result',
        payload: { tool_call_id: id, content: `result ${name}`, is_error: false },
      }
    case 'C':
      return { type: 'assistant', payload: { content: id.split(',').map(toolUse) } }
    case 'R':
      return { type: 'user', payload: { content: id.split(',').map(toolResult) } }
    case 's':
      return { type: 'system', payload: { content: `note ${name}` } }
    default:
      return { type: 'user', payload: { content: `prompt ${name}` } }
  }
}

const toolUse = (id: string) => ({ type: 'tool_use', id, name: 'tool', input: {} })
const toolResult = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })

export function projectionOf(history: History) {
  return projectLog(history.events, { file: history.file }).projection
}

export function namesOf(messages: readonly Message[]): string {
  return messages.map(({ uuid }) => uuid).join(' ')
}

/** Messages of the user and replies in turn, all of one length. */
export function longTalk(count: number, length = 40, history = new History()): History {
  for (let number = 1; number <= count; number++) {
    const type = number % 2 === 1 ? 'user' : 'assistant'
    const content = `${number} `.padEnd(length, 'x')
    history.add({ type, uuid: `m${number}`, payload: { content } })
  }
  return history
}
