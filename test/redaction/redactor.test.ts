// A redactor as its users meet it: rules of their own, rules that fail, JSON, and the promise that
// redacting twice is redacting once.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CustomRule,
  createRedactor,
  type RedactionProblem,
  redactText,
  redactValue,
} from '../../lib/redaction/index.js'
import { runs } from '../helpers/effort.js'

const GITHUB = `ghp_${'a1B2'.repeat(9)}`

// Pieces of what rules look for, so that random texts are full of near misses.
const PIECES = [
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    '-----END PRIVATE KEY-----',
    'PRIVATE KEY-----',
  ],
  ...['Bearer ', 'Basic ', 'Token ', 'authorization: ', 'eyJaaaaaaaaaa.', 'aaaaaaaa', 'AAAAAAAA'],
  ...[
    'sk-',
    'ghp_',
    'glpat-',
    'a1'.repeat(12),
    'aA1'.repeat(14),
    '://',
    'http',
    '@',
    ':',
    '/',
    '.',
  ],
  ...['KEY', 'TOKEN', 'SECRET', 'MAX_', 'A_', '$', '${', '{', '}', '=', '=>', '"', "'", '\\"', ','],
  ...['token', 'password', 'api_key', 'access_token', 'string', 'null', 'process.env', '12345'],
  ...[
    'Cookie: ',
    'set-cookie: ',
    'a=b',
    '--password ',
    'curl -u a:',
    'mysql -p',
    '<password>',
    '</',
  ],
  ...[
    'hooks.slack.com/services/',
    '?sig=',
    '_PASS',
    'PASSWORD_',
    'dbPassword',
    'Token',
    ' word word',
  ],
  ...[' ', '\n', '\t', '[REDACTED]', '[', 'REDACTED', ']', 'é', '\ud83d', '\u2028', '_', '-', 'x'],
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

test('redacting twice changes nothing more, and no text is replaced as a whole', () => {
  const problems: RedactionProblem[] = []
  const redactor = createRedactor({ onProblem: (problem) => problems.push(problem) })
  fc.assert(
    fc.property(text, (text) => {
      const once = redactor.text(text)
      expect(redactor.text(once)).toBe(once)
    }),
    { numRuns: runs(20_000) },
  )
  expect(problems).toEqual([])
})

test('redacting twice changes nothing more with custom rules of any kind', () => {
  const rules: readonly CustomRule[] = [
    { name: 'capitals', pattern: /[A-Z]+/ },
    { name: 'beginning', pattern: /^./ },
    { name: 'nothing', pattern: /x*/ },
    { name: 'bracket', pattern: /\].?/ },
    { name: 'longer', redact: (text) => `${text}!` },
    { name: 'shorter', redact: (text) => text.slice(1) },
    { name: 'lower', redact: (text) => text.toLowerCase() },
  ]
  fc.assert(
    fc.property(text, fc.subarray([...rules], { minLength: 1 }), (text, rules) => {
      const redactor = createRedactor({ rules })
      const once = redactor.text(text)
      expect(redactor.text(once)).toBe(once)
    }),
    { numRuns: runs(3000) },
  )
})

test.each([
  ['ghp_', 36],
  ['sk-ant-api03-', 40],
  ['glpat-', 20],
  ['AIza', 35],
  ['npm_', 36],
])('a key %s… does not survive in any company', (prefix, length) => {
  const alphabet = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
  const key = fc
    .string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
    .map((letters) => prefix + letters)
  const edge = fc.constantFrom(
    '',
    ' ',
    '\n',
    '"',
    "'",
    '(',
    ')',
    '=',
    ': ',
    ', ',
    '`',
    '<',
    '>',
    '/',
  )
  fc.assert(
    fc.property(text, edge, key, edge, text, (before, left, key, right, after) => {
      fc.pre(!/[\w-]$/.test(before + left) && !/^[\w-]/.test(right + after))
      expect(redactText(before + left + key + right + after)).not.toContain(key)
    }),
    { numRuns: runs(2000) },
  )
})

