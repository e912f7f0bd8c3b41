// Our hooks in somebody's settings: what is added, what stays, and that taking them away gives
// back the same bytes.

import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOOK_EVENTS } from '../../../lib/hooks/handlers.js'
import { callOf, handlerFor } from '../../../lib/hooks/settings/call.js'
import { addHooks, findHooks, removeHooks } from '../../../lib/hooks/settings/text.js'

const CALL = {
  form: 'args',
  node: '/usr/bin/node',
  program: '/opt/my app/jsonl-session.cjs',
} as const
const HANDLERS = new Map(HOOK_EVENTS.map((event) => [event, handlerFor(event, CALL)]))

const OTHERS = `{
\t"model": "opus",
\t"hooks": {
\t\t"Stop": [
\t\t\t{ "hooks": [{ "type": "command", "command": "say done" }] }
\t\t],
\t\t"Custom": []
\t},
\t"env": { "A": "\\u00e9" }
}
`

describe('adding our hooks', () => {
  it('keeps everything that is not ours, byte for byte', () => {
    const added = addHooks(OTHERS, HANDLERS)
    const lines = added.split('\n')
    for (const line of OTHERS.split('\n').filter((it) => !/^\t*\}?,?$/.test(it))) {
      expect(lines.some((it) => it.startsWith(line.replace(/[\]},]*$/, '')))).toBe(true)
    }
    const settings = JSON.parse(added)
    expect(Object.keys(settings)).toEqual(['model', 'hooks', 'env'])
    expect(settings.hooks.Stop[0].hooks[0].command).toBe('say done')
    expect(settings.hooks.Custom).toEqual([])
    expect(added).toMatch(/\n\t\t\t\{\n\t\t\t\t"hooks": \[\n/)
  })

  it('gives every event one entry, with a timeout in seconds', () => {
    const { hooks } = JSON.parse(addHooks(undefined, HANDLERS))
    expect(Object.keys(hooks)).toEqual([...HOOK_EVENTS])
    expect(hooks.PreCompact).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: '/usr/bin/node',
            args: ['/opt/my app/jsonl-session.cjs', 'hook', 'PreCompact'],
            timeout: 5,
          },
        ],
      },
    ])
  })

  it('adds nothing where there is nothing to add', () => {
    expect(addHooks(undefined, new Map())).toBe('')
    expect(addHooks(OTHERS, new Map())).toBe(OTHERS)
  })

  it('keeps Windows newlines and files of one line', () => {
    const windows = addHooks('{\r\n  "a": 1\r\n}\r\n', HANDLERS)
    expect(windows.replaceAll('\r\n', '')).not.toContain('\n')
    expect(addHooks('{"a":1}', HANDLERS)).not.toContain('\n')
  })
})

describe('taking our hooks away', () => {
  it('leaves no file where we made it', () => {
    expect(removeHooks(addHooks(undefined, HANDLERS))).toBeUndefined()
  })

  it('gives back the same bytes, whatever the settings and their layout', () => {
    fc.assert(
      fc.property(settingsText(), (text) => {
        const added = addHooks(text, HANDLERS)
        expect(findHooks(added)).toHaveLength(HOOK_EVENTS.length)
        expect(removeHooks(added)).toBe(text)
      }),
      { numRuns: 120 },
    )
  })

  it('leaves what others added meanwhile', () => {
    const settings = JSON.parse(addHooks(OTHERS, HANDLERS))
    const theirs = { hooks: [{ type: 'command', command: 'theirs' }] }
    settings.hooks.Stop.push(theirs)
    settings.hooks.SessionStart.unshift(theirs)
    settings.hooks.PreCompact[0].hooks.push(theirs.hooks[0])
    settings.added = true
    const left = JSON.parse(removeHooks(JSON.stringify(settings, null, 4))!)
    expect(left).toEqual({
      ...JSON.parse(OTHERS),
      hooks: {
        Stop: [...JSON.parse(OTHERS).hooks.Stop, theirs],
        Custom: [],
        SessionStart: [theirs],
        PreCompact: [theirs],
      },
      added: true,
    })
  })

  it('takes hooks of other programs for what they are', () => {
    for (const command of [
      'jsonl-session list',
      'my-jsonl-session hook Stop',
      'cd /tmp && jsonl-session hook Stop',
      'echo jsonl-session hook',
      "'unended",
    ]) {
      expect(callOf({ type: 'command', command }), command).toBeUndefined()
    }
    expect(callOf({ type: 'prompt', command: 'jsonl-session hook Stop' })).toBeUndefined()
    expect(callOf(null)).toBeUndefined()
  })
})

