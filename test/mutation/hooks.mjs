// The test files as they are, with two packages replaced.

import * as typescript from '../helpers/typescript-hooks.mjs'

const STAND_INS = { vitest: './quick-vitest.mjs', 'fast-check': './few-runs.mjs' }

export async function resolve(specifier, context, nextResolve) {
  const standIn = STAND_INS[specifier]
  if (standIn === undefined) return typescript.resolve(specifier, context, nextResolve)
  return { url: new URL(standIn, import.meta.url).href, shortCircuit: true }
}

export const load = typescript.load
