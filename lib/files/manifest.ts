// What a file checkpoint says: which files, and how each of them was. Its hash names it.

import { hash } from 'node:crypto'
import type { PayloadByType } from '../format/index.js'

/** One file at one moment. Without a hash it was not there, or `skipped` says why it is not kept. */
export type SavedFile = PayloadByType['file_checkpoint']['files'][number]

export interface FileManifest {
  readonly project_root: string
  readonly files: readonly SavedFile[]
}

export function sha256Of(bytes: Buffer | string): string {
  return hash('sha256', bytes)
}

/** The exact text that is stored and hashed. */
export function manifestText({ project_root, files }: FileManifest): string {
  const rows = files.map(({ path, sha256, existed, mode, bytes, skipped }) => ({
    path,
    sha256,
    existed,
    mode,
    bytes,
    skipped,
  }))
  return `${JSON.stringify({ project_root, files: rows })}\n`
}
