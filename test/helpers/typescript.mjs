// `node --import ./test/helpers/typescript.mjs program.ts`

import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
