// Which session a log is of.

import { fieldsOf, textOf } from '../../format/fields.js'
import type { StoreContext } from '../context.js'
import { readHead } from './file-windows.js'
import { idOfFileName } from './header-fields.js'
import { readHeader } from './read-head.js'
import { isUnreadable, withOpenFile } from './session-info.js'
import { EventReader } from './skim-events.js'

/** Reads the first 4 KiB. Of a subagent's log, the session it worked for. */
export function readLogSession(store: StoreContext, path: string): string {
  const found = withOpenFile(store, path, (file) => {
    const { header } = readHeader(file, readHead(file), new EventReader())
    const { session_id, parent_session_id } = fieldsOf(header?.payload)
    return { id: textOf(session_id) ?? textOf(parent_session_id) }
  })
  return (isUnreadable(found) ? null : found.id) ?? idOfFileName(path)
}
