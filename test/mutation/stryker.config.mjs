// What is changed, and which tests must notice. See README.md here.

import { tmpdir } from 'node:os'
import { join } from 'node:path'

const name = process.env.MUTATION_NAME ?? 'all'
const files = process.env.MUTATION_FILES?.split(',') ?? ['lib/{format,chain,log}/**/*.ts']
const folder = join(tmpdir(), 'jsonl-session-mutation')

export default {
  testRunner: 'quick',
  plugins: ['runner', 'ignored'].map((file) => join(import.meta.dirname, `${file}.mjs`)),
  ignorers: ['noise'],
  mutate: files,
  ignorePatterns: ['bench', 'coverage'],
  tempDirName: join(folder, `sandbox-${name}`),
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  incremental: true,
  incrementalFile: join(folder, `${name}.incremental.json`),
  concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
  timeoutMS: 30_000,
  disableTypeChecks: 'lib/**/*.ts',
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  jsonReporter: { fileName: join(folder, `${name}.json`) },
  htmlReporter: { fileName: join(folder, `${name}.html`) },
  clearTextReporter: { reportTests: false, reportMutants: false },
  allowEmpty: true,
}
