import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext, vi } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { append_transcript, createSession, resumeSession } from '../../../lib/free-functions.js'
import {
  type ExtractedDelta,
  type ExtractOptions,
  extractDelta,
  type Session,
} from '../../../lib/index.js'
import {
  type ContextOptions,
  claimSession,
  openContext,
  readClaim,
  setBypass,
} from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { CLAIM, Clock, HOUR } from '../../helpers/clock.js'
import { foreignLine, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function newStore(t: Pick<TestContext, 'onTestFinished'>) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  return { clock, root, options: { root, environment: clock.environment } }
}

type Options = ReturnType<typeof newStore>['options']

async function openDemo(options: Options): Promise<Session> {
  return createSession({ ...options, id: 'demo' })
}

/** A prompt whose rendered line is so long. */
async function sayChars(session: Session, chars: number, letter = 'x'): Promise<void> {
  const content = letter.repeat(chars - 'User: '.length)
  await session.append({ type: 'user', payload: { content } })
}

async function extracted(
  options: ContextOptions & ExtractOptions,
  key = 'demo',
): Promise<ExtractedDelta> {
  const delta = await extractDelta(key, options)
  if ('skipped' in delta) throw new Error(`skipped: ${delta.reason}`)
  return delta
}

describe('an extraction', () => {
  // Requirements: 001-47, 001-48, 001-55
  it('of an open session returns what was added since the last one', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    t.onTestFinished(() => session.release())
    await sayChars(session, 600, 'a')
    const first = await extracted(options)
    expect(first).toMatchObject({ sessionId: 'demo', hasMore: false, oversize: false })
    expect(first.text).toBe(`User: ${'a'.repeat(594)}`)
    await first.commit()
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'too_short' })
    const result = { tool_call_id: 'c', is_error: false, content: 'y'.repeat(900) }
    await session.append({ type: 'tool_result', payload: result })
    await sayChars(session, 600, 'b')
    const second = await extracted(options)
    expect(second.text).toBe(`User: ${'b'.repeat(594)}`)
    expect(second.fromOffset).toBe(first.toOffset)
  })

  // Requirement: 001-52
  it.for([
    [499, { skipped: true, reason: 'too_short' }],
    [500, expect.objectContaining({ jobId: expect.any(String) })],
  ] as const)('of %s new characters: %o', async ([chars, answer], t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, chars, 'ü')
    await session.release()
    expect(await extractDelta('demo', options)).toEqual(answer)
    expect(eventsIn(session.path).map(({ type }) => type)).not.toContain('extract_cursor')
  })

  it('leaves a short text for the next time', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    t.onTestFinished(() => session.release())
    await sayChars(session, 300, 'a')
    expect(await extractDelta('demo', options)).toMatchObject({ skipped: true })
    await sayChars(session, 300, 'b')
    expect((await extracted(options)).text).toHaveLength(601)
  })

  // Requirement: 001-55
  it('that was not committed is returned again; a second commit changes nothing', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    const first = await extracted(options)
    const again = await extracted(options)
    expect(again.text).toBe(first.text)
    expect(again.jobId).not.toBe(first.jobId)
    await again.commit()
    await again.commit()
    const cursors = eventsIn(session.path).filter(({ type }) => type === 'extract_cursor')
    expect(cursors).toMatchObject([{ uuid: again.jobId, payload: { offset: again.toOffset } }])
    expect(cursors[0]!['payload']).toMatchObject({ delivered_chars: 600 })
    // Who comes late with the same does not turn the cursor back.
    await first.commit()
    expect(eventsIn(session.path).filter(({ type }) => type === 'extract_cursor')).toEqual(cursors)
  })

  it('of more than fits is returned in slices that lose nothing', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    const said: string[] = []
    for (let number = 0; number < 300; number++) {
      const content = `${number} ${'wörd '.repeat(200)}`.trim()
      said.push(`User: ${content}`)
      await session.append({ type: 'user', payload: { content } })
      if (number % 7 === 0) await session.append({ type: 'turn_end', payload: {} })
    }
    await session.release()
    const slices: string[] = []
    for (let hasMore = true; hasMore; ) {
      const delta = await extracted(options)
      expect(delta.text.length).toBeLessThanOrEqual(100_000)
      slices.push(delta.text)
      hasMore = delta.hasMore
      await delta.commit()
    }
    expect(slices.length).toBeGreaterThan(3)
    expect(slices.join('\n')).toBe(said.join('\n'))
  })

  it('returns a turn that is longer than allowed as a whole, marked as oversize', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 50)
    await sayChars(session, 5000)
    await sayChars(session, 50)
    await session.release()
    const limits = { ...options, minChars: 0, maxChars: 1000 }
    const lengths: unknown[] = []
    for (let hasMore = true; hasMore; ) {
      const delta = await extracted(limits)
      lengths.push([delta.text.length, delta.oversize])
      hasMore = delta.hasMore
      await delta.commit()
    }
    expect(lengths).toEqual([
      [50, false],
      [5000, true],
      [50, false],
    ])
  })

  it('ignores an unfinished last line', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600, 'a')
    await session.release()
    const next = line('user', { uuid: 'next', payload: { content: 'b'.repeat(600) } })
    appendFileSync(session.path, next.subarray(0, -1))
    const delta = await extracted(options)
    expect(delta.text).not.toContain('b')
    await delta.commit()
    // The cursor's own line ended the unfinished one.
    expect((await extracted(options)).text).toBe(`User: ${'b'.repeat(600)}`)
  })

  it('does not split a line', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await session.release()
    const [one, two, three] = ['a', 'b', 'c'].map((letter) =>
      line('user', { uuid: letter, payload: { content: letter.repeat(600) } }),
    )
    appendFileSync(session.path, Buffer.concat([one!.subarray(0, -1), two!, three!]))
    const limits = { ...options, maxChars: 700 }
    const first = await extracted(limits)
    expect(first.text).toBe(`User: ${'a'.repeat(600)}\nUser: ${'b'.repeat(600)}`)
    await first.commit()
    expect((await extracted(limits)).text).toBe(`User: ${'c'.repeat(600)}`)
  })

  it('continues after a compaction', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await (await extracted(options)).commit()
    await session.compact({ summary: 'All of it.' })
    await session.release()
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'too_short' })
  })

  it('of a session that another process writes keeps its cursor in the spool, and finds it there', async (t) => {
    const { root, options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await (await extracted(options)).commit()
    expect(readdirSync(join(root, '.spool'))).toHaveLength(1)
    expect(await extractDelta('demo', options)).toMatchObject({ reason: 'too_short' })
    await session.close()
    expect(readdirSync(join(root, '.spool'))).toEqual([])
    expect(await extractDelta('demo', options)).toMatchObject({ reason: 'too_short' })
  })

  // Requirement: 001-58
  it('creates no file beside the log', async (t) => {
    const { root, options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    await (await extracted(options)).commit()
    expect(readdirSync(root, { recursive: true }).sort()).toEqual([
      '.transcripts',
      '.transcripts/demo.jsonl',
    ])
  })

  it('starts from the beginning, and reports it, if the cursor does not match the transcript', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    for (const payload of [
      { offset: 7, last_uuid: 'x', delivered_chars: 1 },
      { offset: 1e9, last_uuid: 'x', delivered_chars: 1 },
    ]) {
      const event = { type: 'extract_cursor', payload }
      await append_transcript({ session_id: 'demo', event }, options)
      const reported: Diagnostic[] = []
      const onDiagnostic = (diagnostic: Diagnostic) => reported.push(diagnostic)
      const delta = await extracted({ ...options, onDiagnostic })
      expect(delta).toMatchObject({ fromOffset: 0 })
      expect(reported).toMatchObject([{ code: 'cursor_mismatch', byte_offset: payload.offset }])
    }
    await (await extracted(options)).commit()
    expect(await extractDelta('demo', options)).toMatchObject({ reason: 'too_short' })
  })

  it('is redacted', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    const redact = (text: string) => text.replace('xxx', '[REDACTED]')
    expect((await extracted({ ...options, redact })).text).toMatch(/^User: \[REDACTED\]xxx/)
  })

  it.for([{ minChars: -1 }, { maxChars: 1.5 }, { minChars: Number.NaN }])(
    'rejects %o',
    async (limits, t) => {
      const { options } = newStore(t)
      await (await openDemo(options)).release()
      await expect(extractDelta('demo', { ...options, ...limits })).rejects.toMatchObject({
        code: 'ERR_ARG',
      })
    },
  )

  it('requires limits that are whole numbers', async (t) => {
    const { options } = newStore(t)
    const text = '5' as unknown as number
    await expect(extractDelta('demo', { ...options, minChars: text })).rejects.toThrow(TypeError)
    for (const maxChars of [-1, 0.5, Number.NaN]) {
      const asking = extractDelta('demo', { ...options, maxChars })
      await expect(asking).rejects.toMatchObject({ code: 'ERR_ARG' })
    }
  })

  it('ignores invalid cursors and other spooled events', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600, 'a')
    await (await extracted(options)).commit()
    await sayChars(session, 600, 'b')
    await session.release()
    const strange = [null, { offset: 'far' }, { offset: 0, source: 'elsewhere' }]
    for (const [index, payload] of strange.entries()) {
      appendFileSync(session.path, line('extract_cursor', { uuid: `x${index}`, payload }))
    }
    const again = await resumeSession({ ...options, id: 'demo', mode: 'append' })
    t.onTestFinished(() => again.session!.release())
    const waiting = { ...options, lockTimeoutMs: 0 }
    const event = { type: 'remember', payload: { text: 'The port is 8080.' } }
    await append_transcript({ session_id: 'demo', event }, waiting)
    expect((await extracted(options)).text).toBe(`User: ${'b'.repeat(594)}`)
  })
})

