// Packages and modules to compare with. Each may be absent, and then its cases say so.

export class NotInstalled extends Error {}

export async function loadPeer(name) {
  try {
    return await import(name)
  } catch (error) {
    if (!['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'].includes(error.code)) throw error
    throw new NotInstalled(`${name} is not installed`, { cause: error })
  }
}

/** It opens a database with `exec` and `prepare`, which both packages spell the same. */
export async function loadSqlite() {
  try {
    const { default: Database } = await loadPeer('better-sqlite3')
    return { name: 'better-sqlite3', open: (path) => new Database(path) }
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
  }
  const { DatabaseSync } = await loadPeer('node:sqlite').catch((cause) => {
    throw new NotInstalled('better-sqlite3 is not installed, and this Node has no node:sqlite', {
      cause,
    })
  })
  return { name: 'node:sqlite', open: (path) => new DatabaseSync(path) }
}
