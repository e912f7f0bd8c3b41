// Redaction: every rule on texts that were made to be slow, and all of them on ordinary ones.

import { readFileSync } from 'node:fs'
import { compareSamples } from '../harness.mjs'
import { loadRedaction } from '../library.mjs'

const MEBIBYTE = 2 ** 20
// One loop is too short to be timed.
const LOOPS = 5
const ADVERSARIES = new URL('../../fixtures/redaction/adversarial.json', import.meta.url)
const RULES = [
  'private-key',
  'authorization',
  'cookie',
  'jwt',
  'vendor-key',
  'url-password',
  'webhook-url',
  'command-line',
  'markup-field',
  'secret-variable',
  'variable-mention',
  'secret-field',
  'base64',
]

export const redactionCases = [
  {
    name: 'redaction-worst',
    durability: 'no disk',
    rows: [
      ...RULES.map((rule) => ({
        against: `${rule} on its slowest mebibyte, to a loop over the characters`,
        unit: '× time',
        target: { most: 50 },
      })),
      {
        against: 'a quarter of the same text, four times (the steepest)',
        unit: '× time',
        target: { most: 2 },
      },
    ],
    async measure({ isQuick }) {
      const { DEFAULT_RULES } = await loadRedaction()
      if (DEFAULT_RULES.map(({ name }) => name).join() !== RULES.join()) {
        throw new Error('The rules are not those of this table')
      }
      const adversaries = JSON.parse(readFileSync(ADVERSARIES, 'utf8'))
      const rounds = isQuick ? 5 : 25
      const costs = []
      const growths = []
      for (const rule of DEFAULT_RULES) {
        const worst = slowest(rule, adversaries)
        costs.push({ ...(await costOf(rule, worst, rounds)), worst })
        growths.push({ ...(await growthOf(rule, worst, rounds)), worst })
      }
      const steepest = growths.toSorted((left, right) => right.value - left.value)[0]
      return [...costs, steepest]
    },
  },
  {
    name: 'redaction-ordinary',
    against: 'JSON.stringify of the same text',
    durability: 'no disk',
    async measure({ isQuick }) {
      const { redactText } = await loadRedaction()
      const text = ordinaryText()
      const ways = {
        ours: () => timed(() => redactText(text)),
        baseline: () => timed(() => JSON.stringify(text)),
      }
      for (const way of Object.values(ways)) repeat(20, way)
      return [await compareSamples(ways, isQuick ? 10 : 60)]
    },
  },
]

/** Of all texts, not only of its own: what stops one rule may hold up another. */
function slowest(rule, adversaries) {
  const times = adversaries.map((adversary) => {
    const text = textOf(adversary, MEBIBYTE)
    return Math.min(...Array.from({ length: 3 }, () => timed(() => rule.redact(text))))
  })
  return adversaries[times.indexOf(Math.max(...times))]
}

async function costOf(rule, adversary, rounds) {
  const text = textOf(adversary, MEBIBYTE)
  const ways = {
    ours: () => timed(() => rule.redact(text)),
    baseline: () => timed(() => repeat(LOOPS, () => sumOf(text))) / LOOPS,
  }
  return timesOf(await compareSamples(ways, rounds))
}

async function growthOf(rule, adversary, rounds) {
  const whole = textOf(adversary, MEBIBYTE)
  const quarter = textOf(adversary, MEBIBYTE / 4)
  const ways = {
    ours: () => timed(() => rule.redact(whole)),
    baseline: () => timed(() => repeat(4, () => rule.redact(quarter))),
  }
  return timesOf(await compareSamples(ways, rounds))
}

/** Less is better, unlike a ratio of speeds. */
function timesOf(compared) {
  return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
}

/** The least that can be done with a text: look at each of its characters. */
function sumOf(text) {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0
  return sum
}

function repeat(count, run) {
  for (let time = 0; time < count; time++) run()
}

function textOf({ before, unit, after }, length) {
  return before + unit.repeat(Math.ceil(length / unit.length)) + after
}

/** Code, prose, paths and hashes, as tools print them; nothing in it is a secret. */
function ordinaryText() {
  const lines = [
    'The token counting in src/lib/tokens/count.ts is off by one; password validation is fine.',
    '  const { token, session } = await authenticate(request, { timeoutMs: 30_000 })',
    'commit da39a3ee5e6b4b0d3255bfef95601890afd80709 (HEAD -> main, origin/main)',
    '-rw-r--r-- 1 ada ada  4096 Nov 16 05:51 /home/ada/projects/app/src/components/Button.tsx',
    '{"type":"user","uuid":"550e8400-e29b-41d4-a716-446655440000","payload":{"content":"hi"}}',
    'https://example.com/docs/guide?page=2#installing  max_tokens: 200000',
  ]
  return lines
    .join('\n')
    .concat('\n')
    .repeat(Math.ceil(MEBIBYTE / 500))
    .slice(0, MEBIBYTE)
}

function timed(run) {
  globalThis.gc?.({ type: 'minor' })
  const start = performance.now()
  run()
  return (performance.now() - start) * 1000
}
