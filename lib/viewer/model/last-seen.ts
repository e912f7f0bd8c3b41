// How far each session was read in this browser.

const KEY = 'jsonl-session:last-seen'
const SESSIONS_MAX = 500

export function readLastSeen(sessionId: string): string | undefined {
  return readAll()[sessionId]
}

export function writeLastSeen(sessionId: string, uuid: string): void {
  const { [sessionId]: _, ...others } = readAll()
  const kept = Object.entries(others).slice(1 - SESSIONS_MAX)
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries([...kept, [sessionId, uuid]])))
  } catch {
    // Storage is full or switched off: the marker is a convenience.
  }
}

function readAll(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>
  } catch {
    // Switched off, or not ours.
    return {}
  }
}
