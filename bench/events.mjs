// Payloads of known sizes. The same seed gives the same text on every machine.

import { randomUUID } from 'node:crypto'

// A power of two, so that walking around them costs nothing.
const KINDS = 64

export function textPayloads(chars) {
  return payloads((random) => ({ text: textOf(chars, random) }))
}

/** Many small objects, as tool results have them. */
export function nestedPayloads(bytes) {
  return payloads((random) => {
    const matches = []
    for (let size = 0; size < bytes; size += JSON.stringify(matches.at(-1)).length + 1) {
      matches.push({
        file: `src/${textOf(12, random).replaceAll(/\W/g, '_')}.ts`,
        line: Math.floor(random() * 2000),
        isExact: random() < 0.5,
        score: random(),
        parent: null,
        range: [Math.floor(random() * 80), Math.floor(random() * 80)],
        context: { before: textOf(24, random), after: textOf(24, random) },
      })
    }
    return { matches }
  })
}

/** What the writer is given. */
export function newEventsOf(payloads) {
  return payloads.map((payload) => ({ type: 'assistant', payload }))
}

/** What a program without this library would have at hand: the envelope, ready to be spelled. */
export function readyEventsOf(payloads) {
  let prev_uuid = null
  return payloads.map((payload) => {
    const uuid = flat(randomUUID())
    const event = { type: 'assistant', ts: new Date().toISOString(), uuid, prev_uuid, payload }
    prev_uuid = uuid
    return event
  })
}

/** It walks around them for ever. */
export function around(items) {
  if (items.length !== KINDS) throw new Error(`${KINDS} items are needed, not ${items.length}`)
  let next = 0
  return () => items[next++ & (KINDS - 1)]
}

const WORDS =
  'the of file and to in is session it line that was for on log as with event be at by not are from tool or an has they which one had result there all when who will more'.split(
    ' ',
  )
const FOREIGN_WORDS = ['–', 'é', '“quoted”', 'naïve', '日本', '✓']

/** Words, with a newline or a quoted one now and then. */
export function textOf(chars, random, { isForeign = false } = {}) {
  let text = ''
  while (text.length < chars) {
    const roll = random()
    const word = WORDS[Math.floor(random() * WORDS.length)]
    if (roll < 0.04) text += `${word}\n`
    else if (roll < 0.06) text += `"${word}" `
    else if (isForeign && roll < 0.1) text += `${FOREIGN_WORDS[Math.floor(random() * 6)]} `
    else text += `${word} `
  }
  return flat(text.slice(0, chars))
}

/** Mulberry32: small, and the same everywhere. */
export function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

function payloads(make) {
  const random = randomOf(1)
  return Array.from({ length: KINDS }, () => make(random))
}

// A concatenated string is a rope until it is read; flattening it must not be measured.
function flat(text) {
  return Buffer.from(text).toString()
}
