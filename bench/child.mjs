// The other end of processes.mjs. Each task loads only what it needs: some are about memory.

const TASKS = {
  case: async (argument) => (await import('./cases/index.mjs')).measureCase(argument),
  'make-logs': async (argument) => (await import('./big-log.mjs')).makeLogs(argument),
  read: async (argument) => (await import('./read-tasks.mjs')).read(argument),
  'make-sessions': async (argument) => (await import('./sessions.mjs')).makeSessions(argument),
  resume: async (argument) => (await import('./sessions.mjs')).resume(argument),
  'make-checkpoints': async (argument) =>
    (await import('./checkpoints.mjs')).makeCheckpoints(argument),
  'find-checkpoints': async (argument) =>
    (await import('./checkpoints.mjs')).findCheckpoints(argument),
  'make-foreign': async (argument) => (await import('./foreign.mjs')).makeForeign(argument),
  'go-through': async (argument) => (await import('./foreign.mjs')).goThrough(argument),
  growth: async (argument) => (await import('./growth/index.mjs')).measureGrowth(argument),
  'make-pi-sessions': async (argument) =>
    (await import('./pi-sessions.mjs')).makePiSessions(argument),
  'make-databases': async (argument) => (await import('./databases.mjs')).makeDatabases(argument),
  'look-up': async (argument) => (await import('./databases.mjs')).lookUp(argument),
  'read-some': async (argument) => (await import('./growth-tasks.mjs')).readSome(argument),
  'make-export': async (argument) => (await import('./growth-tasks.mjs')).makeExport(argument),
  'make-store': async (argument) => (await import('./transcripts.mjs')).makeStore(argument),
  'list-sessions': async (argument) => (await import('./many-sessions.mjs')).listAll(argument),
  'make-many': async (argument) => (await import('./many-sessions.mjs')).makeMany(argument),
  written: async (argument) => (await import('./written-bytes.mjs')).writtenBytes(argument),
  'one-shots': async (argument) => (await import('./one-shots.mjs')).append(argument),
}

process.on('disconnect', () => process.exit())

const [task, argument] = process.argv.slice(2)
let answer
try {
  answer = { result: await TASKS[task](JSON.parse(argument)) }
} catch (error) {
  answer = { error: error.stack ?? String(error) }
}
process.send(answer, () => process.disconnect())
