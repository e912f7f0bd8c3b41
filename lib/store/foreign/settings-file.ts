// A settings file of another program: read and replaced as a whole. It may be a link, and another
// process may change it meanwhile.

import { dirname, resolve } from 'node:path'
import { SessionError, toSessionError } from '../../errors.js'
import { type WriteSmallFileOptions, writeSmallFileAtomic } from '../../log/index.js'
import { createFolder, syncFolder } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'

// Far more than settings written by hand.
const BYTES_MAX = 1024 * 1024

export interface SettingsFile {
  /** The path that was given. */
  readonly path: string
  /** The file itself if the path is a link. */
  readonly target: string
  /** `undefined` when it does not exist. */
  readonly text: string | undefined
}

export function readSettingsFile(store: StoreContext, path: string): SettingsFile {
  const absolute = resolve(path)
  const target = resolveLink(store, absolute)
  return { path: absolute, target, text: readText(store, target) }
}

/** Rejects if another process has changed the file since it was read. */
export function writeSettingsFile(
  store: StoreContext,
  { target, text }: SettingsFile,
  newText: string,
  options: WriteSmallFileOptions = {},
): void {
  rejectIfChanged(store, target, text)
  if (text === undefined) makeFolder(store, dirname(target), options)
  writeSmallFileAtomic(target, newText, store.env, options)
}

export function removeSettingsFile(
  store: StoreContext,
  { path, target, text }: SettingsFile,
): void {
  const { fs } = store.env
  rejectIfChanged(store, target, text)
  // Without its target a link would lead nowhere.
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    writeSmallFileAtomic(target, '{}\n', store.env)
    return
  }
  try {
    fs.rmSync(target)
  } catch (cause) {
    throw toSessionError(cause, 'remove', target)
  }
  syncFolder(target, store.env)
}

function resolveLink({ env: { fs } }: StoreContext, path: string): string {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  try {
    return fs.realpathSync.native(path)
  } catch (cause) {
    const what = `${path} is a link that leads nowhere`
    throw new SessionError('ERR_UNSAFE_PATH', what, { path, cause })
  }
}

function readText(store: StoreContext, path: string): string | undefined {
  const stats = store.env.fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const error = (code: 'ERR_UNSAFE_PATH' | 'ERR_SETTINGS', what: string) =>
    new SessionError(code, `${path} ${what}`, { path })
  if (!stats.isFile()) throw error('ERR_UNSAFE_PATH', 'is not a regular file')
  // A new file under this name would leave the other names with the old one.
  if (stats.nlink > 1) throw error('ERR_UNSAFE_PATH', `has ${stats.nlink} names (hard links)`)
  if (stats.size > BYTES_MAX) throw error('ERR_SETTINGS', `is larger than ${BYTES_MAX} bytes`)
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(readSmallText(store, path))
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw error('ERR_SETTINGS', 'is not UTF-8')
  }
}

function rejectIfChanged(store: StoreContext, target: string, text: string | undefined): void {
  if (readText(store, target) === text) return
  const what = `${target} was changed by another process meanwhile`
  throw new SessionError('ERR_FILE_REPLACED', what, { path: target })
}

function makeFolder(
  { env }: StoreContext,
  folder: string,
  { isShared }: WriteSmallFileOptions,
): void {
  try {
    if (isShared === true) env.fs.mkdirSync(folder, { recursive: true })
    else createFolder(folder, env)
  } catch (cause) {
    throw toSessionError(cause, 'create', folder)
  }
}
