// Claude Code for `npm run real`.

import { anthropic } from '../rig/wire/anthropic.mjs'
import { installClaude, VERSION } from './driver.mjs'
import { WORDING } from './oracle.mjs'
import { scenarios } from './scenarios.mjs'

export default {
  name: 'claude-code',
  version: VERSION,
  protocols: [anthropic],
  wording: WORDING,
  install: installClaude,
  scenarios,
}
