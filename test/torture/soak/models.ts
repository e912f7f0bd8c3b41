// Lists of commands by chance, against the model.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runModel } from '../model.js'
import type { LaneContext } from './lane.js'

export async function runModels(context: LaneContext): Promise<void> {
  let number = 0
  while (!context.isOver) {
    const round = join(context.folder, String(number++))
    mkdirSync(round)
    let runs = 0
    const newFolder = () => {
      const folder = join(round, String(runs++))
      mkdirSync(folder)
      return folder
    }
    const seed = context.random.below(2 ** 31)
    try {
      context.done(await runModel(newFolder, { seed, runs: 10, commandsMax: 40 }))
    } catch (error) {
      context.harm('altered', `seed ${seed}: ${(error as Error).message}`)
      context.done(1)
    }
    rmSync(round, { recursive: true, force: true })
  }
}
