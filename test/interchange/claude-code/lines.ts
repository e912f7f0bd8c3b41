// Lines of a Claude Code transcript for tests, and what an import makes of them.

import {
  importValues,
  type MadeOf,
  projectEvents,
  shownTexts,
} from '../../contracts/foreign-files.js'

export const line = (
  type: string,
  uuid: string,
  parentUuid: string | null,
  content: unknown,
  more = {},
) => ({
  ...{ type, uuid, parentUuid, sessionId: 's' },
  message: { role: type, content },
  ...more,
})

export const user = (uuid: string, parent: string | null, content: unknown, more?: object) =>
  line('user', uuid, parent, content, more)

export const reply = (uuid: string, parent: string | null, content: unknown, more?: object) =>
  line('assistant', uuid, parent, content, more)

/** A block of a reply; all blocks of one have its id. */
export const block = (uuid: string, parent: string, content: object, id = 'r1') =>
  reply(uuid, parent, '', { message: { role: 'assistant', id, content: [content] } })

export const call = (uuid: string, parent: string, id: string, reply = 'r1') =>
  block(uuid, parent, { type: 'tool_use', id, name: 'Bash', input: {} }, reply)

export const result = (uuid: string, parent: string, tool_use_id: string) =>
  user(uuid, parent, [{ type: 'tool_result', tool_use_id, content: `result of ${tool_use_id}` }])

export const compaction = (uuid: string, compactMetadata: object) => ({
  ...{ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, sessionId: 's' },
  compactMetadata,
})

export const summary = (uuid: string, parent: string, text: string) =>
  user(uuid, parent, text, { isCompactSummary: true })

export const madeOf = (...values: readonly object[]): MadeOf => importValues('claude-code', values)

export const textsOf = (...values: readonly object[]): string[] =>
  shownTexts(projectEvents(madeOf(...values).events))
