import { historyAdd } from '../../lib/cli/commands/history-add.js'
import { alone } from '../alone.js'

export const main = alone(historyAdd)
