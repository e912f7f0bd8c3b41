import { historyAdd } from '../../lib/cli/commands/plumbing/history-add.js'
import { alone } from '../alone.js'

export const main = alone(historyAdd)
