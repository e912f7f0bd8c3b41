// A process that works on the checkpoints of a store, as told on its command line, and says what
// was acknowledged, one JSON object per line.

import {
  appendCheckpoint,
  openContext,
  pruneCheckpoints,
} from '../../../dist/modules/lib/store/index.js'

const task = JSON.parse(process.argv[2])
const { root, project, how, name, count = Number.POSITIVE_INFINITY, now, useKernelLock } = task
const environment = now === undefined ? undefined : { now: () => now }

function checkpoint(session_key) {
  const digest = 'x'.repeat(500)
  return { session_key, trigger: 'periodic', harness: 'test', digest, prompt_count: 1, project }
}

const tasks = {
  async append(round) {
    const { id } = await appendCheckpoint(openContext({ root, useKernelLock }), checkpoint(name))
    say({ round, id })
  },
  /** The same parts from every process: only one of them may store them. */
  async keyed(round) {
    const memories = [{ content: `memory ${round}` }]
    const unlessKeys = [{ key: `checkpoint:run-${round}:0`, hash: `hash-${round}`, memory: 0 }]
    const { id, duplicate = false } = await appendCheckpoint(
      openContext({ root }),
      { ...checkpoint(name), memories },
      { unlessKeys },
    )
    say({ round, id, duplicate })
  },
  async prune(round) {
    const { shards } = await pruneCheckpoints(openContext({ root, environment }), {
      apply: true,
      force: true,
    })
    say({ round, replaced: shards.filter(({ isDue }) => isDue).length })
  },
}

function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

// A parent that has gone wants nothing more.
process.stdout.on('error', () => process.exit(1))
process.stdin.on('end', () => process.exit(1))

say({ ready: true })
await new Promise((resolve) => process.stdin.once('data', resolve))
for (let round = 0; round < count; round++) await tasks[how](round)
process.stdin.destroy()
