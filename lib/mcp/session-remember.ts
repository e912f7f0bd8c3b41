// One thing worth knowing, the moment it is learnt.

import * as z from 'zod'
import { SessionError } from '../errors.js'
import { rememberOnce } from '../session/index.js'
import { sessionKey, text } from './inputs.js'
import { tool } from './tool.js'

export const sessionRemember = tool({
  name: 'session_remember',
  title: 'Remember one thing',
  description:
    'Note one thing the moment you learn it: a port, a command that works, a wish of the user. It becomes part of the next checkpoint of this session, for the next session. One sentence, complete in itself; no secrets. For all that was learnt, at the end, use session_checkpoint.',
  isLook: false,
  input: z.object({
    text: text.describe('One thing worth knowing, complete in itself.'),
    sessionKey,
  }),

  async run({ text, sessionKey }, context) {
    const session = sessionKey ?? context.session()
    // Unlike a checkpoint it is a line of a transcript, and without a session there is none.
    if (session === undefined) {
      const what = 'The session is not known: give sessionKey, or use session_digest'
      throw new SessionError('ERR_ARG', what)
    }
    const {
      sessionId,
      uuid,
      queued = false,
    } = await rememberOnce(context.reportingStore, session, text, { lineNumbers: false })
    const later = queued ? ', as soon as the process that is writing it takes it over' : ''
    return {
      text: `Remembered in session ${sessionId}${later}.`,
      data: { sessionId, uuid, queued },
    }
  },
})
