import type { ListedMessage } from './messages.mjs'

export interface WordingRule {
  readonly name: string
  readonly theirs: RegExp
  readonly ours: RegExp
}

export function compareMessages(
  theirs: readonly ListedMessage[],
  ours: readonly ListedMessage[],
  wording?: readonly WordingRule[],
): { verdict: 'equal' | 'wording' | 'wrong'; diff: string[]; rules: string[] }
