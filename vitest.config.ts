import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/build.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests spawn processes of their own; two at a time is what two cores can honestly serve.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'bin/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
})
