// Appends notes to a session, one call after the other, and prints what was acknowledged: one line
// of JSON for each answer or error. Arguments: root, session, number of notes, name.

import { appendTranscript } from '../../../dist/lib/index.js'

const [root, session_id, count, name] = process.argv.slice(2)
for (let index = 0; index < Number(count); index++) {
  const uuid = `${name}-${index}`
  const event = { type: 'remember', uuid, payload: { text: `note ${uuid}` } }
  try {
    const { queued = false } = await appendTranscript({ session_id, event }, { root })
    process.stdout.write(`${JSON.stringify({ uuid, queued })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ uuid, error: String(error) })}\n`)
  }
}