describe('what others keep in another shape', () => {
  it.each([
    '{"hooks": {"Stop": {"hooks": []}}}',
    '{"hooks": {"PreToolUse": [5, null, "jsonl-session hook Stop"]}}',
    '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}',
    '{"hooks": {"PreToolUse": [{"hooks": {"type": "command"}}]}}',
  ])('%s holds none of ours and stays', (text) => {
    expect(findHooks(text)).toEqual([])
    expect(removeHooks(text)).toBe(text)
  })
})

describe('refusing', () => {
  it.each([
    ['', 'is empty'],
    ['[]', 'holds no object'],
    ['{"hooks": []}', 'not an object'],
    ['{"hooks": {"Stop": {}}}', '"Stop" that is not a list'],
    ['{\n  // mine\n}', 'has a comment, and JSON has none (line 2, column 3)'],
    ['{"a": 1,}', 'is not JSON (line 1, column 9)'],
    ['{"a": 1} x', 'is not JSON'],
    ['{"a": 01}', 'is not JSON'],
    ['{"a": "\u0001"}', 'is not JSON'],
  ])('%j is refused with a word', (text, word) => {
    expect(() => addHooks(text, HANDLERS)).toThrow(word)
  })

  it('agrees with JSON.parse about what JSON is', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'null', ' ', '\\')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
        const text = `{"hooks":{},"x":${list.join('')}}`
        expect(succeeds(() => removeHooks(text))).toBe(succeeds(() => JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  it('a mebibyte in one string is no obstacle', () => {
    const text = JSON.stringify({ a: 'x'.repeat(1024 * 1024) })
    expect(removeHooks(addHooks(text, HANDLERS))).toBe(text)
  })
})

describe('the call that is written', () => {
  const program = `/o'p"t/my $(app) \\x/jsonl-session.cjs`

  it.each(['args', 'shell', 'name'] as const)('in the form %s is known again as ours', (form) => {
    const handler = handlerFor('Stop', {
      form,
      node: '/a b/node',
      program,
      args: ['--root', '/r s'],
    })
    const call = callOf(handler)
    expect(call?.words.slice(-4)).toEqual(['hook', 'Stop', '--root', '/r s'])
    expect(call?.program).toBe(form === 'name' ? 'jsonl-session' : program)
  })

  it('is known again with whatever blanks around its words', () => {
    const call = callOf({ type: 'command', command: ' npx  jsonl-session\thook Stop ' })
    expect(call?.words).toEqual(['npx', 'jsonl-session', 'hook', 'Stop'])
  })

  it('as one line is read by a real shell as it was meant', () => {
    const { command } = handlerFor('Stop', { form: 'shell', node: '/a b/node', program })
    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    expect(printed).toBe(`/a b/node\n${program}\nhook\nStop\n`)
  })
})

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Settings as people and programs lay them out, with hooks of others and empty places. */
function settingsText(): fc.Arbitrary<string> {
  const handler = fc.record({ type: fc.constant('command'), command: fc.string({ maxLength: 8 }) })
  const group = fc.record(
    { matcher: fc.string({ maxLength: 4 }), hooks: fc.array(handler, { maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  )
  const event = fc.constantFrom(...HOOK_EVENTS, 'Notification')
  const hooks = fc.dictionary(event, fc.array(group, { maxLength: 2 }), { maxKeys: 4 })
  const others = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  })
  const settings = fc
    .tuple(others, fc.option(hooks, { nil: undefined }), others)
    .map(([before, own, after]) => {
      const { hooks: _, ...first } = before
      const { hooks: __, ...last } = after
      return { ...first, ...(own && { hooks: own }), ...last }
    })
  const layout = fc.constantFrom<(value: unknown) => string>(
    (value) => JSON.stringify(value),
    (value) => `${JSON.stringify(value, null, 2)}\n`,
    (value) => JSON.stringify(value, null, '\t'),
    (value) => `${JSON.stringify(value, null, 4).replaceAll('\n', '\r\n')}\r\n`,
    (value) => `\uFEFF${JSON.stringify(value, null, 1)}\n\n`,
    (value) => JSON.stringify(value, null, 3).replaceAll(EMPTY_OR_STRING, withRoomInside),
    (value) => JSON.stringify(value, null, 3).replaceAll(/\n */g, ' '),
  )
  return fc.tuple(settings, layout).map(([value, lay]) => lay(value))
}

// Strings are matched too, so that what looks like a container inside of one is left alone.
const EMPTY_OR_STRING = /"(?:[^"\\]|\\.)*"|\[\]|\{\}/g

function withRoomInside(found: string): string {
  if (found === '[]') return '[ ]'
  return found === '{}' ? '{\n}' : found
}
