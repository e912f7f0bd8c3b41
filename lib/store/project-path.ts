// The spelling of a path and nothing else: no disk is looked at, so all of it can be tried
// anywhere.

import { win32 } from 'node:path'

const VERBATIM_DRIVE = /^\\\\[?.]\\(?=[a-z]:)/i
const VERBATIM_SHARE = /^\\\\[?.]\\UNC\\/i
const SHARE = /^\\\\[^\\?.][^\\]*\\[^\\]+/

/**
 * One spelling for what Windows takes for one path: `c:/x/`, `C:\x` and `\\?\C:\x`, and so for
 * shares. The case of folders is left alone: that is for their volume to say.
 */
export function normalizeWindowsPath(path: string): string {
  const plain = win32.normalize(withoutVerbatimPrefix(path))
  const drive = plain.replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase())
  // Names of hosts and of what they share have no case anywhere.
  const share = drive.replace(SHARE, (root) => root.toLowerCase())
  return /^(?:[A-Z]:)?\\$/.test(share) ? share : share.replace(/\\+$/, '')
}

/** `\\?\` keeps Windows from looking for dots and limits; it is no part of the name. */
export function withoutVerbatimPrefix(path: string): string {
  return path.replaceAll('/', '\\').replace(VERBATIM_SHARE, '\\\\').replace(VERBATIM_DRIVE, '')
}

/** The same text for all spellings that a volume without case takes for one name. */
export function foldCase(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase()
  return Array.from(name, foldCharacter).join('')
}

/** With every letter in its other case; the name itself when it has no such letter. */
export function swapCase(name: string): string {
  return Array.from(name, (character) => {
    const lower = character.toLowerCase()
    const swapped = character === lower ? character.toUpperCase() : lower
    return foldCharacter(swapped) === foldCharacter(character) ? swapped : character
  }).join('')
}

// By character, since a sigma at the end of a word would otherwise differ from one in the middle.
function foldCharacter(character: string): string {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : character
}
