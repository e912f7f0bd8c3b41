// One task on the runtime that runs this file: `child.mjs LIBRARY ROOT TASK [ARGUMENT]`. Prints lines
// that run.mjs reads.

const [library, root, task, argument] = process.argv.slice(2)
const { openStore, VERSION } = await import(library)
const store = openStore({ root, home: root, lockTimeoutMs: 20_000 })
const say = (value) => console.log(JSON.stringify(value))
const message = (content) => ({ type: 'assistant', payload: { content } })

const TASKS = {
  /** Writes a session, and resumes it. */
  async write() {
    const session = await store.createSession({ id: 'written', project: root })
    await session.prompt('hello')
    await session.append(message('hi'))
    await session.close()
    const { session: resumed, messages } = await store.resumeSession({
      id: 'written',
      mode: 'append',
    })
    await resumed.append(message('again'))
    await resumed.close()
    say(messages.map(({ payload }) => payload.content))
  },

  /** Holds a session, and appends to it until the process is killed. */
  async hold() {
    const session = await store.createSession({ id: argument, project: root })
    await session.prompt('hold')
    for (let number = 0; ; number++) {
      const { uuid } = await session.append(message(`${number}`))
      say(uuid)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  },

  /** Resumes a session for writing; prints what it contains, or why it is rejected. */
  async resume() {
    try {
      const { session } = await store.resumeSession({ id: argument, mode: 'append' })
      await session.append(message('resumed'))
      await session.close()
    } catch ({ code }) {
      return say({ code })
    }
    const uuids = []
    for await (const { kind, event } of store.tailSessions({ session: argument, lines: 1e6 })) {
      if (kind === 'event') uuids.push(event.uuid)
    }
    say({ uuids })
  },

  /** Appends one event at a time, each under a lock of its own. */
  async contend() {
    for (let number = 0; number < Number(argument); number++) {
      await store.appendTranscript({ session_id: 'shared', event: message(`${number}`) })
    }
    say(Number(argument))
  },
}

if (TASKS[task] === undefined) throw new Error(`No such task: ${task} (${VERSION})`)
await TASKS[task]()
