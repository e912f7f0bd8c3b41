// Keeps a scenario as a fixture of the test line: the session files of the client, without anything of this
// machine in them, and the message list that the client itself sent.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/real/', import.meta.url))

/**
 * `files`: absolute paths below `home`, kept with their place there. `session`: the one to import.
 * `scrub(text, path)` and `scrubMessages(list)` shorten what the client adds; paths of the home and the
 * project are replaced for all.
 */
export function recordFixture({
  client,
  version,
  scenario,
  home,
  files,
  session,
  sessionId,
  messages,
  verdict,
  rules,
  scrub = (text) => text,
  scrubMessages = (list) => list,
}) {
  const folder = join(FIXTURES, client, scenario)
  rmSync(folder, { recursive: true, force: true })
  const withoutMachine = (text) => replacePaths(text, home)
  for (const path of files) {
    const target = join(folder, 'source', withoutMachine(relative(home, path)))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, withoutMachine(scrub(readFileSync(path, 'utf8'), path)))
  }
  const expected = {
    client,
    version,
    session: withoutMachine(relative(home, session)),
    sessionId,
    verdict,
    rules,
    messages: JSON.parse(withoutMachine(JSON.stringify(scrubMessages(messages)))),
  }
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`)
}

/** The throw-away home becomes that of a made-up person; slugs of it in file names do, too. */
function replacePaths(text, home) {
  const slug = home.replaceAll(/[^A-Za-z0-9]/g, '-')
  return text.replaceAll(home, '/home/ada').replaceAll(slug, '-home-ada')
}
