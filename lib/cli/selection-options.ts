// How sessions are chosen by the commands that make room.

import type { OptionSpec } from './command.js'

export const SELECTION_OPTIONS: readonly OptionSpec[] = [
  { name: 'older-than', value: 'AGE', text: 'all in which nothing happened for so long: 30d, 12h' },
  { name: 'project', value: 'DIR', text: 'only those of this project' },
  { name: 'apply', text: 'do it' },
]
