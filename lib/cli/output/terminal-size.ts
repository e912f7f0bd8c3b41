// The size of a terminal. COLUMNS comes first, as with other tools; a terminal that reports a width
// of 0, as `script` and some CI systems do, counts as one of the usual size.

const COLUMNS_DEFAULT = 80
const ROWS_DEFAULT = 24

interface Size {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

export function columnsOf(stream: Size, env: NodeJS.ProcessEnv): number {
  return positive(env['COLUMNS']) ?? positive(stream.columns) ?? COLUMNS_DEFAULT
}

export function rowsOf(stream: Size, env: NodeJS.ProcessEnv): number {
  return positive(env['LINES']) ?? positive(stream.rows) ?? ROWS_DEFAULT
}

/** The width for a help; `undefined` where none is known. */
export function helpColumnsOf(
  stream: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
): number | undefined {
  return stream.isTTY === true ? columnsOf(stream, env) : positive(env['COLUMNS'])
}

function positive(value: string | number | undefined): number | undefined {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}
