// What a person does with the viewer, and what they see.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { startServer } from './server.mjs'
import {
  createSession,
  newRoot,
  openStore,
  user,
  writeHostile,
  writeLong,
  writeMany,
  writeStory,
} from './stores.mjs'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAM = join(PROJECT, 'dist/bin/jsonl-session.cjs')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A store, its server and a page of it. */
async function open(scenario, write, { path, args, wait = 'article.item' } = {}) {
  const root = newRoot()
  scenario.remove(root)
  const written = await write(root)
  const server = await startServer(root, { args })
  scenario.onEnd(() => server.stop())
  await scenario.page.goto(server.address(path))
  await scenario.page.locator(wait).first().waitFor()
  return { root, server, ...written }
}

const openStory = (scenario, options = {}) =>
  open(scenario, (root) => writeStory(root), { path: '/?session=story', ...options })

/** The text of all items on the page. */
const textOf = (page) => page.locator('.items').innerText()

const item = (page, text) => page.locator('article.item').filter({ hasText: text })

async function exportHtml(scenario, write, id, args = []) {
  const root = newRoot()
  scenario.remove(root)
  await write(root)
  const output = join(root, 'page.html')
  execFileSync(process.execPath, [
    PROGRAM,
    'export',
    id,
    '--root',
    root,
    '--home',
    root,
    '--format',
    'html',
    '--output',
    output,
    ...args,
  ])
  await scenario.context.setOffline(true)
  await scenario.page.goto(pathToFileURL(output).href)
  await scenario.page.locator('article.item').first().waitFor()
  return output
}

