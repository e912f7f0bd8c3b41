// Children that end with the test that started them, whatever becomes of it.

import { onTestFinished } from 'vitest'
import { Child, type WriterTask } from './child.js'

export function startChild(script: string, task: object): Child {
  const child = new Child(script, task)
  onTestFinished(async () => {
    await child.kill()
  })
  return child
}

export function startWriter(task: WriterTask): Child {
  return startChild('writer', task)
}