describe('there is nothing to extract', () => {
  // Requirement: 001-53
  it('without a transcript', async (t) => {
    const { options } = newStore(t)
    expect(await extractDelta('nobody', options)).toEqual({
      skipped: true,
      reason: 'no_transcript',
    })
    await claimSession(openContext(options), 'claimed', { runtimePath: 'plugin' })
    expect(await extractDelta('claimed', options)).toEqual({
      skipped: true,
      reason: 'no_transcript',
    })
  })

  // Requirement: 001-54
  it('under bypass', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    await setBypass(openContext(options), 'demo', true)
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'bypassed' })
    await setBypass(openContext(options), 'demo', false)
    await extracted(options)
  })

  // Requirements: 001-48, 001-56
  it('while another path has the session; its own claim is renewed and not released', async (t) => {
    const { clock, options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    await claimSession(openContext(options), 'demo', { runtimePath: 'plugin' })
    clock.pass(HOUR)
    expect(await extractDelta('demo', { ...options, runtimePath: 'legacy' })).toEqual({
      skipped: true,
      reason: 'claimed',
      duplicateRuntimePath: true,
      claimedBy: 'plugin',
    })
    expect(await extracted({ ...options, runtimePath: 'plugin' })).toMatchObject({
      jobId: expect.any(String),
    })
    expect(readClaim(openContext(options), 'demo')).toMatchObject({
      runtimePath: 'plugin',
      expiresAt: clock.iso(CLAIM),
    })
  })
})

