// `npm run soak -- --minutes N`

import '../helpers/typescript.mjs'

await import('./soak/run.ts')
