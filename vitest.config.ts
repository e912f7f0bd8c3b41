import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// To load the library costs more than most test files, so one process runs many of them: the tests of
// these modules leave no state behind.
const PURE = 'chain|compaction|continuity|format|interchange|redaction|summarizers'
// The same for modules whose tests spawn the built library.
const WITH_BUILD = 'cli|files|hooks|log|session|store'
// Tests that replace modules, or measure their own process, need a process of their own.
const MEASURES_ITSELF =
  /vi\.mock\(|\/proc\/self\/(?:fd'|io)|getActiveResourcesInfo|memoryUsage|listenerCount/
const ALONE = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name).replaceAll('\\', '/'))
  .filter((path) => MEASURES_ITSELF.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
const BUILD = ['test/helpers/build.ts']

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: [`test/@(${PURE})/**/*.test.ts`],
          exclude: ALONE,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'together, with a build',
          include: [`test/@(${WITH_BUILD})/**/*.test.ts`],
          exclude: ALONE,
          isolate: false,
          globalSetup: BUILD,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/*.test.ts', `test/!(${PURE}|${WITH_BUILD})/**/*.test.ts`, ...ALONE],
          globalSetup: BUILD,
        },
      },
    ],
    setupFiles: ['test/helpers/own-home.ts'],
    // Long enough for a busy machine; a test that hangs still fails.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Many tests spawn processes of their own; two at a time is what two cores can honestly serve.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'bin/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      // The coverage of each module, so that it cannot fall. Modules that the format or a promise depends
      // on are at 100; code for other systems is excluded in place, with the reason. The command line and
      // MCP are missing: their tests run the built program (see test/coverage/run.mjs).
      thresholds: {
        'lib/format/**': { branches: 100 },
        'lib/chain/**': { branches: 100 },
        'lib/log/**': { branches: 100 },
        'lib/redaction/**': { branches: 99 },
        'lib/compaction/**': { branches: 95 },
        'lib/continuity/**': { branches: 93 },
        'lib/summarizers/**': { branches: 91 },
        'lib/store/**': { branches: 93 },
        'lib/files/**': { branches: 96 },
        'lib/session/**': { branches: 93 },
        'lib/interchange/**': { branches: 99 },
        'lib/hooks/**': { branches: 98 },
      },
    },
  },
})
