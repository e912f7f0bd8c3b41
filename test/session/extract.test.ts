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
import type { Diagnostic } from '../../lib/format/index.js'
import {
  append_transcript,
  createSession,
  type ExtractedDelta,
  type ExtractOptions,
  extractDelta,
  resumeSession,
  type Session,
} from '../../lib/session/index.js'
import { claimSession, readClaim, setBypass } from '../../lib/store/index.js'
import { eventsIn } from '../cli/stored.js'
import { Clock, HOUR } from '../helpers/clock.js'
import { foreignLine, line } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'

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

async function extracted(options: ExtractOptions, key = 'demo'): Promise<ExtractedDelta> {
  const delta = await extractDelta(key, options)
  if ('skipped' in delta) throw new Error(`skipped: ${delta.reason}`)
  return delta
}

describe('an extraction', () => {
  it('of a session that never ends gives what is new since the last one (001-47, 001-48, 001-55)', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    t.onTestFinished(() => session.release())
    await sayChars(session, 600, 'a')
    const first = await extracted(options)
    expect(first).toMatchObject({ sessionKey: 'demo', hasMore: false, isOversize: false })
    expect(first.text).toBe(`User: ${'a'.repeat(594)}`)
    await first.commit()
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'too_short' })
    await session.append({ type: 'tool_result', payload: { content: 'y'.repeat(900) } as never })
    await sayChars(session, 600, 'b')
    const second = await extracted(options)
    expect(second.text).toBe(`User: ${'b'.repeat(594)}`)
    expect(second.fromOffset).toBe(first.toOffset)
  })

  it.for([
    [499, { skipped: true, reason: 'too_short' }],
    [500, expect.objectContaining({ jobId: expect.any(String) })],
  ] as const)('of %s new characters: %o (001-52)', async ([chars, answer], t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, chars, 'ü')
    await session.release()
    expect(await extractDelta('demo', options)).toEqual(answer)
    expect(eventsIn(session.path).map(({ type }) => type)).not.toContain('extract_cursor')
  })

  it('counts what is short together with what comes next', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    t.onTestFinished(() => session.release())
    await sayChars(session, 300, 'a')
    expect(await extractDelta('demo', options)).toMatchObject({ skipped: true })
    await sayChars(session, 300, 'b')
    expect((await extracted(options)).text).toHaveLength(601)
  })

  it('that was not committed comes again; committed twice is committed once (001-55)', async (t) => {
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

  it('of more than fits comes in slices that lose nothing', async (t) => {
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

  it('of one turn that is longer than allowed gives it whole, and says so', async (t) => {
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
      lengths.push([delta.text.length, delta.isOversize])
      hasMore = delta.hasMore
      await delta.commit()
    }
    expect(lengths).toEqual([
      [50, false],
      [5000, true],
      [50, false],
    ])
  })

  it('leaves a last line alone that is not finished', async (t) => {
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

  it('does not part what stands on one line', async (t) => {
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

  it('is not turned back by a compaction', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await (await extracted(options)).commit()
    await session.compact({ summary: 'All of it.' })
    await session.release()
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'too_short' })
  })

  it('into a session that is open waits with its cursor in the spool, and knows it there', async (t) => {
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

  it('leaves no file beside the log (001-58)', async (t) => {
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

  it('starts anew, and says so, where the cursor does not fit the transcript', async (t) => {
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
      const told: Diagnostic[] = []
      const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
      const delta = await extracted({ ...options, onDiagnostic })
      expect(delta).toMatchObject({ fromOffset: 0 })
      expect(told).toMatchObject([{ code: 'cursor_mismatch', byte_offset: payload.offset }])
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
    'takes no %o',
    async (limits, t) => {
      const { options } = newStore(t)
      await (await openDemo(options)).release()
      await expect(extractDelta('demo', { ...options, ...limits })).rejects.toMatchObject({
        code: 'ERR_ARG',
      })
    },
  )

  it('asks for limits that are whole numbers', async (t) => {
    const { options } = newStore(t)
    const text = '5' as unknown as number
    await expect(extractDelta('demo', { ...options, minChars: text })).rejects.toThrow(TypeError)
    for (const maxChars of [-1, 0.5, Number.NaN]) {
      const asking = extractDelta('demo', { ...options, maxChars })
      await expect(asking).rejects.toMatchObject({ code: 'ERR_ARG' })
    }
  })

  it('passes over cursors that are none, and over what else waits', async (t) => {
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
  it('without a transcript (001-53)', async (t) => {
    const { options } = newStore(t)
    expect(await extractDelta('nobody', options)).toEqual({
      skipped: true,
      reason: 'no_transcript',
    })
    await claimSession('claimed', { ...options, runtimePath: 'plugin' })
    expect(await extractDelta('claimed', options)).toEqual({
      skipped: true,
      reason: 'no_transcript',
    })
  })

  it('under bypass (001-54)', async (t) => {
    const { options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    await setBypass('demo', true, options)
    expect(await extractDelta('demo', options)).toEqual({ skipped: true, reason: 'bypassed' })
    await setBypass('demo', false, options)
    await extracted(options)
  })

  it('while another path has the session; the own claim is renewed and not released (001-48, 001-56)', async (t) => {
    const { clock, options } = newStore(t)
    const session = await openDemo(options)
    await sayChars(session, 600)
    await session.release()
    await claimSession('demo', { ...options, runtimePath: 'plugin' })
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
    expect(readClaim('demo', options)).toMatchObject({
      runtimePath: 'plugin',
      expiresAt: clock.iso(4 * HOUR),
    })
  })
})

describe('a transcript from elsewhere', () => {
  it('that is handed in wins over a path, and a path over the stored one (001-50)', async (t) => {
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

  it('is extracted piece by piece, apart from the stored one', async (t) => {
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
    // Another text altogether is told from one that grew.
    const told: Diagnostic[] = []
    const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
    const other = `User: ${'z'.repeat(1300)}`
    expect((await extracted({ ...options, transcript: other, onDiagnostic })).fromOffset).toBe(0)
    expect(told).toMatchObject([{ code: 'cursor_mismatch' }])
  })

  it('counts the lines of a file that have their newline, and no blank ones', async (t) => {
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

  it('may be a log of ours or of Claude Code', async (t) => {
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

  it('must be a regular file of bounded size inside an allowed folder (001-51)', async (t) => {
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
      'outside of the allowed': join(outside, 'secret.txt'),
      'allowed folders': join(root, 'link.txt'),
      'of the allowed folders': join(root, '..', outside.split('/').at(-1)!, 'secret.txt'),
      'not a regular file': join(root, 'folder'),
      'larger than 64 MiB': join(root, 'large.txt'),
      'cannot be read \\(ENOENT\\)': join(root, 'missing.txt'),
    }
    for (const [reason, transcriptPath] of Object.entries(refused)) {
      const told: Diagnostic[] = []
      const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
      // Not the stored one instead: whoever names a transcript means that one.
      expect(await extractDelta('demo', { ...options, transcriptPath, onDiagnostic })).toEqual({
        skipped: true,
        reason: 'path_refused',
      })
      expect(told).toMatchObject([{ code: 'transcript_path_refused', file: transcriptPath }])
      expect(told[0]!.message).toMatch(new RegExp(reason))
    }
    const allowed = { ...options, allowedFolders: [outside] }
    const transcriptPath = join(outside, 'secret.txt')
    expect((await extracted({ ...allowed, transcriptPath })).text).toBe(text.trim())
  })

  it('may lie in the folders of the harness and of its staging (001-51)', async (t) => {
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
