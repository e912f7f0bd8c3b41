// Which settings are in force, and where each of them comes from.

import { policySettings } from '../../../compaction/index.js'
import { continuitySettings } from '../../../continuity/index.js'
import { isSessionError } from '../../../errors.js'
import { diagnostic } from '../../../format/index.js'
import { CONFIG_NAMES, configBlock, recoveryWindowMs } from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { findPagerCommand } from '../../output/pager.js'
import { pad, toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const LESSON = `The settings of hooks, commands and the MCP server are in config.json, in the root of the store
and in the home. The root takes precedence. summarizer, pager, launcher and history.retainDays count
in the home only: a cloned repository starts no program, reaches no server and removes no prompts.
An option or a variable takes precedence over both files. Ignored settings are reported on stderr.
For example: { "continuity": { "promptInterval": 5 }, "summarizer": "extractive" }

Examples:
  $ jsonl-session config
  continuity.enabled            true       default
  continuity.promptInterval     5          /home/ada/.jsonl-session/config.json
  …

  $ jsonl-session config --json
  {"files":[{"path":"…","exists":true}],"settings":[{"name":"continuity.enabled",…}],"problems":[]}

Exit codes:
  0 printed · 1 a part of a file is ignored · 2 wrong use, or failed
`

export interface ForceSetting {
  readonly name: string
  /** `null`: not set. */
  readonly value: unknown
  /** A file, a variable or `default`. */
  readonly from: string
}

export const config: Command = {
  name: 'config',
  summary: 'Show the settings and where they come from',
  lesson: LESSON,

  async run(call) {
    const { files, problems } = call.store.config()
    const found = [...problems]
    const settings = settingsInForce(call, (problem) => found.push(problem))
    const count = found.length
    return printAnswer(call, {
      json: { files, settings, problems: found.map(({ file, message }) => ({ file, message })) },
      lines: () => toLines(settings),
      // The store has reported what it ignored.
      diagnostics: found.slice(problems.length),
      no: count === 0 ? undefined : `${count} of the settings in the files are ignored`,
    })
  },
}

type Report = Parameters<typeof continuitySettings>[1] & object

function settingsInForce(call: Call, report: Report): ForceSetting[] {
  const given = call.store.config()
  const values = new Map<string, unknown>([
    ...named('continuity', continuitySettings(configBlock(given, 'continuity'), report)),
    ...named('compaction', compactionSettings(configBlock(given, 'compaction'), report)),
    ['recovery.withinHours', recoveryWindowMs(call.store) / (60 * 60 * 1000)],
  ])
  const variable = call.env.host.variables['HISTORY_RETAIN_DAYS']?.trim()
  return CONFIG_NAMES.map((name) => {
    if (name === 'pager') return { name, ...findPagerCommand(call.store) }
    if (name === 'history.retainDays' && variable !== undefined && variable !== '') {
      return { name, value: Number(variable), from: 'HISTORY_RETAIN_DAYS' }
    }
    const setting = given.settings.get(name)
    const value = values.get(name) ?? setting?.value ?? null
    return { name, value, from: setting?.path ?? 'default' }
  })
}

function named(block: string, settings: object): [string, unknown][] {
  return Object.entries(settings).map(([name, value]) => [`${block}.${name}`, value])
}

function compactionSettings(block: object, report: Report): object {
  try {
    return policySettings(block)
  } catch (error) {
    if (!isSessionError(error)) throw error
    report(diagnostic('invalid_setting', error.message))
    return policySettings()
  }
}

function toLines(settings: readonly ForceSetting[]): string[] {
  const rows = settings.map(({ name, value, from }) => ({
    name,
    text: value === null ? '-' : toPlainText(String(value)),
    from: toPlainText(from),
  }))
  const widthOf = (key: 'name' | 'text') => Math.max(...rows.map((row) => row[key].length))
  const [names, texts] = [widthOf('name'), widthOf('text')]
  return rows.map(({ name, text, from }) => `${pad(name, names)}  ${pad(text, texts)}  ${from}`)
}
