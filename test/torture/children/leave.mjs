// Appends without waiting and ends immediately, in the given way.

import { openLog } from '../../../dist/modules/lib/log/index.js'
import { hangUp, task, toldToGo } from './conversation.mjs'

const { path, how, chars, options } = task

await toldToGo()

if (how === 'an exit from uncaughtException') {
  process.on('uncaughtException', () => process.exit(3))
}
const log = await openLog(path, options)
for (const [index, length] of chars.entries()) {
  const payload = { content: 'x'.repeat(length) }
  void log.append({ type: 'user', uuid: `left-${index}`, payload })
}

switch (how) {
  case 'process.exit':
    process.exit(0)
    break
  case 'a thrown error':
  case 'an exit from uncaughtException':
    throw new Error('thrown on purpose')
  case 'a rejected promise':
    await Promise.reject(new Error('rejected on purpose'))
    break
  default:
    hangUp()
}
