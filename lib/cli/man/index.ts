// The man page of this version. Only the build and tests call it.

import { PACKAGE_VERSION } from '../../version.js'
import { COMMAND_GROUPS } from '../commands.js'
import { PROGRAM_LESSON, PROGRAM_SUMMARY } from '../help.js'
import { toManPage } from './man-page.js'

/** The page as roff source. */
export async function manPage(): Promise<string> {
  const groups = [...COMMAND_GROUPS].map(async ([title, loads]) => {
    const commands = await Promise.all([...loads.values()].map((load) => load()))
    return [title, commands] as const
  })
  return toManPage({
    version: PACKAGE_VERSION,
    summary: PROGRAM_SUMMARY,
    lesson: PROGRAM_LESSON,
    groups: new Map(await Promise.all(groups)),
  })
}