test('custom rules are added to the default rules', () => {
  const redactor = createRedactor({ rules: [{ name: 'acme', pattern: /acme-\d+/ }] })
  expect(redactor.text(`acme-1 acme-22 ${GITHUB}`)).toBe('[REDACTED] [REDACTED] [REDACTED]')
  for (const rules of [undefined, []]) {
    expect(createRedactor({ rules }).text(GITHUB)).toBe('[REDACTED]')
  }
})

test('a pattern replaces all its matches, with any flags, and keeps no state', () => {
  for (const flags of ['', 'g', 'i', 'y', 'gy', 'u', 'd']) {
    const pattern = new RegExp('acme-\\d+', flags)
    const redactor = createRedactor({ rules: [{ name: 'acme', pattern }] })
    for (let time = 0; time < 3; time++) {
      expect(redactor.text('x acme-1, acme-2')).toBe('x [REDACTED], [REDACTED]')
    }
    expect(pattern.lastIndex).toBe(0)
  }
})

test('custom rules are applied before the default rules', () => {
  const rule = { name: 'acme', pattern: /acme:[\w-]+:\w+/ }
  const secret = `acme:${GITHUB}:tail`
  expect(createRedactor({ rules: [rule] }).text(secret)).toBe('[REDACTED]')
  expect(redactText(secret)).toBe('acme:[REDACTED]:tail')
})

test('a text that was replaced as a whole stays so, even with a rule that would change the marker', () => {
  const lower = { name: 'lower', redact: (text: string) => text.toLowerCase() }
  const redactor = createRedactor({ rules: [lower] })
  expect(redactor.text('token=>-----BEGIN PRIVATE KEY-----')).toBe('[REDACTED]')
  expect(redactor.text('[REDACTED]')).toBe('[REDACTED]')
})

test('a pattern replaces neither the marker nor an empty match', () => {
  const redactor = createRedactor({
    rules: [
      { name: 'capitals', pattern: /[A-Z]+/ },
      { name: 'empty', pattern: /(?<named>q)*/ },
    ],
  })
  expect(redactor.text('[REDACTED] and ABC, q')).toBe('[REDACTED] and [REDACTED], [REDACTED]')
})

test('replaceDefaults drops the default rules, and needs other rules', () => {
  const rules = [{ name: 'acme', pattern: /acme-\d+/ }]
  const redactor = createRedactor({ rules, replaceDefaults: true })
  expect(redactor.text(`acme-1 ${GITHUB}`)).toBe(`[REDACTED] ${GITHUB}`)
  expect(redactor.value({ password: 'hunter22' })).toEqual({ password: 'hunter22' })
  for (const rules of [undefined, []]) {
    expect(() => createRedactor({ rules, replaceDefaults: true })).toThrow(
      expect.objectContaining({ code: 'ERR_ARG' }),
    )
  }
})

test.each([
  [{ pattern: /x/ }, 'needs a name'],
  [{ name: '', pattern: /x/ }, 'needs a name'],
  [null, 'needs a name'],
  [{ name: 'a', pattern: 'x' }, 'must be a RegExp'],
  [{ name: 'a' }, 'needs a pattern or a function'],
])('%j is no rule', (rule, reason) => {
  expect(() => createRedactor({ rules: [rule as never] })).toThrow(TypeError)
  expect(() => createRedactor({ rules: [rule as never] })).toThrow(reason)
})

test.each([
  [
    'threw',
    () => {
      throw new Error('secret')
    },
  ],
  ['not_text', () => undefined as never],
  ['unsettled', (text: string) => `${text}!`],
])('a rule that fails replaces the text, and is reported: %s', (reason, redact) => {
  const problems: RedactionProblem[] = []
  const seenByCall: RedactionProblem[] = []
  const redactor = createRedactor({
    rules: [{ name: 'broken', redact }],
    onProblem: (problem) => problems.push(problem),
  })
  const onProblem = (problem: RedactionProblem) => seenByCall.push(problem)
  expect(redactor.text('harmless words', { onProblem })).toBe('[REDACTED]')
  expect(problems).toMatchObject([{ rule: 'broken', reason }])
  expect(seenByCall).toEqual(problems)
  expect(redactor.value({ kept: ['a', 1, { b: 'c' }] })).toEqual({
    kept: ['[REDACTED]', 1, { b: '[REDACTED]' }],
  })
})

