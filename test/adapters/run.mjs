// `npm run adapters`: the built package against the packages of vendors. Prints one line for each check,
// and why one was skipped. With `--optional` it is no failure that they cannot be installed.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../helpers/install-packages.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

const problem = installPackages(HERE)
if (problem !== undefined) {
  console.log(`skipped  types of Anthropic and OpenAI: ${problem}`)
  process.exitCode = process.argv.includes('--optional') ? 0 : 1
} else {
  const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', HERE], { encoding: 'utf8' })
  console.log(`${status === 0 ? 'ok      ' : 'FAILED  '} types of Anthropic and OpenAI`)
  if (status !== 0) console.log(stdout)
  process.exitCode = status === 0 ? 0 : 1
}
