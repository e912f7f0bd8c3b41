// Where other programs keep their transcripts, and what lies beside one of them. Names only tell
// where to look; whose a file is, its bytes say.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { readSmallFile } from './foreign-source.js'

export interface ForeignPlace {
  readonly format: string
  readonly folder: string
  /** Transcripts in it, in the order of their names. */
  readonly files: readonly string[]
}

interface KnownPlace {
  readonly format: string
  readonly variable?: string
  readonly home: readonly string[]
  readonly inside: readonly string[]
  /** Folders below it that are looked into. */
  readonly depth: number
  readonly isTranscript: (name: string) => boolean
}

const isJsonl = (name: string) => name.endsWith('.jsonl')

const PLACES: readonly KnownPlace[] = [
  {
    format: 'claude-code',
    variable: 'CLAUDE_CONFIG_DIR',
    home: ['.claude'],
    inside: ['projects'],
    depth: 1,
    // Subagents are brought in with their session.
    isTranscript: (name) => isJsonl(name) && !name.startsWith('agent-'),
  },
  {
    format: 'codex',
    variable: 'CODEX_HOME',
    home: ['.codex'],
    inside: ['sessions', 'archived_sessions'],
    depth: 3,
    isTranscript: isJsonl,
  },
  {
    format: 'pi',
    variable: 'PI_CODING_AGENT_DIR',
    home: ['.pi', 'agent'],
    inside: ['sessions'],
    depth: 1,
    isTranscript: isJsonl,
  },
  {
    format: 'gemini',
    home: ['.gemini'],
    inside: ['tmp'],
    depth: 2,
    isTranscript: (name) => name.startsWith('session-') && /\.jsonl?$/.test(name),
  },
]

/** The known places of each program, those that are there. */
export function listForeignPlaces(env: NodeJS.ProcessEnv = process.env): ForeignPlace[] {
  const home = env['HOME'] || homedir()
  return PLACES.flatMap((place) => {
    const base = (place.variable && env[place.variable]) || join(home, ...place.home)
    return place.inside.flatMap((name) => {
      const folder = join(base, name)
      const files = filesBelow(folder, place.depth, place.isTranscript)
      return files.length === 0 ? [] : [{ format: place.format, folder, files }]
    })
  })
}

/** A file, or all transcripts below a folder but those of subagents. */
export function listForeignFiles(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path]
  const isTranscript = (name: string) => isJsonl(name) && !name.startsWith('agent-')
  return filesBelow(path, DEPTH_MAX, isTranscript)
}

const DEPTH_MAX = 8
const SUBAGENTS = 'subagents'

function filesBelow(folder: string, depth: number, isWanted: (name: string) => boolean): string[] {
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0 && entry.name !== SUBAGENTS) {
      found.push(...filesBelow(path, depth - 1, isWanted))
    } else if (entry.isFile() && isWanted(entry.name)) found.push(path)
  }
  return found
}

/** A folder that is not there, or not for us, holds nothing. */
function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

/** A file that may be the log of a subagent of a session. */
export interface ForeignTask {
  readonly path: string
  readonly agent_type?: string | undefined
  readonly tool_call_id?: string | undefined
}

/** What may be subagents of the transcript, by where it lies; their bytes tell. */
export function listForeignTasks(path: string, sessionId: string): ForeignTask[] {
  const folder = dirname(path)
  const own = join(folder, basename(path, extname(path)))
  const isAgent = (name: string) => name.startsWith('agent-') && isJsonl(name)
  const paths = [
    ...filesIn(join(own, SUBAGENTS), isAgent),
    ...filesBelow(folder, 0, isAgent),
    ...filesBelow(join(folder, sessionId), 0, isJsonl),
  ]
  return [...new Set(paths)].map((file) => ({ path: file, ...metaOf(file) }))
}

function filesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  return filesBelow(folder, DEPTH_MAX, isWanted)
}

function metaOf(path: string): Omit<ForeignTask, 'path'> {
  const text = readSmallFile(path.replace(/\.jsonl$/, '.meta.json'))
  if (text === undefined) return {}
  try {
    const { agentType, toolUseId } = Object(JSON.parse(text)) as Record<string, unknown>
    return {
      ...(typeof agentType === 'string' && { agent_type: agentType }),
      ...(typeof toolUseId === 'string' && { tool_call_id: toolUseId }),
    }
  } catch {
    // What it would tell is in no other place, and not needed.
    return {}
  }
}
