// Codex, the newest pinned version and an old one that still took turns back by an event in the file.

import { installClient, pinnedPackage } from '../rig/install.mjs'
import { responsesProtocol } from '../rig/wire/responses.mjs'
import { findProgram } from './driver.mjs'
import { WORDING } from './oracle.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { scrubFile, scrubMessages } from './scrub.mjs'

const versionOf = (name) => pinnedPackage(name).version

export default {
  name: 'codex',
  version: `${versionOf('codex')} and ${versionOf('codex-old')}`,
  protocols: [responsesProtocol],
  wording: WORDING,
  async install() {
    const [current, old] = await Promise.all(['codex', 'codex-old'].map(installClient))
    return {
      current: { program: findProgram(current), model: 'gpt-5' },
      old: { program: findProgram(old), model: 'gpt-5.2-codex' },
    }
  },
  scenarios: SCENARIOS,
  scrub: scrubFile,
  scrubMessages,
}
