// The files that one session is read from, in order. Most sessions are one file. The importer knows
// which files may belong to a session, the files themselves say whether they do, and the log names
// those that were imported and are gone.

import { basename, join, resolve } from 'node:path'
import { isSessionError } from '../../errors.js'
import type { Importer, SourceFacts, SourceFile } from '../../interchange/index.js'
import { ForeignSource, listSiblingFiles, type StoreContext } from '../../store/index.js'
import { identifySource, type TaskFile } from './identify.js'
import {
  isSameSource,
  type Ledger,
  type PreviousImport,
  type SkipReason,
} from './previous-import.js'

/** A file that is read, or one that is gone and known by its events. */
export interface ImportSource extends SourceFile {
  /** `undefined`: it is gone. */
  readonly file: ForeignSource | undefined
  /** Read up to here. */
  readonly end: number
  /** What an earlier import recorded of it. */
  readonly ledger: Ledger | undefined
}

interface FoundFile {
  readonly file: ForeignSource
  readonly facts: SourceFacts
  /** Read up to here: another session continues from there. */
  readonly end: number
}

/** All files of the session of `file`, in order; the caller closes them. */
export function findSessionFiles(
  store: StoreContext,
  file: ForeignSource,
  { importer, facts }: { importer: Importer; facts: SourceFacts },
): FoundFile[] {
  const own: FoundFile = { file, facts, end: file.size }
  const { siblings } = importer
  if (siblings === undefined || facts.taskId !== undefined) return [own]
  const others = openSiblings(store, file.path, importer, facts.sessionId)
  const files = withoutCopies([own, ...others]).sort(byTime)
  const bases = findBases(store, files, importer)
  return [...bases, ...files]
}

function openSiblings(
  store: StoreContext,
  path: string,
  importer: Importer,
  id: string,
): FoundFile[] {
  const isWanted = ({ sessionId, taskId }: SourceFacts) => sessionId === id && taskId === undefined
  return openNamed(store, path, importer, { id, isWanted })
}

/** The file of a subagent that the transcript at `path` names. */
export function findTaskFile(
  store: StoreContext,
  path: string,
  { importer, facts, taskId }: { importer: Importer; facts: SourceFacts; taskId: string },
): TaskFile | undefined {
  if (importer.siblings === undefined) return undefined
  const isWanted = (other: SourceFacts) =>
    other.taskId === taskId && other.sessionId === facts.sessionId
  const [found, ...copies] = openNamed(store, path, importer, { id: taskId, isWanted })
  for (const copy of copies) copy.file.close()
  if (found === undefined) return undefined
  found.file.close()
  return { importer, facts: found.facts, path: found.file.path, taskId }
}

/** Files with this id in their names, if their content says that they are wanted. */
function openNamed(
  store: StoreContext,
  path: string,
  importer: Importer,
  { id, isWanted }: { id: string; isWanted: (facts: SourceFacts) => boolean },
): FoundFile[] {
  const { where, isNamed } = importer.siblings!
  const paths = listSiblingFiles(store, path, {
    ...(where === 'program' && { program: importer }),
    isNamed: (name) => isNamed(name, id),
  })
  return paths.flatMap((sibling) => {
    const file = openIfThere(store, sibling)
    if (file === undefined) return []
    const identified = identifySource(file, [importer])
    if (!('refusal' in identified) && isWanted(identified.facts)) {
      return { file, facts: identified.facts, end: file.size }
    }
    file.close()
    return []
  })
}

function openIfThere(store: StoreContext, path: string): ForeignSource | undefined {
  try {
    return new ForeignSource(store, path)
  } catch (error) {
    if (!isSessionError(error)) throw error
    return undefined
  }
}

function byTime(one: FoundFile, other: FoundFile): number {
  const [first, second] = [one, other].map(({ facts, file }) => [facts.startTs ?? '', file.name])
  return first!.join('\n') < second!.join('\n') ? -1 : 1
}

/** Of a file and its copy, or its earlier state, only the longer one is a source. */
function withoutCopies(files: readonly FoundFile[]): FoundFile[] {
  const kept: FoundFile[] = []
  const longestFirst = [...files].sort((one, other) => other.file.size - one.file.size)
  for (const found of longestFirst) {
    const { file } = found
    const isCopy = kept.some((other) => isPrefix(file, other.file))
    if (!isCopy) kept.push(found)
    else if (found !== files[0]) file.close()
  }
  return kept
}

const COMPARED_BYTES = 64 * 1024

