// `npm run real [-- <client>… [hooks]] [--only <scenario>] [--record] [--verbose]`
//
// Runs the released clients on a fake model server, resumes each recorded session with the client itself,
// and compares what it sends with our import of the same session. Downloads the clients, so it is not part of
// the test line; what it records with --record is (fixtures/real).

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareMessages } from './rig/compare.mjs'
import { startModelServer } from './rig/model-server.mjs'
import { importAndInspect, listLosses } from './rig/ours.mjs'
import { recordFixture } from './rig/record.mjs'
import { closeTerminals, hasTmux } from './rig/terminal.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    record: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const isHooks = positionals.includes('hooks')
const CLIENTS = isHooks
  ? ['claude-code', 'codex', 'gemini', 'opencode']
  : ['claude-code', 'codex', 'pi', 'gemini']
const unknown = positionals.filter((name) => ![...CLIENTS, 'hooks'].includes(name))
if (unknown.length > 0) {
  console.error(`unknown client ${unknown.join(', ')}; known: ${CLIENTS.join(', ')}`)
  process.exit(2)
}
const isAll = positionals.every((name) => name === 'hooks')
const wanted = CLIENTS.filter((name) => isAll || positionals.includes(name))

let failures = 0
for (const name of wanted) {
  const module = await import(`./${name}/${isHooks ? 'hooks' : 'client'}.mjs`)
  failures += await runClient(module.default)
}
closeTerminals()
process.exitCode = failures === 0 ? 0 : 1

async function runClient(client) {
  const counts = { equal: 0, wording: 0, reported: 0, wrong: 0, skipped: 0 }
  const chosen = client.scenarios.filter(
    ({ name }) => values.only === undefined || values.only.includes(name),
  )
  const installed = await client.install()
  for (const scenario of chosen) {
    const result = await runScenario(client, scenario, installed)
    counts[result.verdict]++
    const why = result.note === undefined ? '' : `  ${result.note}`
    console.log(`${result.verdict.padEnd(9)}${client.name} ${scenario.name}${why}`)
    if (result.diff?.length > 0 && (values.verbose || result.verdict === 'wrong')) {
      console.log(result.diff.map((line) => `    ${line}`).join('\n'))
    }
  }
  const sums = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  console.log(`${client.name} ${client.version}: ${chosen.length} scenarios, ${sums.join(', ')}\n`)
  return counts.wrong
}

/**
 * A scenario is `{ name, needsTerminal?, run(context) }`. `run` lives through it and returns
 * `{ home, files, session, sessionId, theirs, wording? }`, or `{ verdict, note, diff? }` where it
 * compares by itself.
 */
async function runScenario(client, scenario, installed) {
  if (scenario.needsTerminal === true && !hasTmux())
    return { verdict: 'skipped', note: 'tmux is not installed' }
  const folder = mkdtempSync(join(tmpdir(), `real-${client.name}-`))
  const server = await startModelServer(client.protocols)
  try {
    const outcome = await scenario.run({ folder, server, installed })
    return outcome.verdict === undefined ? judge(client, scenario, outcome) : outcome
  } catch (error) {
    return { verdict: 'wrong', note: `the scenario failed: ${error.message}` }
  } finally {
    await server.close()
    removeFolder(folder)
  }
}

/** A process that the client left behind may still write into it; that is no result of the scenario. */
function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch (error) {
    console.error(`${folder} was not removed: ${error.message}`)
  }
}

function judge(client, scenario, outcome) {
  const { home, files, session, sessionId, theirs, wording = client.wording } = outcome
  const { reports, messages } = importAndInspect([session], sessionId)
  const { verdict, diff, rules } = compareMessages(theirs, messages, wording)
  const losses = listLosses(reports)
  if (verdict === 'wrong' && losses.length > 0) {
    return { verdict: 'reported', diff, note: losses.join(', ') }
  }
  if (values.record && verdict !== 'wrong') {
    const { name, version, scrub, scrubMessages } = client
    recordFixture({
      client: name,
      version,
      scenario: scenario.name,
      home,
      files,
      session,
      sessionId,
      messages: theirs,
      verdict,
      rules,
      scrub,
      scrubMessages,
    })
  }
  return { verdict, diff, note: rules.length === 0 ? undefined : rules.join(', ') }
}
