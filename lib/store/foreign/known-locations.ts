// Where other programs keep their transcripts, and the files that belong to one. Names only show
// where to look; the bytes of a file show its program.

import type { Dirent } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'

export interface KnownLocation {
  readonly format: string
  readonly folder: string
  /** Transcripts in it, sorted by name. */
  readonly files: readonly string[]
}

/** A program and where it keeps its transcripts; importers have these fields. */
export interface KnownProgram {
  readonly format: string
  readonly folder: {
    /** The environment variable that moves it. */
    readonly variable?: string
    /** The environment variable that names a folder of transcripts itself, used besides the others. */
    readonly ownVariable?: string
    readonly home: readonly string[]
    readonly inside: readonly string[]
    /** How many levels of folders below are searched. */
    readonly depth: number
    readonly isTranscript: (name: string) => boolean
  }
}

const isJsonl = (name: string) => name.endsWith('.jsonl')
/** An older chat of Gemini CLI, and a compressed rollout of Codex, which is refused with a reason. */
const isOtherTranscript = (name: string) => /^session-.*\.json$|\.jsonl\.zst$/.test(name)

/** The known folders of each program that contain transcripts. */
export function listKnownLocations(
  store: StoreContext,
  programs: readonly KnownProgram[],
): KnownLocation[] {
  return programs.flatMap((program) => {
    const { depth, isTranscript } = program.folder
    return knownFoldersOf(store, program).flatMap((folder) => {
      const files = filesBelow(store, folder, depth, isTranscript)
      return files.length === 0 ? [] : [{ format: program.format, folder, files }]
    })
  })
}

function knownFoldersOf(store: StoreContext, { folder }: KnownProgram): string[] {
  const { variable, ownVariable, home, inside } = folder
  const { variables, homedir } = store.env.host
  const userHome = variables['HOME'] || homedir()
  const base = (variable && variables[variable]) || join(userHome, ...home)
  const own = ownVariable && variables[ownVariable]
  const folders = inside.map((name) => join(base, name))
  // Programs read `~` in it themselves, so it may be there.
  return own ? [...folders, own.replace(/^~(?=\/|$)/, userHome)] : folders
}

/** Files that may belong to the same session as `path`, by their names; without itself. */
export function listSiblingFiles(
  store: StoreContext,
  path: string,
  { program, isNamed }: { program?: KnownProgram; isNamed: (name: string) => boolean },
): string[] {
  const own = dirname(path)
  const found = filesBelow(store, own, 0, isNamed)
  if (program !== undefined) {
    const { depth } = program.folder
    for (const folder of foldersOf(store, own, program)) {
      found.push(...filesBelow(store, folder, depth, isNamed))
    }
  }
  return [...new Set(found)].filter((file) => file !== path)
}

/** A file beside the folder in which `path` is one of the transcripts of a program. */
export function findBesideTranscripts(
  store: StoreContext,
  path: string,
  { folder: { inside, depth } }: KnownProgram,
  name: string,
): string | undefined {
  let at = dirname(path)
  for (let level = 0; level <= depth; level++, at = dirname(at)) {
    if (!inside.includes(basename(at))) continue
    const file = join(dirname(at), name)
    if (store.env.fs.existsSync(file)) return file
  }
  return undefined
}

/** Its known folders, and those of a copy: `backup/sessions/2026/01/31` is in such a copy. */
function foldersOf(store: StoreContext, own: string, program: KnownProgram): Set<string> {
  const { inside, depth } = program.folder
  const folders = new Set(knownFoldersOf(store, program))
  let at = own
  for (let level = 0; level <= depth; level++, at = dirname(at)) {
    if (!inside.includes(basename(at))) continue
    for (const name of inside) folders.add(join(dirname(at), name))
  }
  return folders
}

/** A file, or all transcripts below a folder except those of subagents. */
export function listForeignFiles(store: StoreContext, path: string): string[] {
  if (store.env.fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path]
  const isTranscript = (name: string) =>
    (isJsonl(name) && !name.startsWith('agent-')) || isOtherTranscript(name)
  return filesBelow(store, path, DEPTH_MAX, isTranscript)
}

const DEPTH_MAX = 8
const SUBAGENTS = 'subagents'
const META_BYTES_MAX = 1024 * 1024

function filesBelow(
  store: StoreContext,
  folder: string,
  depth: number,
  isWanted: (name: string) => boolean,
): string[] {
  const found: string[] = []
  for (const entry of entriesOf(store, folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0 && entry.name !== SUBAGENTS) {
      found.push(...filesBelow(store, path, depth - 1, isWanted))
    } else if (entry.isFile() && isWanted(entry.name)) found.push(path)
  }
  return found
}

/** None for a folder that is missing or unreadable. */
function entriesOf({ env }: StoreContext, folder: string): Dirent[] {
  try {
    const entries = env.fs.readdirSync(folder, { withFileTypes: true })
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

/** Possible subagents of the transcript, by their location; their bytes decide. */
export function listForeignTasks(
  store: StoreContext,
  path: string,
  sessionId: string,
): ForeignTask[] {
  const folder = dirname(path)
  const own = join(folder, basename(path, extname(path)))
  const isAgent = (name: string) => name.startsWith('agent-') && isJsonl(name)
  const paths = [
    ...filesBelow(store, join(own, SUBAGENTS), DEPTH_MAX, isAgent),
    ...filesBelow(store, folder, 0, isAgent),
    ...filesBelow(store, join(folder, sessionId), 0, isJsonl),
  ]
  return [...new Set(paths)].map((file) => ({ path: file, ...readMeta(store, file) }))
}

function readMeta(store: StoreContext, path: string): Omit<ForeignTask, 'path'> {
  try {
    const text = readSmallText(store, path.replace(/\.jsonl$/, '.meta.json'), META_BYTES_MAX)
    const { agentType, toolUseId } = Object(JSON.parse(`${text}`)) as Record<string, unknown>
    return {
      ...(typeof agentType === 'string' && { agent_type: agentType }),
      ...(typeof toolUseId === 'string' && { tool_call_id: toolUseId }),
    }
  } catch {
    // The file and its fields are optional.
    return {}
  }
}
