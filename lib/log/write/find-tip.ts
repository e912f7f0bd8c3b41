// The tip of a file, found from its end. A line that follows the one before it is where the last
// writer stopped; so a run of such lines is proof enough. Where the run is broken (a copied
// block, a stray header, a repeated uuid), the whole file is asked.

import type { Environment } from '../../environment/index.js'
import { follows, isHeaderType, isOnChain, type Link, linkOf, TipRule } from '../../format/index.js'
import { type OpenLog, readEventAt } from '../read/open-for-reading.js'
import { type ScannedLine, scanLog } from '../read/scan.js'
import { UuidIndex } from '../uuid-index.js'

export interface FoundTip {
  /** `null` while the chain is empty. */
  readonly tip: string | null
  /** The offset of every uuid, if the whole log had to be scanned. */
  readonly uuids?: UuidIndex
}

/**
 * The tip of a log. A copied block longer than `windowBytes` would be taken for new lines; the
 * larger it is, the more every look costs.
 */
export function findTip(log: OpenLog, windowBytes: number, environment: Environment): FoundTip {
  const tip = findTipAtEnd(log, windowBytes, environment)
  return tip === undefined ? findTipFromStart(log, environment) : { tip }
}

/** `undefined` if the end of the log does not decide it. */
export function findTipAtEnd(
  log: OpenLog,
  windowBytes: number,
  environment: Environment,
): string | undefined {
  for (let window = windowBytes; window < log.size; window *= 2) {
    const run = runSince(log, log.size - window, environment)
    if (run === 'broken') return undefined
    if (run !== undefined) return run
  }
  return undefined
}

/** The last event of an unbroken run; `undefined` without an event of the chain. */
function runSince(
  log: OpenLog,
  from: number,
  environment: Environment,
): string | 'broken' | undefined {
  let last: string | undefined
  let isBroken = false
  scanLog(
    log.fd,
    (line) => {
      const link = linkAt(log, line)
      if (!isOnChain(link)) return
      const isNext = last === undefined || follows(link, last) || link.isGenuine === true
      if (!isNext || isHeaderType(link.type)) isBroken = true
      last = link.uuid
    },
    { from, to: log.size, verify: true, environment },
  )
  return isBroken ? 'broken' : last
}

function findTipFromStart(log: OpenLog, environment: Environment): FoundTip {
  const uuids = new UuidIndex()
  const rule = new TipRule((uuid) => uuids.find(uuid) !== undefined)
  scanLog(
    log.fd,
    (line) => {
      rule.take(linkAt(log, line))
      line.addTo(uuids)
    },
    { to: log.size, verify: true, environment },
  )
  return { tip: rule.tip, uuids }
}

/** Two types say more in their payload; of the others the beginning of the line is enough. */
function linkAt(log: OpenLog, line: ScannedLine): Link {
  const { type, uuid, prev_uuid, byte_offset } = line
  if (type !== 'rewind' && type !== 'compaction_boundary') return { type, uuid, prev_uuid }
  const event = readEventAt(log, byte_offset)
  return event === undefined ? { type, uuid, prev_uuid } : linkOf(event, byte_offset)
}
