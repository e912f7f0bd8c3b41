// The lines of an export that no log has: what begins here, what is missing, and that all is there.
// Their types are nobody's, so every reader of the format keeps and ignores them.

/** In the payload of the first line. */
export const EXPORT_VERSION = 1

export const EXPORT_TYPES = {
  begin: 'export.begin',
  log: 'export.log',
  damage: 'export.damage',
  end: 'export.end',
} as const
