import { defineConfig } from 'vitest/config'

// Modules whose tests leave no state in their process, so one process loads the library once for all of
// them. Tests that count reads replace modules, and need a process of their own.
const TOGETHER =
  'test/{chain,compaction,continuity,format,interchange,redaction,summarizers}/**/!(*-reads).test.ts'

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'together', include: [TOGETHER], isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [TOGETHER],
          globalSetup: ['test/helpers/build.ts'],
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