test('redacts every string of a value, and changes nothing else', () => {
  const value = {
    text: `a ${GITHUB}`,
    list: ['x', { deep: [`Bearer ${GITHUB}`] }, null, 1, true],
    [GITHUB]: 'a name is kept',
    untouched: { same: 'words' },
  }
  const before = structuredClone(value)
  const redacted = redactValue(value)
  expect(redacted).toEqual({
    text: 'a [REDACTED]',
    list: ['x', { deep: ['Bearer [REDACTED]'] }, null, 1, true],
    [GITHUB]: 'a name is kept',
    untouched: { same: 'words' },
  })
  expect(value).toEqual(before)
  expect(Object.keys(redacted)).toEqual(Object.keys(value))
  expect(redacted.untouched).toBe(value.untouched)
  expect(redactValue(redacted)).toBe(redacted)
})

test('returns the same value where there is no secret', () => {
  const value = { a: [1, 'two', { three: null }], b: { c: 'd' } }
  expect(redactValue(value)).toBe(value)
  expect(redactValue(value.a)).toBe(value.a)
  expect(redactValue('words')).toBe('words')
  expect(redactValue(null)).toBe(null)
  expect(redactValue(7)).toBe(7)
})

test('recognizes a secret in JSON by the name of its member', () => {
  const env = { GITHUB_TOKEN: 'abcd', MAX_TOKENS: '4096', PATH: '/bin', KEY: 'words' }
  const login = { password: 'hunter22', token: 'abcdef', clientSecret: 'abcdef', apiKey: 'abcdef' }
  const others = {
    password: 'Please enter your password',
    token: 'string',
    secret: 'short',
    session_key: 'abcdefgh',
    max_tokens: 4096,
  }
  expect(redactValue({ env, login: [login], others })).toEqual({
    env: { ...env, GITHUB_TOKEN: '[REDACTED]' },
    login: [
      {
        password: '[REDACTED]',
        token: '[REDACTED]',
        clientSecret: '[REDACTED]',
        apiKey: '[REDACTED]',
      },
    ],
    others,
  })
})

test('skipped members stay as they are, with everything below', () => {
  const value = { id: GITHUB, text: GITHUB, files: [{ path: GITHUB }] }
  const expected = { id: GITHUB, text: '[REDACTED]', files: [{ path: GITHUB }] }
  expect(redactValue(value, { skip: ['id', 'files'] })).toEqual(expected)
  expect(redactValue(value, { skip: (name) => name !== 'text' })).toEqual(expected)
})

test('a field named __proto__ stays a field', () => {
  const value = JSON.parse(`{"__proto__":{"a":"${GITHUB}"},"b":"${GITHUB}"}`)
  const json = JSON.stringify(redactValue(value))
  expect(json).toBe('{"__proto__":{"a":"[REDACTED]"},"b":"[REDACTED]"}')
})

test('values that are not plain JSON are kept, and a cycle throws', () => {
  const date = new Date(0)
  const map = new Map([['a', GITHUB]])
  const value = { date, map, a: GITHUB }
  const redacted = redactValue(value)
  expect(redacted).toEqual({ date, map, a: '[REDACTED]' })
  expect(redacted.map).toBe(map)
  const circle: { left?: unknown; right?: unknown } = {}
  circle.left = circle
  circle.right = circle
  expect(() => redactValue(circle)).toThrow(expect.objectContaining({ code: 'ERR_SERIALIZE' }))
})

test('rejects a text that is not a string', () => {
  expect(() => redactText(undefined as never)).toThrow(TypeError)
})
