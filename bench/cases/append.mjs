// One process, one log.

import { nestedPayloads, textPayloads } from '../events.mjs'
import { compareVariants } from '../harness.mjs'
import {
  appendFile,
  levelPut,
  oursBySixteen,
  oursInBursts,
  oursOneByOne,
  oursWithUuids,
  piSession,
  rawWrite,
  rawWriteAndSync,
  sqliteInsert,
} from '../variants.mjs'

// Appends per slice, which takes a few milliseconds.
const SIZES = [
  { size: '200B', chars: 200, slice: 500, rounds: { full: 200, quick: 40 } },
  { size: '2KB', chars: 2000, slice: 200, rounds: { full: 200, quick: 40 } },
  { size: '50KB', chars: 50_000, slice: 20, rounds: { full: 200, quick: 40 } },
]
const [TINY, SMALL, LARGE] = SIZES
const SYNCED = { slice: 128, rounds: { full: 60, quick: 10 } }

const RAW = 'JSON.stringify + writeSync'

export const appendCases = [
  oneByOne(TINY, { least: 0.6, aim: 0.7 }),
  oneByOne(SMALL, { least: 0.75, aim: 0.85 }),
  oneByOne(LARGE, { least: 0.85, aim: 0.9 }),
  {
    name: 'append-50KB-nested',
    against: RAW,
    durability: 'none',
    target: { least: 0.7 },
    measure: (context) =>
      versus(context, LARGE, nestedPayloads(LARGE.chars), oursOneByOne, rawWrite),
  },
  {
    name: 'append-burst10-200B',
    against: RAW,
    durability: 'none',
    target: { least: 0.9, aim: 1 },
    measure: (context) => versus(context, TINY, textPayloads(TINY.chars), inTens, rawWrite),
  },
  ...[TINY, SMALL].flatMap((size) => [
    {
      name: `append-appendfile-${size.size}`,
      against: "appendFileSync per entry, pi's way",
      durability: 'none',
      target: { least: 1.3 },
      measure: (context) =>
        versus(context, size, textPayloads(size.chars), oursOneByOne, appendFile),
    },
    {
      name: `append-pi-${size.size}`,
      against: 'pi SessionManager.appendMessage',
      durability: 'none',
      measure: (context) =>
        versus(context, size, textPayloads(size.chars), oursOneByOne, piSession),
    },
    {
      name: `append-sqlite-${size.size}`,
      against: 'SQLite, WAL, synchronous NORMAL, unique uuid, one insert each',
      durability: 'none',
      target: { least: 3 },
      measure: (context) =>
        versus(context, size, textPayloads(size.chars), oursOneByOne, sqliteInsert),
    },
    {
      name: `append-level-${size.size}`,
      against: 'classic-level (LevelDB), one put each, awaited',
      durability: 'none',
      measure: (context) => versus(context, size, textPayloads(size.chars), oursOneByOne, levelPut),
    },
    {
      name: `append-caller-uuid-${size.size}`,
      against: RAW,
      durability: 'none',
      measure: (context) =>
        versus(context, size, textPayloads(size.chars), oursWithUuids, rawWrite),
    },
    {
      name: `group-commit-${size.size}`,
      against: 'writeSync + fdatasyncSync per append',
      durability: 'always',
      target: { least: 4 },
      measure: (context) =>
        versus(context, SYNCED, textPayloads(size.chars), oursBySixteen, rawWriteAndSync),
    },
  ]),
]

function oneByOne(size, target) {
  return {
    name: `append-${size.size}`,
    against: RAW,
    durability: 'none',
    target,
    measure: (context) => versus(context, size, textPayloads(size.chars), oursOneByOne, rawWrite),
  }
}

function inTens(payloads) {
  return oursInBursts(payloads, 10)
}

async function versus({ folder, isQuick }, { slice, rounds }, payloads, ours, baseline) {
  const variants = { ours: await ours(payloads), baseline: await baseline(payloads) }
  const settings = { folder, slice, rounds: isQuick ? rounds.quick : rounds.full }
  const peer = variants.baseline.name
  const compared = await compareVariants(variants, settings)
  return [peer === undefined ? compared : { ...compared, peer }]
}
