// What the picker does to a session: rename, fork, move to the trash. A failure is shown in the picker,
// which stays open.

import { forkSession, renameSession } from '../../session/index.js'
import { retireSessions, type StoreContext } from '../../store/index.js'
import { type Choice, type PickAction, type PickChange, toChoice } from './model.js'

/** The action that the picker calls. `toSessionChoice` makes the row of a new session. */
export function pickActions(
  store: StoreContext,
  toSessionChoice: (path: string) => Choice | undefined,
): (action: PickAction) => Promise<PickChange> {
  const actions = {
    rename: async ({ choice, title }: PickAction) => {
      const { queued } = await renameSession(store, choice.id, title)
      const later = queued ? '; the process that has it open will write it' : ''
      const replaced = toChoice({ ...choice, title })
      replaced.search.prompts = choice.search.prompts
      return { note: `Renamed: ${title}${later}`, replaced }
    },
    fork: async ({ choice }: PickAction) => {
      const { sessionId, transcriptPath } = forkSession(store, choice.id)
      const added = toSessionChoice(transcriptPath)
      return { note: `Forked into ${sessionId}`, ...(added !== undefined && { added }) }
    },
    trash: async ({ choice: { id } }: PickAction) => {
      const { kept } = await retireSessions(store, { sessions: [id], to: 'trash', apply: true })
      const [refused] = kept
      if (refused !== undefined) return { note: `Not moved: ${refused.reason}` }
      const undo = `jsonl-session trash restore ${id} --apply`
      return { note: `In the trash; undo with: ${undo}`, removed: id }
    },
  }
  return async (action) => {
    try {
      return await actions[action.kind](action)
    } catch (error) {
      return { note: `Failed: ${(error as Error).message}` }
    }
  }
}
