// Appends notes to a session, one call after the other, and prints what was acknowledged: one line
// of JSON for each answer or error. Arguments: root, session, number of notes, name, and after how
// many notes one repeats the uuid before it with other content (0: never).

import { appendTranscript, isSessionError } from '../../../dist/lib/index.js'

const [root, session_id, count, name, every = '0'] = process.argv.slice(2)
for (let index = 0; index < Number(count); index++) {
  const isConflict = Number(every) > 0 && index % Number(every) === 1
  const uuid = `${name}-${isConflict ? index - 1 : index}`
  const text = `note ${index}`
  const event = { type: 'remember', uuid, payload: { text } }
  try {
    const { queued = false } = await appendTranscript({ session_id, event }, { root, home: root })
    process.stdout.write(`${JSON.stringify({ uuid, text, queued })}\n`)
  } catch (error) {
    // The session was free, and its log had the other event already.
    if (isConflict && isSessionError(error, 'ERR_UUID_CONFLICT')) continue
    process.stdout.write(`${JSON.stringify({ uuid, text, error: String(error) })}\n`)
  }
}
