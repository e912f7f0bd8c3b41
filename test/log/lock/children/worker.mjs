// A process that does what its parent tells it, one command per message. It runs the built
// library, as a stranger's process would.

import { closeSync, openSync, unlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemEnvironment } from '../../../../dist/modules/lib/environment/index.js'
import { acquireLock } from '../../../../dist/modules/lib/log/lock/acquire.js'
import { ownIdentity } from '../../../../dist/modules/lib/log/lock/process-identity.js'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGXFSZ', 'SIGABRT']

let held

const commands = {
  ping: () => 'pong',
  identity: () => ownIdentity(systemEnvironment),
  setTitle({ title }) {
    process.title = title
  },
  setUmask({ mask }) {
    process.umask(mask)
  },
  becomeNobody() {
    if (process.getuid() !== 0) return
    process.setegid(65534)
    process.seteuid(65534)
  },
  countSignalListeners: () => SIGNALS.map((signal) => process.listenerCount(signal)),
  useSignalExit() {
    const lockfile = createRequire(import.meta.url).resolve('proper-lockfile')
    createRequire(lockfile)('signal-exit')(() => {})
  },
  async acquire({ path, options }) {
    held = await acquireLock(path, { ...options, env: systemEnvironment })
    return { isKernel: held.isKernel, wasCreated: held.wasCreated }
  },
  isCompromised: () => held.isCompromised(),
  release() {
    held.release()
  },
  exit() {
    process.exit(0)
  },
  throwUncaught() {
    setImmediate(() => {
      throw new Error('thrown on purpose')
    })
  },
  /** Acquires, stays inside for a moment, releases, and tells whether it was alone. */
  async enter({ path, options }) {
    const lock = await acquireLock(path, { ...options, env: systemEnvironment })
    const visit = await stayInside(path)
    lock.release()
    return visit
  },
  /** The same with proper-lockfile as it comes. */
  async enterPlain({ path }) {
    const plain = createRequire(import.meta.url)('proper-lockfile')
    const retries = { retries: 400, minTimeout: 5, maxTimeout: 20, factor: 1, randomize: true }
    const onCompromised = () => {}
    const release = await plain.lock(path, { realpath: false, retries, onCompromised })
    const visit = await stayInside(path)
    // A lock that was stolen may be gone; that is what this one is here to show.
    await release().catch(() => {})
    return visit
  },
}

async function stayInside(path) {
  const enteredAt = Date.now()
  const marker = `${path}.inside`
  try {
    closeSync(openSync(marker, 'wx'))
  } catch {
    return { enteredAt, isAlone: false }
  }
  await sleep(3)
  unlinkSync(marker)
  return { enteredAt, isAlone: true }
}

process.on('message', async ({ id, name, args }) => {
  try {
    process.send({ id, result: await commands[name](args) })
  } catch (error) {
    const { code, message, details } = error
    process.send({ id, error: { code, message, details } })
  }
})

// A parent that died must not leave us behind.
process.on('disconnect', () => process.exit(0))
