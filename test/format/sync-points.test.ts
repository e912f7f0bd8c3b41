// Which events are on the disk before they are acknowledged, where turns are what is made durable.

import { expect, test } from 'vitest'
import { isSyncPoint } from '../../lib/format/index.js'
import { RECORD_TYPES } from '../../lib/format/record-types.js'

test('what a session could not be taken up without, and nothing else', () => {
  expect(Object.keys(RECORD_TYPES).filter(isSyncPoint).sort()).toEqual([
    'checkpoint',
    'checkpoint_tombstone',
    'compaction_boundary',
    'file_checkpoint',
    'relocation',
    'retention',
    'session_header',
    'session_moved',
    'session_terminator',
    'sidechain_header',
    'sidechain_terminator',
    'tool_call',
    'turn_end',
    'user',
  ])
  expect(['of_somebody', 'toString', ''].map(isSyncPoint)).toEqual([false, false, false])
})