describe('a transcript from elsewhere', () => {
  // Requirement: 001-50
  it('that is handed in is preferred to a path, and a path to the stored one', async (t) => {
    const { root, options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600, 's')
    await session.release()
    const transcriptPath = join(root, 'notes.txt')
    writeFileSync(transcriptPath, `User: ${'p'.repeat(600)}\n`)
    const transcript = `User: ${'i'.repeat(600)}`
    expect((await extracted({ ...options, transcript, transcriptPath })).text).toContain('iii')
    expect((await extracted({ ...options, transcriptPath })).text).toContain('ppp')
    expect((await extracted({ ...options, transcript: ' ' })).text).toContain('sss')
  })

  it('is extracted piece by piece, with a cursor of its own', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600, 's')
    await session.release()
    const one = `User: ${'ä'.repeat(600)}\n`
    await (await extracted({ ...options, transcript: one })).commit()
    expect(await extractDelta('demo', { ...options, transcript: one })).toMatchObject({
      reason: 'too_short',
    })
    const two = `${one}Assistant: ${'b'.repeat(600)}`
    expect((await extracted({ ...options, transcript: two })).text).toMatch(/^Assistant: b+$/)
    expect((await extracted(options)).text).toContain('sss')
    // A different text is distinguished from one that grew.
    const reported: Diagnostic[] = []
    const onDiagnostic = (diagnostic: Diagnostic) => reported.push(diagnostic)
    const other = `User: ${'z'.repeat(1300)}`
    expect((await extracted({ ...options, transcript: other, onDiagnostic })).fromOffset).toBe(0)
    expect(reported).toMatchObject([{ code: 'cursor_mismatch' }])
  })

  it('counts complete lines of a file, without blank ones', async (t) => {
    const { root, options } = newStore(t)
    await (await openDemo(options)).release()
    const transcriptPath = join(root, 'notes.txt')
    writeFileSync(transcriptPath, `User: ${'p'.repeat(600)}\n\n  \nAssistant: not yet`)
    const first = await extracted({ ...options, transcriptPath })
    expect(first.text).toBe(`User: ${'p'.repeat(600)}`)
    await first.commit()
    appendFileSync(transcriptPath, ' all\n')
    const rest = await extracted({ ...options, transcriptPath, minChars: 1 })
    expect(rest.text).toBe('Assistant: not yet all')
  })

  it('may be one of our logs or of Claude Code', async (t) => {
    const { root, options } = newStore(t)
    const transcriptPath = join(root, 'foreign.jsonl')
    const said = (type: string, uuid: string, message: object) =>
      foreignLine({ parentUuid: null, isSidechain: false, type, message, uuid })
    writeFileSync(
      transcriptPath,
      Buffer.concat([
        said('user', 'u1', { role: 'user', content: 'q'.repeat(600) }),
        said('assistant', 'a1', { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }),
        line('user', { uuid: 'own', payload: { content: 'own' } }),
      ]),
    )
    const delta = await extracted({ ...options, transcriptPath })
    expect(delta.text).toBe(`User: ${'q'.repeat(600)}\nAssistant: Hi.\nUser: own`)
    await delta.commit()
    expect(await extractDelta('demo', { ...options, transcriptPath })).toMatchObject({
      reason: 'too_short',
    })
  })

  it('is redacted as a whole, since a secret may span several lines', async (t) => {
    const { options } = newStore(t)
    const transcript = `BEGIN\n${'k'.repeat(600)}\nEND`
    const redact = (text: string) => text.replace(/BEGIN[\s\S]*END/, '[REDACTED]')
    expect((await extracted({ ...options, transcript, redact })).text).toBe('[REDACTED]')
  })

  // Requirement: 001-51
  it('must be a regular file of bounded size inside an allowed folder', async (t) => {
    const { root, options } = newStore(t)
    const outside = temporaryFolder(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    const text = `User: ${'x'.repeat(600)}\n`
    writeFileSync(join(outside, 'secret.txt'), text)
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'))
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'large.txt'), '')
    truncateSync(join(root, 'large.txt'), 64 * 1024 * 1024 + 1)
    const refused = {
      'outside the allowed': join(outside, 'secret.txt'),
      'allowed folders': join(root, 'link.txt'),
      'outside the allowed folders': join(root, '..', outside.split('/').at(-1)!, 'secret.txt'),
      'not a regular file': join(root, 'folder'),
      'larger than 64 MiB': join(root, 'large.txt'),
      'cannot be read \\(ENOENT\\)': join(root, 'missing.txt'),
    }
    for (const [reason, transcriptPath] of Object.entries(refused)) {
      const reported: Diagnostic[] = []
      const onDiagnostic = (diagnostic: Diagnostic) => reported.push(diagnostic)
      // The stored one is not used instead of a named one.
      expect(await extractDelta('demo', { ...options, transcriptPath, onDiagnostic })).toEqual({
        skipped: true,
        reason: 'path_refused',
      })
      expect(reported).toMatchObject([{ code: 'transcript_path_refused', file: transcriptPath }])
      expect(reported[0]!.message).toMatch(new RegExp(reason))
    }
    const allowed = { ...options, allowedFolders: [outside] }
    const transcriptPath = join(outside, 'secret.txt')
    expect((await extracted({ ...allowed, transcriptPath })).text).toBe(text.trim())
  })

  // Requirement: 001-51
  it('may be in the folders of the harness and of its staging', async (t) => {
    const { options } = newStore(t)
    const home = temporaryFolder(t)
    t.onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('HOME', home)
    vi.stubEnv('TMPDIR', join(home, 'tmp'))
    for (const folder of ['.claude/projects/app', 'tmp/jsonl-session', 'tmp', '.claude']) {
      mkdirSync(join(home, folder), { recursive: true })
      writeFileSync(join(home, folder, 'text.txt'), `User: ${'x'.repeat(600)}\n`)
    }
    const answers = ['.claude/projects/app', 'tmp/jsonl-session', 'tmp', '.claude'].map(
      async (folder) => {
        const transcriptPath = join(home, folder, 'text.txt')
        return 'text' in (await extractDelta('demo', { ...options, transcriptPath }))
      },
    )
    expect(await Promise.all(answers)).toEqual([true, true, false, false])
  })
})
