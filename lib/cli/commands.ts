// All commands by name, each loaded when it is called.

import type { Command } from './command.js'

/** In the order of the help. A name of two words is a command of a group: `history add`. */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['append', async () => (await import('./commands/append.js')).append],
  ['log', async () => (await import('./commands/log.js')).log],
  ['verify', async () => (await import('./commands/verify.js')).verify],
  ['doctor', async () => (await import('./commands/doctor.js')).doctor],
  ['list', async () => (await import('./commands/list.js')).list],
  ['show', async () => (await import('./commands/show.js')).show],
  ['resume', async () => (await import('./commands/resume.js')).resume],
  ['fork', async () => (await import('./commands/fork.js')).fork],
  ['rewind', async () => (await import('./commands/rewind.js')).rewind],
  ['compact', async () => (await import('./commands/compact.js')).compact],
  ['sidechain list', async () => (await import('./commands/sidechain-list.js')).sidechainList],
  ['sidechain show', async () => (await import('./commands/sidechain-show.js')).sidechainShow],
  ['rename', async () => (await import('./commands/rename.js')).rename],
  ['prompt', async () => (await import('./commands/prompt.js')).prompt],
  ['remember', async () => (await import('./commands/remember.js')).remember],
  ['history', async () => (await import('./commands/history.js')).history],
  ['history add', async () => (await import('./commands/history-add.js')).historyAdd],
  ['history rotate', async () => (await import('./commands/history-rotate.js')).historyRotate],
  ['history sweep', async () => (await import('./commands/history-sweep.js')).historySweep],
  ['search', async () => (await import('./commands/search.js')).search],
  ['summaries', async () => (await import('./commands/summaries.js')).summaries],
  ['extract', async () => (await import('./commands/extract.js')).extract],
  ['status', async () => (await import('./commands/status.js')).status],
  ['bypass', async () => (await import('./commands/bypass.js')).bypass],
  ['checkpoint', async () => (await import('./commands/checkpoint.js')).checkpoint],
  [
    'checkpoints list',
    async () => (await import('./commands/checkpoints-list.js')).checkpointsList,
  ],
  [
    'checkpoints show',
    async () => (await import('./commands/checkpoints-show.js')).checkpointsShow,
  ],
  [
    'checkpoints prune',
    async () => (await import('./commands/checkpoints-prune.js')).checkpointsPrune,
  ],
  ['recover', async () => (await import('./commands/recover.js')).recover],
  ['start', async () => (await import('./commands/start.js')).start],
  ['hooks install', async () => (await import('./commands/hooks-install.js')).hooksInstall],
  ['hooks uninstall', async () => (await import('./commands/hooks-uninstall.js')).hooksUninstall],
  ['hooks status', async () => (await import('./commands/hooks-status.js')).hooksStatus],
  ['mcp', async () => (await import('./commands/mcp.js')).mcp],
  ['relocate', async () => (await import('./commands/relocate.js')).relocate],
  ['completion', async () => (await import('./commands/completion.js')).completion],
  ['init', async () => (await import('./commands/init.js')).init],
])
