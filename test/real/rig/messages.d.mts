export interface ListedMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly kind: 'text' | 'thinking' | 'call' | 'result' | 'image' | 'other'
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  /** `null`: the protocol of the client does not say. */
  readonly isError?: boolean | null
}

export function toMessageList(
  messages: readonly { readonly type: string; readonly payload: unknown }[],
): ListedMessage[]
