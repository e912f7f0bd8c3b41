// `npm run browser`: the viewer in a real Chromium. Prints one line for each scenario, and why all were
// skipped. With `--optional` it is no failure that there is no browser. `--only TEXT` runs the scenarios
// whose name contains the text; `--screenshots` writes the pictures of docs/VIEWER.md.

import { existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../helpers/install-packages.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const SCENARIO_MS_MAX = 120_000

const isOptional = process.argv.includes('--optional')
const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path))
const problem =
  executablePath === undefined
    ? 'no Chromium was found (install the package chromium, or set CHROMIUM)'
    : installPackages(HERE)

if (problem !== undefined) {
  console.log(`skipped  viewer in a browser: ${problem}`)
  process.exitCode = isOptional ? 0 : 1
} else await runAll()

async function runAll() {
  const { chromium } = await import('playwright-core')
  const { SCENARIOS } = await import('./scenarios.mjs')
  const at = process.argv.indexOf('--only')
  const only = at === -1 ? '' : process.argv[at + 1]
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
  ]
  const browser = await chromium.launch({ executablePath, args })
  let failed = 0
  try {
    for (const [name, run] of Object.entries(SCENARIOS)) {
      if (!name.includes(only)) continue
      const started = Date.now()
      const error = await runOne(browser, run).then(
        () => undefined,
        (reason) => reason,
      )
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      console.log(`${error === undefined ? 'ok      ' : 'FAILED  '} ${name} (${seconds} s)`)
      if (error !== undefined) {
        failed++
        console.log(String(error.stack ?? error).replace(/^/gm, '         '))
      }
    }
  } finally {
    await browser.close()
  }
  process.exitCode = failed === 0 ? 0 : 1
}

async function runOne(browser, run) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const errors = []
  const requests = []
  page.on('pageerror', (error) => errors.push(`page error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => requests.push(request.url()))
  const cleanups = []
  const scenario = {
    context,
    page,
    errors,
    requests,
    takesScreenshots: process.argv.includes('--screenshots'),
    onEnd: (cleanup) => cleanups.push(cleanup),
    remove: (path) => cleanups.push(() => rmSync(path, { recursive: true, force: true })),
  }
  let timer
  try {
    await Promise.race([
      run(scenario),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error('the scenario takes too long')), SCENARIO_MS_MAX)
      }),
    ])
    if (errors.length > 0) throw new Error(errors.join('\n'))
  } catch (error) {
    if (errors.length > 0) error.stack += `\n${errors.join('\n')}`
    throw error
  } finally {
    clearTimeout(timer)
    await context.close()
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}
