// Every limit of the format, with its reason. See docs/FORMAT.md.

/** In the header's payload. A file of a newer format is read but never appended to. */
export const FORMAT_VERSION = 1

/** A writer refuses a longer line, so that any reader can hold one in memory. */
export const WRITE_LINE_BYTES_MAX = 32 * 1024 * 1024

/** A reader takes lines of other writers up to here; of a longer one it reads the first part. */
export const READ_LINE_BYTES_MAX = 64 * 1024 * 1024

/** Enough for type, ts, uuid and prev_uuid in any legal spelling. */
export const LINE_PREFIX_BYTES = 4096

/** JSON.stringify overflows the stack near 5,000; people never nest this deep on purpose. */
export const NESTING_MAX = 512

/** Every event has a time; this is the one of an import whose source has none. */
export const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z'

/** Maximum length of a uuid that a caller passes. */
export const UUID_CHARS_MAX = 128

export const NEWLINE = 0x0a
