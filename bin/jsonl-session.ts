#!/usr/bin/env node
import { main } from '../lib/cli/index.js'

// exitCode and not exit(): a pipe may still be reading what we wrote.
process.exitCode = await main(process.argv.slice(2), process)