async function findViolations(page) {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`)
}

async function takeScreenshot({ page, takesScreenshots }, name) {
  if (!takesScreenshots) return
  await page.screenshot({ path: join(PROJECT, 'docs/viewer', `${name}.png`) })
}

export const SCENARIOS = {
  'the list shows sessions and opens one; the token leaves the address': async (scenario) => {
    const { page } = scenario
    const write = async (root) => {
      await writeMany(root, 12)
      return writeStory(root)
    }
    await open(scenario, write, { path: '/', wait: '.row' })
    await takeScreenshot(scenario, 'list')
    await page.getByRole('link', { name: /Repair the parser/ }).click()
    await page.locator('article.reply', { hasText: 'I look at it first' }).waitFor()
    assert.match(page.url(), /\?session=story/)
    assert.doesNotMatch(page.url(), /token/)
    await page.goBack()
    await page.getByRole('link', { name: /Repair the parser/ }).waitFor()
  },

  'a tool call is shown with its result, duration and error, and a change is coloured': async (
    scenario,
  ) => {
    const { page } = scenario
    await openStory(scenario)
    const reply = page.locator('article.reply', { hasText: 'I look at it first' })
    await reply.locator('.badge.error').waitFor()
    assert.equal(await reply.locator('.badge.error').count(), 1)
    assert.equal(await reply.locator('.badge.ok').count(), 1)
    assert.match(await reply.innerText(), /1\.2 s/)
    assert.equal(await reply.locator('.tool-body').first().isVisible(), false)
    await reply.locator('details.call summary').nth(0).click()
    await reply.getByText('one test failed').waitFor()
    await reply.locator('details.call summary').nth(1).click()
    assert.deepEqual(
      (await reply.locator('.removed').allInnerTexts()).map((text) => text.trim()),
      ['- b'],
    )
    assert.deepEqual(
      (await reply.locator('.added').allInnerTexts()).map((text) => text.trim()),
      ['+ B'],
    )
    assert.equal(await item(page, 'Tool result').count(), 0)
    await takeScreenshot(scenario, 'session')
  },

  'Markdown, code and images are shown': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    assert.equal(await page.locator('.markdown strong').first().innerText(), 'parser')
    await page.locator('.items img.picture').waitFor()
    const width = await page.locator('img.picture').evaluate((image) => image.naturalWidth)
    assert.equal(width, 1)
    await page.locator('.markdown table').waitFor()
    await page.locator('.hljs-keyword').first().waitFor()
  },

  'secrets are replaced, and no switch shows them': async (scenario) => {
    const { page } = scenario
    const { server } = await openStory(scenario)
    assert.match(await textOf(page), /My key is \[REDACTED\]/)
    assert.equal(await page.getByText('Show secrets').count(), 0)
    const status = await page.evaluate(
      async (token) =>
        (
          await fetch('/api/sessions/story/events?secrets=1', {
            headers: { authorization: `Bearer ${token}` },
          })
        ).status,
      server.pageUrl.split('#token=')[1],
    )
    assert.equal(status, 403)
    scenario.errors.length = 0
  },

  'with --allow-secrets a switch shows them': async (scenario) => {
    const { page } = scenario
    await openStory(scenario, { args: ['--allow-secrets'] })
    await page.getByLabel('Show secrets').check()
    await page
      .getByText(/sk-ant-api03-x/)
      .first()
      .waitFor()
  },

  'the lens "seen" shows the summary and what was kept': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    await page.getByRole('radio', { name: 'What the model sees now' }).check()
    await item(page, 'Session started').waitFor({ state: 'detached' })
    await page.locator('article.summary', { hasText: 'SUMMARY: the parser was repaired' }).waitFor()
    const text = await textOf(page)
    assert.match(text, /And now the documentation/)
    assert.doesNotMatch(text, /I look at it first/)
    assert.doesNotMatch(text, /taken back/)
  },

  'the lens "as of" shows what the model saw then, and the slider moves it': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    await item(page, 'a question that is taken back').click()
    await page.keyboard.press('3')
    await page.getByRole('slider').waitFor()
    await page.waitForFunction(
      () =>
        !document
          .querySelector('jsonl-session-app')
          .shadowRoot.querySelector('.items')
          .innerText.includes('Session started'),
    )
    assert.match(await textOf(page), /a question that is taken back/)
    assert.doesNotMatch(await textOf(page), /SUMMARY/)
    await page.getByRole('slider').fill('3')
    await page.getByText('Event 4 of').waitFor()
    await page.waitForFunction(
      () =>
        !document
          .querySelector('jsonl-session-app')
          .shadowRoot.querySelector('.items')
          .innerText.includes('taken back'),
    )
  },

  'a compaction shows its whole summary, what it covered and what it kept': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    await page.keyboard.press('b')
    const boundary = page.locator('article.boundary')
    await boundary.getByText('SUMMARY: the parser was repaired').waitFor()
    await boundary.getByText(/Covered by the summary: [1-9]/).click()
    await boundary.getByText(/Kept as they were: [1-9]/).click()
    await boundary.locator('.covered li', { hasText: 'Please repair the' }).waitFor()
    assert.match(await boundary.innerText(), /24,800 tokens before/)
    await takeScreenshot(scenario, 'compaction')
  },

  'the tree goes to branches, rewinds, compactions and subagents': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    const rail = page.getByRole('navigation', { name: 'Tree of the session' })
    await takeScreenshot(scenario, 'tree')
    await rail.locator('button.left').first().click()
    await page.locator('article.active', { hasText: 'taken back' }).waitFor()
    await rail.locator('section', { hasText: 'Subagents' }).getByRole('button').click()
    await page.locator('article.active.subagent').waitFor()
    await rail.locator('section', { hasText: 'Rewinds' }).getByRole('button').click()
    await page.locator('article.active', { hasText: 'Rewound' }).waitFor()
  },

  'a subagent opens in its place': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    const spawn = page.locator('article.subagent')
    await spawn.getByRole('button', { name: /Open the log of/ }).click()
    await spawn.getByText('The grammar is in grammar.txt').waitFor()
  },

  'a resumed session leads to the one it continues and back': async (scenario) => {
    const { page } = scenario
    const write = async (root) => {
      await writeStory(root)
      const store = openStore({ root })
      const { session } = await store.resumeSession({ id: 'story', mode: 'new' })
      await session.append(user('the day after'))
      await session.close()
      return { childId: session.id }
    }
    const { childId, server } = await open(scenario, write, { path: '/?session=story' })
    await page.goto(server.address(`/?session=${childId}`))
    await item(page, 'the day after').waitFor()
    const rail = page.getByRole('navigation', { name: 'Tree of the session' })
    await rail.locator('section', { hasText: 'Continues' }).getByRole('button').click()
    await page.waitForURL(/session=story/)
    await page.locator('article.active', { hasText: 'Done.' }).waitFor()
    await rail.locator('section', { hasText: 'Continued by' }).getByRole('button').click()
    await item(page, 'the day after').waitFor()
    await page.keyboard.press('2')
    await page.locator('article.summary', { hasText: 'SUMMARY: the parser' }).waitFor()
  },

  'raw JSON and the byte range of an event are one key away': async (scenario) => {
    const { page } = scenario
    const { root } = await openStory(scenario)
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    const panel = page.getByRole('complementary', { name: 'Raw JSON' })
    await panel.getByText('"prev_uuid"').waitFor()
    const [, from, to] = /bytes ([\d,]+)–([\d,]+)/.exec(await panel.innerText())
    const bytes = readFileSync(join(root, '.transcripts/story.jsonl'))
    const place = [from, to].map((number) => Number(number.replaceAll(',', '')))
    assert.equal(JSON.parse(String(bytes.subarray(...place))).type, 'user')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
  },

  'damage is shown where it is, with its reason': async (scenario) => {
    const { page } = scenario
    const write = async (root) => {
      const session = await createSession({ root, id: 'broken' })
      await session.append(user('before'))
      await session.close()
      appendFileSync(join(root, '.transcripts/broken.jsonl'), '{"type":"user","ts":"20\n')
      const store = openStore({ root })
      await store.appendTranscript({ session_id: 'broken', event: user('after') })
    }
    await open(scenario, write, { path: '/?session=broken' })
    const damage = page.locator('article.problem')
    await damage.waitFor()
    assert.match(await damage.innerText(), /bytes \d+–\d+/)
    await page.keyboard.press('e')
    await page.locator('article.problem.active').waitFor()
  },

  'search in the session finds decoded text, marks it and goes from match to match': async (
    scenario,
  ) => {
    const { page } = scenario
    await openStory(scenario)
    await page.keyboard.press('/')
    await page.keyboard.type('needle in the')
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1').waitFor()
    await page.locator('article.active mark', { hasText: 'needle in the' }).waitFor()
    await page.getByRole('searchbox').fill('taken back')
    await page.keyboard.press('Enter')
    await page.getByText('1 of 2').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.getByText('2 of 2').waitFor()
  },

  'Ctrl-K searches all sessions and opens the match': async (scenario) => {
    const { page } = scenario
    await open(
      scenario,
      async (root) => {
        await writeMany(root, 3)
        await writeStory(root)
      },
      { path: '/', wait: '.row' },
    )
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('searchbox').fill('needle in the haystack')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Repair the parser/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/session=story/)
    await page.locator('article.active', { hasText: 'I look at it first' }).waitFor()
  },

  'keys go by prompt, error and compaction, and the address follows': async (scenario) => {
    const { page } = scenario
    await openStory(scenario)
    await page.keyboard.press('j')
    await page.locator('article.prompt.active').waitFor()
    const first = await page.locator('article.active').getAttribute('data-uuid')
    await page.waitForFunction((uuid) => location.hash === `#${uuid}`, first)
    await page.keyboard.press('j')
    await page.locator('article.prompt.active', { hasText: 'picture' }).waitFor()
    await page.keyboard.press('k')
    await page.locator(`article.active[data-uuid="${first}"]`).waitFor()
    await page.keyboard.press('e')
    await page.locator('article.has-error.active').waitFor()
    await page.keyboard.press('b')
    await page.locator('article.boundary.active').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  },

  'a link with #uuid opens at that event': async (scenario) => {
    const { page } = scenario
    const { leftUuid } = await openStory(scenario)
    await page.goto('about:blank')
    await page.goBack()
    await page.evaluate((uuid) => {
      location.hash = uuid
      location.reload()
    }, leftUuid)
    await page.locator(`article.active[data-uuid="${leftUuid}"]`).waitFor()
  },

  'the resume command is copied': async (scenario) => {
    const { page, context } = scenario
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openStory(scenario)
    await page.getByRole('button', { name: 'Copy resume command' }).click()
    await page.getByText('Copied the resume command').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(copied, 'jsonl-session resume story')
  },

  'new events arrive while a person reads, without a jump': async (scenario) => {
    const { page } = scenario
    const { root } = await open(scenario, (root) => writeLong(root, 'long', 300), {
      path: '/?session=long',
    })
    await page.getByText('Live').waitFor()
    await page.locator('.items').evaluate((list) => list.scrollTo(0, 3000))
    await page.waitForTimeout(300)
    const before = await page.locator('.items').evaluate((list) => list.scrollTop)
    const store = openStore({ root })
    await store.appendTranscript({ session_id: 'long', event: user('written while it is open') })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assert.equal(await page.locator('.items').evaluate((list) => list.scrollTop), before)
    await page.getByRole('button', { name: '1 new' }).click()
    await item(page, 'written while it is open').waitFor()
  },

  'live follow survives a restart of the server: nothing is missed, nothing is doubled': async (
    scenario,
  ) => {
    const { page } = scenario
    const { root, server } = await openStory(scenario)
    await page.getByText('Live').waitFor()
    const store = openStore({ root })
    await store.appendTranscript({ session_id: 'story', event: user('arrival one') })
    await item(page, 'arrival one')
      .waitFor({ state: 'attached' })
      .catch(() => {})
    await server.stop('SIGKILL')
    await page.getByText('Connecting…').waitFor()
    await store.appendTranscript({ session_id: 'story', event: user('arrival two') })
    const again = await startServer(root, { port: server.port })
    scenario.onEnd(() => again.stop())
    await store.appendTranscript({ session_id: 'story', event: user('arrival three') })
    await page.getByRole('button', { name: '3 new' }).waitFor()
    await page.keyboard.press('G')
    for (const text of ['arrival one', 'arrival two', 'arrival three']) {
      await item(page, text).first().waitFor()
      assert.equal(await item(page, text).count(), 1, text)
    }
    scenario.errors.length = 0
  },

  'a marker shows what is new since the last visit': async (scenario) => {
    const { page } = scenario
    const { root } = await openStory(scenario)
    await page.getByText('Live').waitFor()
    await page.keyboard.press('G')
    await page.locator('article.active', { hasText: 'Session ended' }).waitFor()
    await page.waitForTimeout(300)
    await page.goto('about:blank')
    const store = openStore({ root })
    await store.appendTranscript({ session_id: 'story', event: user('new for you') })
    await page.goBack()
    await page.locator('article.item').first().waitFor()
    await page.keyboard.press('G')
    await page.getByText('New since you were last here').waitFor()
  },

  '50,000 events: few requests and nodes for the first paint, no blank areas, little memory':
    async (scenario) => {
      const { page, requests, context } = scenario
      await open(scenario, (root) => writeLong(root, 'huge', 50_000), { path: '/?session=huge' })
      const first = requests.filter((url) => url.includes('/api/')).length
      assert.ok(first <= 8, `${first} requests before the first item`)
      const nodes = () =>
        page.evaluate(
          () => document.querySelector('jsonl-session-app').shadowRoot.querySelectorAll('*').length,
        )
      assert.ok((await nodes()) < 1500, `${await nodes()} nodes`)
      await page.getByText(/50,0\d\d events/).waitFor({ timeout: 45_000 })
      for (const share of [0.1, 0.5, 0.9, 0.3, 1]) {
        await page.locator('.items').evaluate((list, share) => {
          list.scrollTo(0, list.scrollHeight * share)
        }, share)
        await page.waitForFunction(() => {
          const root = document.querySelector('jsonl-session-app').shadowRoot
          const { top, height, left } = root.querySelector('.items').getBoundingClientRect()
          const places = [0.1, 0.5, 0.85].map((part) =>
            root.elementFromPoint(left + 200, top + height * part),
          )
          return places.every((element) => element?.closest('article') !== null)
        })
      }
      assert.ok((await nodes()) < 1500, `${await nodes()} nodes after scrolling`)
      const session = await context.newCDPSession(page)
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      assert.ok(usedSize < 300e6, `${Math.round(usedSize / 1e6)} MB`)
    },

  'a list of 20,000 sessions is filtered in the browser, with few nodes': async (scenario) => {
    const { page } = scenario
    // The server is not what is tried here: one page of it is answered 20 times.
    await page.route('**/api/store/sessions**', async (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('from') ?? 0)
      const sessions = Array.from({ length: 1000 }, (_, at) => ({
        id: `s${from + at}`,
        title: `Session number ${from + at}`,
        project: `/work/project-${(from + at) % 40}`,
        status: 'clean',
        startedAt: null,
        updatedAt: new Date(1.7e12 + (from + at) * 1000).toISOString(),
        bytes: 1000,
        tags: [],
        parent: null,
      }))
      const next = from + 1000 < 20_000 ? String(from + 1000) : null
      await route.fulfill({ json: { sessions, next, total: 20_000, skipped: [] } })
    })
    await open(scenario, (root) => writeMany(root, 1), { path: '/', wait: '.row' })
    await page.getByText('20,000 of 20,000').waitFor()
    const nodes = await page.evaluate(
      () => document.querySelector('jsonl-session-app').shadowRoot.querySelectorAll('*').length,
    )
    assert.ok(nodes < 1000, `${nodes} nodes`)
    await page.getByLabel('Filter sessions').fill('number 12345')
    await page.getByText('1 of 20,000').waitFor()
    await page.getByLabel('Filter sessions').fill('')
    await page.getByLabel('Project').selectOption('/work/project-7')
    await page.getByText('500 of 20,000').waitFor()
  },

  'everything can be done with the keyboard alone': async (scenario) => {
    const { page } = scenario
    await open(scenario, (root) => writeStory(root), { path: '/', wait: '.row' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('article.reply', { hasText: 'I look at it first' }).waitFor()
    await page.keyboard.press('2')
    await item(page, 'Session started').waitFor({ state: 'detached' })
    await page.locator('article.summary', { hasText: 'SUMMARY' }).waitFor()
    await page.keyboard.press('1')
    await page.getByText('21 events').waitFor()
    await page.keyboard.press('g')
    await item(page, 'Session started').waitFor()
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      const label = await page.evaluate(() => {
        const focused = document.querySelector('jsonl-session-app').shadowRoot.activeElement
        return focused?.getAttribute('aria-label') ?? focused?.textContent ?? ''
      })
      if (label === 'Fold User') break
    }
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unfold User' }).first().waitFor()
  },

  'a phone shows the list and a session without scrolling sideways': async (scenario) => {
    const { page } = scenario
    await page.setViewportSize({ width: 375, height: 700 })
    await open(scenario, (root) => writeStory(root), { path: '/', wait: '.row' })
    const isWide = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
    assert.equal(await isWide(), false)
    await page.getByRole('link', { name: /Repair the parser/ }).click()
    await item(page, 'Please repair').waitFor()
    assert.equal(await isWide(), false)
    await page.getByRole('button', { name: 'Tree' }).click()
    await page.getByRole('navigation', { name: 'Tree of the session' }).waitFor()
  },

  'axe finds nothing serious, in light and in dark': async (scenario) => {
    const { page } = scenario
    const { server } = await openStory(scenario)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      for (const path of ['/?session=story', '/']) {
        await page.goto(server.address(path))
        await page.locator('article.item, .row').first().waitFor()
        await page.waitForTimeout(300)
        const found = await findViolations(page)
        assert.deepEqual(found, [], `${colorScheme} ${path}`)
      }
    }
    // The policy of the page forbids what axe tries with styles; that is not an error of the page.
    scenario.errors.length = 0
  },

  'a hostile transcript runs nothing and loads nothing': async (scenario) => {
    const { page, requests } = scenario
    const { server } = await open(scenario, (root) => writeHostile(root), {
      path: '/?session=hostile',
    })
    for (const key of ['j', 'j', 'j', 'G', '2', '1', 'g']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(150)
    }
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      await page.locator('.items').evaluate((list, share) => {
        list.scrollTo(0, list.scrollHeight * share)
        for (const call of list.querySelectorAll('details')) call.open = true
      }, share)
      await page.waitForTimeout(300)
    }
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
    const origin = `http://127.0.0.1:${server.port}`
    const others = requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))
    assert.deepEqual(others, [])
    const links = await page.evaluate(() =>
      [...document.querySelector('jsonl-session-app').shadowRoot.querySelectorAll('a')].map(
        (link) => link.getAttribute('href'),
      ),
    )
    assert.deepEqual(
      links.filter((href) => href !== null && !/^(?:https?|mailto):/.test(href)),
      [],
    )
  },

  'an HTML export opens from disk without a network, with all lenses': async (scenario) => {
    const { page, requests } = scenario
    const output = await exportHtml(scenario, (root) => writeStory(root), 'story')
    assert.match(await textOf(page), /My key is \[REDACTED\]/)
    await page.keyboard.press('2')
    await item(page, 'Session started').waitFor({ state: 'detached' })
    await page.locator('article.summary', { hasText: 'SUMMARY: the parser was repaired' }).waitFor()
    assert.doesNotMatch(await textOf(page), /I look at it first/)
    await page.keyboard.press('1')
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1').waitFor()
    const spawn = page.locator('article.subagent')
    await spawn.scrollIntoViewIfNeeded()
    await spawn.getByRole('button', { name: /Open the log of/ }).click()
    await spawn.getByText('The grammar is in grammar.txt').waitFor()
    assert.deepEqual(
      requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')),
      [],
    )
    assert.equal(statSync(output).mode & 0o077, 0)
    assert.equal(readFileSync(output, 'utf8').includes('sk-ant-api03'), false)
  },

  'an HTML export of a hostile transcript runs nothing': async (scenario) => {
    const { page } = scenario
    await exportHtml(scenario, (root) => writeHostile(root), 'hostile')
    await page.keyboard.press('G')
    await page.waitForTimeout(300)
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined)
    const csp = await page.locator('meta[http-equiv]').getAttribute('content')
    assert.match(csp, /^default-src 'none'; script-src 'sha256-/)
  },

  'an HTML export prints the whole conversation': async (scenario) => {
    const { page } = scenario
    await exportHtml(scenario, (root) => writeLong(root, 'long', 400), 'long')
    const short = await page.pdf()
    assert.ok(short.includes('/Type /Page'))
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    const text = await page.locator('article.print').innerText()
    assert.match(text, /prompt 0/)
    assert.match(text, /reply 399/)
  },

  'the page is small and needs no other file': async () => {
    const folder = join(PROJECT, 'dist/viewer')
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(html)
    const gzipped = gzipSync(readFileSync(join(folder, script))).length
    assert.ok(gzipped < 150 * 1024, `${gzipped} bytes`)
    assert.doesNotMatch(html, /https?:\/\//)
  },
}
