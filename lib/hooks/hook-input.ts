// The fields of a hook's event, under the names that harnesses give them. Whatever is not asked
// for here is never stored: permission modes and suggestions among it.

export type HookFields = Readonly<Record<string, unknown>>

/** The first of these fields that holds words. */
export function textIn(fields: HookFields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** The first of these fields that is there. */
export function valueIn(fields: HookFields, ...names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined)
}

export function sessionIdIn(fields: HookFields): string | undefined {
  return textIn(fields, 'session_id', 'sessionId', 'sessionKey', 'session_key')
}

export function promptIn(fields: HookFields): string | undefined {
  return textIn(fields, 'prompt', 'userMessage', 'user_message', 'user_prompt', 'userPrompt')
}

export function promptIdIn(fields: HookFields): string | undefined {
  return textIn(fields, 'prompt_id', 'promptId')
}

/** Of a hook that fires inside of a subagent; its `agent_type` alone says nothing. */
export function agentIdIn(fields: HookFields): string | undefined {
  return textIn(fields, 'agent_id')
}

export function agentTypeIn(fields: HookFields): string | undefined {
  return textIn(fields, 'agent_type')
}

const LAST_MESSAGE = [
  'last_assistant_message',
  'lastAssistantMessage',
  'assistant_message',
  'assistantMessage',
  'last_message',
  'lastMessage',
]

/** What the model said last, told as a text or as the end of a list of messages. */
export function lastMessageIn(fields: HookFields): string | undefined {
  const told = textIn(fields, ...LAST_MESSAGE)
  const { messages } = fields
  if (told !== undefined || !Array.isArray(messages)) return told
  const last = messages.findLast(
    (message: { role?: unknown } | null) => message?.role === 'assistant',
  ) as { content?: unknown } | undefined
  return wordsIn(last?.content)
}

function wordsIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content.trim() === '' ? undefined : content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block: { text?: unknown } | null) =>
    typeof block?.text === 'string' ? block.text : [],
  )
  return texts.length === 0 ? undefined : texts.join('\n')
}
