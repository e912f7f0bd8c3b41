export interface ListedMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly kind: 'text' | 'thinking' | 'call' | 'result' | 'image' | 'other'
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly isError?: boolean
}

export function toMessageList(
  messages: readonly { readonly type: string; readonly payload: unknown }[],
): ListedMessage[]