function isPrefix(short: ForeignSource, long: ForeignSource): boolean {
  const { size } = short
  return [Math.min(size, COMPARED_BYTES), size].every(
    (length) => short.sha256(length) === long.sha256(length),
  )
}

const BASES_MAX = 1000

/** The files of other sessions that those of this one continue, up to where they do, in order. */
function findBases(
  store: StoreContext,
  files: readonly FoundFile[],
  importer: Importer,
): FoundFile[] {
  const bases: FoundFile[] = []
  const addBaseOf = ({ facts: { continues }, file }: FoundFile) => {
    if (continues === undefined || bases.length >= BASES_MAX) return
    const { fileId, byteOffset: end = Number.POSITIVE_INFINITY } = continues
    const isBase = ({ facts }: FoundFile) => facts.fileId === fileId
    if (files.some(isBase)) return
    const known = bases.findIndex(isBase)
    if (known !== -1) {
      const base = bases[known]!
      bases[known] = { ...base, end: Math.min(Math.max(base.end, end), base.file.size) }
      return
    }
    const [base, ...others] = openNamed(store, file.path, importer, {
      id: fileId,
      isWanted: (facts) => facts.fileId === fileId,
    })
    for (const other of others) other.file.close()
    if (base === undefined) return
    addBaseOf(base)
    bases.push({ ...base, end: Math.min(end, base.file.size) })
  }
  files.forEach(addBaseOf)
  return bases
}

/** Whether and what to import, by what the log and the files say. */
export type ImportPlan =
  | { readonly skip: SkipReason }
  | { readonly sources: readonly ImportSource[]; readonly isFirst: boolean }

export function planSources(
  store: StoreContext,
  files: readonly FoundFile[],
  { previous, importer }: { previous: PreviousImport; importer: Importer },
): ImportPlan {
  const { exists, isImport, isContinued, ledgers } = previous
  if (exists && !isImport && ledgers.length === 0) return { skip: 'exists' }
  const known = matchLedgers(files, ledgers)
  const isOneFile = importer.siblings === undefined
  for (const { file, ledger } of known) {
    const isChanged =
      ledger === undefined ? isOneFile && ledgers.length > 0 : !isSameSource(ledger, file)
    if (isChanged) return { skip: 'changed_past' }
  }
  if (known.every(({ ledger, end }) => ledger?.bytes === end)) return { skip: 'unchanged' }
  if (isContinued && ledgers.length > 0) return { skip: 'continued_here' }
  const gone = ledgers.filter((ledger) => known.every((one) => one.ledger !== ledger))
  return {
    sources: [
      ...gone.map((ledger) => toGone(store, ledger, files[0]!)),
      ...withNames(known, ledgers),
    ],
    isFirst: ledgers.length === 0,
  }
}

type KnownFile = FoundFile & { readonly ledger: Ledger | undefined }

/** By path; a file that was moved since is recognised by its bytes. */
function matchLedgers(files: readonly FoundFile[], ledgers: readonly Ledger[]): KnownFile[] {
  const byPath = files.map(({ file }) => ledgers.find(({ path }) => path === resolve(file.path)))
  const free = ledgers.filter((ledger) => !byPath.includes(ledger))
  return files.map((found, index) => {
    const ledger = byPath[index] ?? free.find((one) => isSameSource(one, found.file))
    if (ledger !== undefined && free.includes(ledger)) free.splice(free.indexOf(ledger), 1)
    return { ...found, ledger }
  })
}

/** The first file that was ever imported has no name, so that its uuids and marks stay what they are. */
function withNames(files: readonly KnownFile[], ledgers: readonly Ledger[]): ImportSource[] {
  const taken = new Set(ledgers.map(({ source }) => source))
  return files.map(({ file, facts, end, ledger }) => {
    const named = { path: file.path, file, facts, end, ledger }
    if (ledger !== undefined) return { ...named, source: ledger.source }
    const short = taken.size === 0 ? undefined : basename(file.path)
    const source = taken.has(short) ? resolve(file.path) : short
    taken.add(source)
    return { ...named, source }
  })
}

/** A file that is gone; a copy in the store takes its place. */
function toGone(store: StoreContext, ledger: Ledger, { facts }: FoundFile): ImportSource {
  const { source, path, bytes, kept_source } = ledger
  const copy = kept_source === undefined ? undefined : join(store.layout.root, kept_source)
  const file = copy === undefined ? undefined : openIfThere(store, copy)
  return { source, path, file, facts, end: bytes, ledger }
}
