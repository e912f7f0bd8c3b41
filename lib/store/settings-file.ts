// A settings file of another program: read whole, replaced whole, and never by a guess. It may be
// a link into somebody's dotfiles, and it may change while we look.

import { lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { type WriteAtomicallyOptions, writeAtomically } from '../log/index.js'
import { createFolder, syncFolder } from '../log/inside.js'
import { readSmallText } from './text-source.js'

// Far above what anybody writes by hand.
const BYTES_MAX = 1024 * 1024

export interface SettingsFile {
  /** As it was asked for. */
  readonly path: string
  /** The file itself, where the path is a link. */
  readonly target: string
  /** `undefined` when it is not there. */
  readonly text: string | undefined
}

export function readSettingsFile(path: string): SettingsFile {
  const absolute = resolve(path)
  const target = targetOf(absolute)
  return { path: absolute, target, text: readText(target) }
}

/** Refuses where somebody else has changed the file since it was read. */
export function writeSettingsFile(
  { target, text }: SettingsFile,
  newText: string,
  options: WriteAtomicallyOptions = {},
): void {
  refuseIfChanged(target, text)
  if (text === undefined) makeFolder(dirname(target), options)
  writeAtomically(target, newText, options)
}

export function removeSettingsFile({ path, target, text }: SettingsFile): void {
  refuseIfChanged(target, text)
  // Without its target a link would lead nowhere, and nobody could tell whose it was.
  if (isLink(path)) {
    writeAtomically(target, '{}\n')
    return
  }
  try {
    rmSync(target)
  } catch (cause) {
    throw toSessionError(cause, 'remove', target)
  }
  syncFolder(target)
}

function targetOf(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  try {
    return realpathSync.native(path)
  } catch (cause) {
    const what = `${path} is a link that leads nowhere`
    throw new SessionError('ERR_UNSAFE_PATH', what, { path, cause })
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function readText(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const refuse = (what: string) => new SessionError('ERR_UNSAFE_PATH', `${path} ${what}`, { path })
  if (!stats.isFile()) throw refuse('is not a regular file')
  // A new file under this name would leave the other names with the old one.
  if (stats.nlink > 1) throw refuse(`has ${stats.nlink} names (hard links)`)
  if (stats.size > BYTES_MAX) throw unreadable(path, `is larger than ${BYTES_MAX} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readSmallText(path))
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw unreadable(path, 'is not UTF-8')
  }
}

function unreadable(path: string, what: string): SessionError {
  return new SessionError('ERR_SETTINGS', `${path} ${what}`, { path })
}

function refuseIfChanged(target: string, text: string | undefined): void {
  if (readText(target) === text) return
  throw new SessionError('ERR_FILE_REPLACED', `${target} was changed by somebody else meanwhile`, {
    path: target,
  })
}

function makeFolder(folder: string, { isShared }: WriteAtomicallyOptions): void {
  try {
    if (isShared === true) mkdirSync(folder, { recursive: true })
    else createFolder(folder)
  } catch (cause) {
    throw toSessionError(cause, 'create', folder)
  }
}
