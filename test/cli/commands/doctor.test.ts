import { appendFileSync, chmodSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openContext, spoolEvent } from '../../../lib/store/index.js'
import { runCli, runWell } from '../command-line.js'
import { contentsOf, newPlace, openSession, storeSession } from '../stored.js'

test('doctor shows a healthy store on one screen and exits with 0', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const before = contentsOf(place.root)
  const stdout = await runWell(['doctor'], { root: place.root })
  expect(stdout).toMatch(/^transcripts +1 file +\d/m)
  expect(stdout).toMatch(/^locks +(?:kernel|advisory), 0 held$/m)
  expect(stdout).toMatch(/^history +0 of 10000 entries/m)
  expect(stdout).toMatch(/^healthy {2}both ends of each log$/m)
  expect(await runWell(['doctor', '--deep'], { root: place.root })).toContain('every line was read')
  expect(contentsOf(place.root)).toEqual(before)
})

test.skipIf(process.platform === 'win32')(
  'doctor exits with 1 for findings, and --fix reports what it fixed and what remains',
  async (t) => {
    const place = newPlace(t)
    const { root } = place
    const path = await storeSession(place, 'demo')
    const leftover = join(root, '.transcripts', 'settings.json.42')
    writeFileSync(leftover, '', { mode: 0o600 })
    utimesSync(leftover, 1, 1)
    chmodSync(path, 0o644)
    const found = await runCli(['doctor'], { root })
    expect(found.exitCode).toBe(1)
    expect(found.stdout).toContain(`warning  mode  ${path}`)
    expect(found.stderr).toContain('doctor --fix')
    expect(statSync(path).mode & 0o777).toBe(0o644)

    const fixed = await runCli(['doctor', '--fix'], { root })
    expect(fixed.exitCode).toBe(0)
    expect(fixed.stdout).toContain(`fixed  removed the access of other users to ${path}\n`)
    expect(fixed.stdout).toContain(`fixed  removed ${leftover}\n`)

    appendFileSync(path, 'damage\n')
    const damaged = await runCli(['doctor', '--fix', '--json'], { root })
    expect(damaged.exitCode).toBe(1)
    expect(JSON.parse(damaged.stdout)).toMatchObject({
      healthy: false,
      findings: [{ code: 'damage', path, message: 'bad_line (1)' }],
      fixed: [],
    })
  },
)

test('many findings of one kind stay on the screen', async (t) => {
  const place = newPlace(t)
  for (let index = 0; index < 8; index++) {
    appendFileSync(await storeSession(place, `demo${index}`), 'damage\n')
  }
  const { stdout } = await runCli(['doctor'], { root: place.root })
  expect(stdout.match(/^error {2}damage/gm)).toHaveLength(5)
  expect(stdout).toContain('… and 3 more of error damage; --json shows all')
})

test('doctor shows queued events that were refused, and why', async (t) => {
  const place = newPlace(t)
  const { root } = place
  const session = await openSession(place, 'demo')
  await session.append({ type: 'remember', uuid: 'n1', payload: { text: 'one' } })
  const store = openContext({ root, home: root })
  await spoolEvent(store, 'demo', { type: 'remember', uuid: 'n1', payload: { text: 'other' } })
  await session.close()
  const { exitCode, stdout } = await runCli(['doctor'], { root })
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^warning +refused /m)
  expect(stdout).toMatch(/session "demo" were refused: .* another event with the uuid "n1"/)
  const { findings } = JSON.parse((await runCli(['doctor', '--json'], { root })).stdout)
  const [refused] = findings.filter(({ code }: { code: string }) => code === 'refused')
  expect(refused.path).toContain(join('.spool', 'refused', 'demo--'))
})

test('doctor names a few of the unknown entries of a store', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  writeFileSync(join(place.root, 'notes.txt'), '')
  const one = await runCli(['doctor'], { root: place.root })
  expect(one.stdout).toMatch(/^unknown +.*notes\.txt; not touched$/m)
  for (let index = 0; index < 6; index++) writeFileSync(join(place.root, `n${index}.txt`), '')
  const many = await runCli(['doctor'], { root: place.root })
  expect(many.stdout).toMatch(/^unknown +.* and 2 more; not touched$/m)
})

test('who holds a lock is named, and a home of its own', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const home = newPlace(t).root
  const { stdout } = await runCli(['doctor', '--home', home], { root: place.root })
  expect(stdout).toMatch(new RegExp(`^locks +.* held by ${process.pid}$`, 'm'))
  expect(stdout).toMatch(new RegExp(`^home +${home}$`, 'm'))
})
