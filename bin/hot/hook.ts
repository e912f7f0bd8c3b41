import { hook } from '../../lib/cli/commands/hook.js'
import * as hooks from '../../lib/hooks/index.js'
import { alone } from '../alone.js'

export const main = alone(hook, { hooks: async () => hooks })
