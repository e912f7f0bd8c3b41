// Which sessions belong to a folder: those of the project that is there, or of the nearest one above
// it, since people work in sub-folders of a project.

import { dirname } from 'node:path'
import type { StoreContext } from '../context.js'
import { projectFilter } from './list-sessions.js'
import type { SessionInfo } from './session-info.js'

type Placed = Pick<SessionInfo, 'project' | 'projectNormalized'>

export interface ProjectMatch {
  readonly isOf: (info: Placed) => boolean
  /** The folder that has sessions; `undefined` if none has. */
  readonly project: string | undefined
}

/** `isNearest`: folders above it are tried as well, but neither the user's home nor what is above it. */
export function matchProject(
  store: StoreContext,
  sessions: readonly Placed[],
  { folder, isNearest = false }: { readonly folder: string; readonly isNearest?: boolean },
): ProjectMatch {
  const home = store.env.host.homedir()
  for (let at = folder; ; ) {
    const isOf = projectFilter(store, { project: at })
    if (sessions.some(isOf)) return { isOf, project: at }
    const above = dirname(at)
    const isOutside = above === at || above === dirname(above) || isWithin(home, above)
    if (!isNearest || isOutside) return { isOf: () => false, project: undefined }
    at = above
  }
}

/** Whether a folder is the other one, or in it. */
function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(other.endsWith('/') ? other : `${other}/`)
}
