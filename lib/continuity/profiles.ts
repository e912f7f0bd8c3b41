// How much of what is known a session gets at its start. The numbers are part of the protocol.

import { SessionError } from '../errors.js'

export interface Profile {
  /** Summaries of earlier sessions. */
  readonly episodic: number
  readonly facts: number
  readonly tasks: number
  readonly constraints: number
}

export type StartMode =
  | 'default'
  | 'planning'
  | 'incident'
  | 'handoff'
  | 'deep'
  | 'minimal'
  | 'none'

export const PROFILES: Readonly<Record<StartMode, Profile>> = {
  default: { episodic: 3, facts: 5, tasks: 5, constraints: 10 },
  planning: { episodic: 1, facts: 8, tasks: 8, constraints: 10 },
  incident: { episodic: 5, facts: 8, tasks: 3, constraints: 10 },
  handoff: { episodic: 5, facts: 5, tasks: 8, constraints: 10 },
  deep: { episodic: 5, facts: 10, tasks: 5, constraints: 10 },
  minimal: { episodic: 1, facts: 3, tasks: 3, constraints: 3 },
  none: { episodic: 0, facts: 0, tasks: 0, constraints: 0 },
}

export function profileOf(mode: string): Profile {
  if (Object.hasOwn(PROFILES, mode)) return PROFILES[mode as StartMode]
  const modes = Object.keys(PROFILES).join(', ')
  throw new SessionError('ERR_ARG', `A mode is one of ${modes}, not "${mode}"`, { mode })
}
