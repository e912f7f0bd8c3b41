// The built program where the optional packages are not installed.

import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Copies the package of `binary` into the folder, with zod as its only package; returns the program. */
export function copyProgram(binary: string, folder: string): string {
  const packageRoot = join(dirname(binary), '..', '..')
  const copy = join(folder, 'jsonl-session')
  mkdirSync(copy)
  cpSync(join(packageRoot, 'dist', 'bin'), join(copy, 'dist', 'bin'), { recursive: true })
  cpSync(join(packageRoot, 'package.json'), join(copy, 'package.json'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(packageRoot, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'))
  return join(copy, 'dist/bin/jsonl-session.cjs')
}
