// What a listing could not look into, on stderr: one line for each.

import type { Skipped } from '../store/index.js'
import type { Call } from './command.js'
import { toPlainText } from './plain-text.js'

export function tellSkipped({ notes }: Call, skipped: readonly Skipped[]): void {
  for (const { path, reason } of skipped) notes.say(`skipped ${toPlainText(path)}: ${reason}`)
}
