// All commands by name, each loaded when it is called.

import type { Command } from './command.js'

type Load = () => Promise<Command>
/** The module that exports the command. */
type LoadModule = () => Promise<Record<string, unknown>>

/** As the help groups them. A name of two words is a command of a group: `history add`. */
const GROUPS: Record<string, Record<string, LoadModule>> = {
  Daily: {
    list: () => import('./commands/daily/list.js'),
    show: () => import('./commands/daily/show.js'),
    view: () => import('./commands/daily/view.js'),
    search: () => import('./commands/daily/search.js'),
    recall: () => import('./commands/daily/recall.js'),
    history: () => import('./commands/daily/history.js'),
    resume: () => import('./commands/daily/resume.js'),
    start: () => import('./commands/daily/start.js'),
    recover: () => import('./commands/daily/start.js'),
    'checkpoint add': () => import('./commands/daily/checkpoint.js'),
    compact: () => import('./commands/daily/compact.js'),
    uncompact: () => import('./commands/daily/uncompact.js'),
    fork: () => import('./commands/daily/fork.js'),
    rewind: () => import('./commands/daily/rewind.js'),
    rename: () => import('./commands/daily/rename.js'),
    tag: () => import('./commands/daily/tag.js'),
    close: () => import('./commands/daily/close.js'),
    prompt: () => import('./commands/daily/prompt.js'),
    remember: () => import('./commands/daily/prompt.js'),
    import: () => import('./commands/daily/import.js'),
    export: () => import('./commands/daily/export.js'),
  },
  Investigate: {
    log: () => import('./commands/investigate/log.js'),
    tail: () => import('./commands/investigate/tail.js'),
    grep: () => import('./commands/investigate/grep.js'),
    diff: () => import('./commands/investigate/diff.js'),
    verify: () => import('./commands/investigate/verify.js'),
    stats: () => import('./commands/investigate/stats.js'),
    status: () => import('./commands/investigate/status.js'),
    summaries: () => import('./commands/investigate/summaries.js'),
    extract: () => import('./commands/investigate/extract.js'),
    serve: () => import('./commands/investigate/serve.js'),
    'checkpoint list': () => import('./commands/investigate/checkpoints.js'),
    'checkpoint show': () => import('./commands/investigate/checkpoints.js'),
    'sidechain list': () => import('./commands/investigate/sidechains.js'),
    'sidechain show': () => import('./commands/investigate/sidechains.js'),
  },
  Maintain: {
    init: () => import('./commands/maintain/init.js'),
    doctor: () => import('./commands/maintain/doctor.js'),
    repair: () => import('./commands/maintain/repair.js'),
    archive: () => import('./commands/maintain/retire.js'),
    'archive list': () => import('./commands/maintain/retire.js'),
    'archive restore': () => import('./commands/maintain/retire.js'),
    trash: () => import('./commands/maintain/retire.js'),
    'trash list': () => import('./commands/maintain/retire.js'),
    'trash restore': () => import('./commands/maintain/retire.js'),
    prune: () => import('./commands/maintain/retire.js'),
    'checkpoint prune': () => import('./commands/maintain/checkpoint-prune.js'),
    'history rotate': () => import('./commands/maintain/history.js'),
    'history sweep': () => import('./commands/maintain/history.js'),
    relocate: () => import('./commands/maintain/relocate.js'),
    'hooks install': () => import('./commands/maintain/hooks.js'),
    'hooks uninstall': () => import('./commands/maintain/hooks.js'),
    'hooks status': () => import('./commands/maintain/hooks.js'),
    bypass: () => import('./commands/maintain/bypass.js'),
    config: () => import('./commands/maintain/config.js'),
  },
  Plumbing: {
    append: () => import('./commands/plumbing/append.js'),
    'history add': () => import('./commands/plumbing/history-add.js'),
    'hooks run': () => import('./commands/plumbing/hooks-run.js'),
    mcp: () => import('./commands/plumbing/mcp.js'),
    completion: () => import('./commands/plumbing/completion.js'),
  },
}

export const COMMAND_GROUPS: ReadonlyMap<string, ReadonlyMap<string, Load>> = new Map(
  Object.entries(GROUPS).map(([title, group]) => [title, new Map(toLoads(group))]),
)

export const COMMANDS: ReadonlyMap<string, Load> = new Map(
  [...COMMAND_GROUPS.values()].flatMap((group) => [...group]),
)

/** Other spellings. They work, and no help shows them: installed settings call `hook`. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['ls', 'list'],
  ['cat', 'show'],
  ['rm', 'trash'],
  ['hook', 'hooks run'],
  ['checkpoint', 'checkpoint add'],
  ['checkpoints list', 'checkpoint list'],
  ['checkpoints show', 'checkpoint show'],
  ['checkpoints prune', 'checkpoint prune'],
])

/** Each module exports its commands, which know their names. */
function toLoads(group: Record<string, LoadModule>): [string, Load][] {
  return Object.entries(group).map(([name, loadModule]) => [
    name,
    async () => {
      const exported = Object.values(await loadModule()) as Partial<Command>[]
      return exported.find((one) => one.name === name && one.lesson !== undefined) as Command
    },
  ])
}

/** Words that people type for a command that has another name. */
export const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['open', 'view'],
  ['less', 'show'],
  ['print', 'show'],
  ['cost', 'stats'],
  ['usage', 'stats'],
  ['tokens', 'stats'],
  ['delete', 'trash'],
  ['remove', 'trash'],
  ['del', 'trash'],
  ['undelete', 'trash restore'],
  ['sessions', 'list'],
  ['find', 'search'],
  ['continue', 'resume'],
  ['new', 'start'],
  ['begin', 'start'],
  ['branch', 'fork'],
  ['copy', 'fork'],
  ['undo', 'rewind'],
  ['title', 'rename'],
  ['mv', 'rename'],
  ['pin', 'tag'],
  ['unpin', 'tag'],
  ['star', 'tag'],
  ['label', 'tag'],
  ['tags', 'tag'],
  ['end', 'close'],
  ['follow', 'tail'],
  ['watch', 'tail'],
  ['check', 'doctor'],
  ['health', 'doctor'],
  ['fsck', 'verify'],
  ['fix', 'repair'],
  ['backup', 'export'],
  ['setup', 'init'],
  ['install', 'hooks install'],
])
