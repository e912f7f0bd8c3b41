import { installClient, pinnedPackage } from '../rig/install.mjs'
import { gemini } from '../rig/wire/gemini.mjs'
import { WORDING } from './oracle.mjs'
import { scenarios } from './scenarios.mjs'
import { scrub } from './scrub.mjs'

export default {
  name: 'gemini',
  version: pinnedPackage('gemini').version,
  protocols: [gemini],
  wording: WORDING,
  install: () => installClient('gemini'),
  scenarios,
  scrub,
}
