// How cost grows: each case measures one kind of work at several sizes and gives curves.
//
// A case has a name, and `measure`, which returns curves: `name`, `title`, `x`, `y` and `series`.

import { memoryGrowth } from './memory.mjs'
import { readGrowth } from './reads.mjs'
import { resumeGrowth } from './resume.mjs'
import { sessionGrowth } from './sessions.mjs'
import { writerGrowth } from './writers.mjs'
import { writtenGrowth } from './written.mjs'

export const growthCases = [
  resumeGrowth,
  readGrowth,
  memoryGrowth,
  writerGrowth,
  sessionGrowth,
  writtenGrowth,
]

export async function measureGrowth({ name, ...context }) {
  return growthCases.find((candidate) => candidate.name === name).measure(context)
}
