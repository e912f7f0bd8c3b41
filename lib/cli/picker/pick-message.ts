// The second choice of `rewind --pick`: the message to continue from.

import { isGap, wordsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { findTranscript, loadSession, type StoreContext } from '../../store/index.js'
import { toPlainLines, toPlainText } from '../output/plain-text.js'
import { formatAge } from '../output/units.js'
import { type Choice, toChoice } from './model.js'
import { type PickerOptions, pickInTerminal } from './terminal.js'

/** The uuid of a message that the model sees, newest first; `undefined` when none was chosen. */
export async function pickMessage(
  store: StoreContext,
  session: string,
  terminal: Pick<PickerOptions, 'io' | 'colors'>,
): Promise<string | undefined> {
  const path = findTranscript(store, session)
  const texts = new Map<string, string>()
  const choices: Choice[] = []
  for (const entry of loadSession(store, path).log.projection.entries) {
    if (isGap(entry)) continue
    const { uuid, type, ts, payload } = entry.event
    const words = wordsOf(payload)
    if (words === '' || (type !== 'user' && type !== 'assistant')) continue
    texts.set(uuid, words)
    const about = `${type}, ${formatAge(ts, store.env.now())}`
    choices.unshift(toChoice({ id: uuid, title: toPlainText(words), about }))
  }
  if (choices.length === 0) {
    throw new SessionError('ERR_NOT_FOUND', `There is no message in ${path} yet`, { path })
  }
  const preview = ({ id }: Choice) => toPlainLines(texts.get(id)!)
  const picked = await pickInTerminal(choices, { ...terminal, preview })
  return picked?.choice.id
}
