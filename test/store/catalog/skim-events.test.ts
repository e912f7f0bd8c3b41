// Who wants to know little of a line still asks first whether the line proves itself.

import { expect, test } from 'vitest'
import { EventReader } from '../../../lib/store/catalog/skim-events.js'
import { line } from '../../helpers/lines.js'

const first = line('user', { uuid: 'first', payload: { content: 'one' } })
const ended = { end_ts: 'x', reason: 'closed', last_uuid: 'first', events: 12, files: [] }

test.for([
  line('user', { uuid: 'said', prev_uuid: 'first', payload: { content: 'two' } }),
  line('session_terminator', { uuid: 'end', prev_uuid: 'first', payload: ended }),
])(
  'a line with any byte changed is skimmed as it is read, and never as what it was not',
  (whole) => {
    const fooledBy: number[] = []
    for (let at = 0; at < whole.length - 1; at++) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      if (namesOf('skim', changed) !== namesOf('read', changed)) fooledBy.push(at)
    }
    expect(fooledBy).toEqual([])
    expect(namesOf('skim', whole)).toBe(namesOf('read', whole))
    expect(namesOf('skim', whole)).not.toBe('[]')
  },
)

/** After a line that proves itself, as in a file. */
function namesOf(how: 'skim' | 'read', bytes: Buffer): string {
  const reader = new EventReader()
  reader[how](first, 0, first.length - 1, true)
  const events = reader[how](bytes, 0, bytes.length - 1)
  return JSON.stringify(events.map(({ type, ts, uuid, prev_uuid }) => [type, ts, uuid, prev_uuid]))
}
