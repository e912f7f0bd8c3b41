// The tests as they are, but for the processes that they spawn: those tell what they ran through.

import { defineConfig, mergeConfig } from 'vitest/config'
import whole from '../../vitest.config.js'

const { COVERAGE_FOLDER: folder } = process.env
const { thresholds: _, ...coverage } = whole.test!.coverage!

export default mergeConfig(
  { ...whole, test: { ...whole.test, coverage } },
  defineConfig({
    test: {
      // Set when the worker runs already, so that it does not count itself this way, too.
      env: {
        NODE_V8_COVERAGE: `${folder}/children`,
        JSONL_SESSION_TEST_BINARY: `${folder}/package/dist/bin/jsonl-session.cjs`,
      },
      coverage: {
        reporter: ['json'],
        reportsDirectory: `${folder}/in-process`,
        reportOnFailure: true,
      },
    },
  }),
)
