// The real pi: 1.5.0, which keeps its system prompt in the session, and 0.73.1, the last of its old name.

import { join } from 'node:path'
import { installClient, installNode22, pinnedPackage, unpackClient } from '../rig/install.mjs'
import { completions } from '../rig/wire/completions.mjs'
import { WORDING } from './oracle.mjs'
import { scenarios } from './scenarios.mjs'
import { scrubSession } from './scrub.mjs'

export default {
  name: 'pi',
  version: `${pinnedPackage('pi').version} and ${pinnedPackage('pi-old').version}`,
  protocols: [completions],
  wording: WORDING,
  scrub: scrubSession,
  scenarios,
  async install() {
    const node = await installNode22()
    // What the bundle of 1.5.0 loads from outside: for extensions, and to resize images.
    const bundle = await unpackClient('pi', ['jiti', '@silvia-odwyer/photon-node'])
    return {
      current: { node, program: join(bundle, 'dist', 'bundle', 'cli.js'), isOld: false },
      old: { node, program: join(await installClient('pi-old'), 'dist', 'cli.js'), isOld: true },
    }
  },
}
