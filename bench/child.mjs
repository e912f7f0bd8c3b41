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
