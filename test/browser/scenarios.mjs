// What a person does with the viewer, and what they see.

import assert from 'node:assert/strict'
import { startServer } from './server.mjs'
import { newRoot, writeStory } from './stores.mjs'

/** A server with the story, and the page of its session. */
async function openStory(scenario, { path = '/?session=story', wait = true } = {}) {
  const root = newRoot()
  scenario.remove(root)
  const story = await writeStory(root)
  const server = await startServer(root)
  scenario.onEnd(() => server.stop())
  await scenario.page.goto(server.address(path))
  if (wait) await scenario.page.locator('article.item').first().waitFor()
  return { root, server, ...story }
}

export const SCENARIOS = {
  'the list shows sessions and opens one': async (scenario) => {
    const { page } = scenario
    await openStory(scenario, { path: '/', wait: false })
    await page.waitForTimeout(2000)
    await page.screenshot({ path: '/tmp/viewer0.png' })
    await page.getByRole('link', { name: /Repair the parser/ }).click()
    await page.locator('article.item.prompt').first().waitFor()
    assert.match(page.url(), /\?session=story/)
    assert.doesNotMatch(page.url(), /token/)
    await page.screenshot({ path: '/tmp/viewer.png' })
  },
}
