// What an import read and lost, source by source. The log records the whole account of a source; the
// report of a run has only what that run added to it.

import { fieldsOf } from '../../chain/index.js'
import {
  type DecodedLine,
  type DropReason,
  Losses,
  type RecordPlace,
  type RepairReason,
} from '../../interchange/index.js'
import type { RepairPlace } from './import-session.js'
import type { ImportSource } from './sources.js'

/** Enough to look at; a file may be damaged in a million places. */
const PLACES_MAX = 10

/** Of one source. */
class Account {
  /** How much of it was read. */
  bytes = 0
  /** Without blank ones. */
  lines = 0
  readonly total = new Losses()
  /** From here on, no import has read it before. */
  readonly #newFrom: number
  readonly #accounts: Accounts
  readonly #path: string

  constructor(accounts: Accounts, { ledger, path, file }: ImportSource) {
    this.#accounts = accounts
    this.#newFrom = ledger?.bytes ?? 0
    this.#path = path
    if (file === undefined) this.bytes = this.#newFrom
  }

  addLine({ isRepaired, isDamaged, records }: DecodedLine, byteOffset: number): void {
    this.lines++
    if (byteOffset >= this.#newFrom) this.#accounts.lines++
    if (isRepaired || (isDamaged && records.length > 0)) this.repair('salvaged', byteOffset)
    else if (isDamaged) this.drop('damaged', byteOffset)
  }

  drop(reason: DropReason, byteOffset: number): void {
    this.total.drop(reason)
    if (byteOffset >= this.#newFrom) this.#accounts.fresh.drop(reason)
  }

  repair(reason: RepairReason, byteOffset: number): void {
    this.total.repair(reason)
    if (byteOffset < this.#newFrom) return
    this.#accounts.fresh.repair(reason)
    this.#accounts.addPlace({ reason, path: this.#path, byteOffset })
  }

  leaveUninterpreted(type: string, byteOffset: number): void {
    this.total.leaveUninterpreted(type)
    if (byteOffset >= this.#newFrom) this.#accounts.fresh.leaveUninterpreted(type)
  }
}

/** Of all sources of one import. */
export class Accounts {
  /** New lines of all sources. */
  lines = 0
  readonly fresh = new Losses()
  readonly #places: RepairPlace[] = []
  readonly #accounts: ReadonlyMap<string | undefined, Account>

  constructor(sources: readonly ImportSource[]) {
    this.#accounts = new Map(sources.map((one) => [one.source, new Account(this, one)]))
  }

  /** `source`: as records name it. */
  of(source: string | undefined): Account {
    return this.#accounts.get(source)!
  }

  get bytes(): number {
    return [...this.#accounts.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get report() {
    const { dropped, repaired, uninterpreted } = this.fresh
    return { lines: this.lines, dropped, repaired, uninterpreted, places: this.#places }
  }

  drop(reason: DropReason, { source, byteOffset }: Omit<RecordPlace, 'length'>): void {
    this.of(source).drop(reason, byteOffset)
  }

  repair(reason: RepairReason, { source, byteOffset }: RecordPlace): void {
    this.of(source).repair(reason, byteOffset)
  }

  leaveUninterpreted(type: string, { source, byteOffset }: RecordPlace): void {
    this.of(source).leaveUninterpreted(type, byteOffset)
  }

  addPlace(place: RepairPlace): void {
    const same = this.#places.filter(({ reason }) => reason === place.reason)
    if (same.length < PLACES_MAX) this.#places.push(place)
  }
}

/** Where the record of an imported event is. */
export function placeOf(payload: unknown): Omit<RecordPlace, 'length'> {
  const { source, offset } = fieldsOf(fieldsOf(payload)['imported_from'])
  return { source: source as string | undefined, byteOffset: offset as number }
}
