// The server in a process of its own.

import type { TestContext } from 'vitest'
import { answerOf, startCli } from '../cli/command-line.js'

/** Resolves with what `serve --json` prints when it listens. */
export async function startServer(t: TestContext, root: string, args: readonly string[] = []) {
  const child = startCli(['serve', '--port', '0', '--json', ...args], { root })
  t.onTestFinished(() => void child.kill('SIGKILL'))
  const answer = answerOf(child)
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data)))
    void answer.then(({ stderr }) => reject(new Error(stderr)), reject)
  })
  return {
    child,
    answer,
    ...(JSON.parse(line) as { url: string; pageUrl: string; tokenFile: string; port: number }),
  }
}
