// The power goes: a file system on a loop device is shut down by the kernel without a last write,
// mounted again, and asked for what was acknowledged before. Needs root, and mkfs.ext4 and perl.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exceptDamage, problemsOf } from '../check.js'
import { Child } from '../child.js'
import type { LaneContext } from './lane.js'

const IMAGE_BYTES = 24 * 1024 * 1024
const LIFE_MS_MAX = 60
const WRITERS = 2
// FS_IOC_SHUTDOWN, and the flag that says: do not even write the journal.
const SHUT_DOWN =
  'my $how = pack("L", 2); open(F, "<", $ARGV[0]); ioctl(F, 0x8004587d, $how) or die $!'

export async function runPowerCuts(context: LaneContext): Promise<void> {
  const image = join(context.folder, 'image')
  const disk = join(context.folder, 'disk')
  mkdirSync(disk)
  try {
    run('truncate', '--size', String(IMAGE_BYTES), image)
    run('mkfs.ext4', '-q', '-F', image)
    mount(image, disk)
  } catch (error) {
    context.skip(`no loop-mounted file system here (${String(error).split('\n')[0]})`)
    return
  }
  try {
    for (let cut = 0; !context.isOver; cut++) await cutPower({ image, disk, cut }, context)
  } finally {
    run('umount', '--lazy', disk)
  }
}

interface Place {
  readonly image: string
  readonly disk: string
  readonly cut: number
}

async function cutPower({ image, disk, cut }: Place, context: LaneContext): Promise<void> {
  const { random } = context
  if (cut % 20 === 19) {
    run('umount', disk)
    run('mkfs.ext4', '-q', '-F', image)
    mount(image, disk)
  }
  const options = { durability: 'always', lockTimeoutMs: 20_000 } as const
  const writers = Array.from({ length: WRITERS }, (_, index) => {
    const path = join(disk, `${cut}-${index}.jsonl`)
    const how = index === 0 ? 'lease' : 'once'
    return {
      path,
      child: new Child('writer', { path, how, name: 'w', sizes: [200, 3000], options }),
    }
  })
  await Promise.all(writers.map(({ child }) => child.ready()))
  for (const { child } of writers) child.go()
  await Promise.all(writers.map(({ child }) => child.ackCount(1)))
  await sleep(random.below(LIFE_MS_MAX))
  // Only what was heard before counts: a sync under way during the cut may say yes wrongly.
  const owed = writers.map(({ path, child }) => ({ path, acks: [...child.acks] }))
  run('perl', '-e', SHUT_DOWN, disk)
  await Promise.all(writers.map(({ child }) => child.kill()))
  run('umount', disk)
  mount(image, disk)
  for (const { path, acks } of owed) {
    for (const problem of exceptDamage(problemsOf(path, acks))) {
      context.harm('lost', `after a power cut: ${JSON.stringify(problem)}`)
    }
    context.done(0, acks.length)
  }
  context.done(1)
}

function mount(image: string, disk: string): void {
  run('mount', '-o', 'loop', image, disk)
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
