// The lines of an export that no log has: what begins here, what is missing, and that all is there.
// Their types belong to no log, so every reader of the format keeps and ignores them.

/** Reasons of damage as format 1 of an export spells them, where the diagnostic code is another. */
export const EXPORTED_REASONS = {
  partial_tail: 'torn_tail',
  interrupted_record: 'spliced_record',
} as const

export function exportedReason(code: string): string {
  return (EXPORTED_REASONS as Readonly<Record<string, string>>)[code] ?? code
}

/** The newest version; in the payload of the first line. 2: with the sessions that it continues. */
export const EXPORT_VERSION = 2

export const EXPORT_TYPES = {
  begin: 'export.begin',
  log: 'export.log',
  damage: 'export.damage',
  end: 'export.end',
} as const
