// Programs that use the library are bundled into one file. `npm run runtimes` does the same with
// Rollup, Vite and Bun.

import { join } from 'node:path'
import { build, type Format } from 'esbuild'
import { expect, test } from 'vitest'
import { hasKernelLock } from '../lib/log/index.js'

const { EXPECTED, runAlone, runProgram, withProject } = (await import(
  new URL('./runtimes/bundles.mjs', import.meta.url).href
)) as {
  readonly EXPECTED: object
  withProject<T>(use: (folder: string) => Promise<T>): Promise<T>
  runAlone(folder: string, entry: string): object
  runProgram(command: readonly string[], cwd: string): object
}

async function bundle(folder: string, format: Format): Promise<string> {
  const entry = format === 'esm' ? 'program.mjs' : 'program.cjs'
  const { warnings } = await build({
    absWorkingDir: folder,
    entryPoints: ['program.mjs'],
    outfile: join(folder, 'out', entry),
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'silent',
  })
  expect(warnings).toEqual([])
  return entry
}

test.each(['esm', 'cjs'] as const)(
  'a bundle of esbuild (%s) runs in an empty folder, and finds the addon where it is installed',
  (format) =>
    withProject(async (folder) => {
      const entry = await bundle(folder, format)
      expect(runAlone(join(folder, 'out'), entry)).toMatchObject(EXPECTED)
      const locks = hasKernelLock() ? 'kernel' : 'advisory'
      const beside = runProgram([process.execPath, join(folder, 'out', entry)], folder)
      expect(beside).toEqual({ ...EXPECTED, locks })
    }),
)
