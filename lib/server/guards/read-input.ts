// What a request says, checked by the schemas of its route.

import type * as z from 'zod'
import { isSessionError, SessionError } from '../../errors.js'

/** The JSON of a body. Throws ERR_TOO_LARGE before the whole of a large one has been read. */
export async function readBody(request: Request, bytesMax: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  // A form of another site can send plain text, and cannot send this.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    const what = `A body is application/json, not "${type.slice(0, 100)}"`
    throw new SessionError('ERR_MEDIA_TYPE', what)
  }
  const tooLarge = () =>
    new SessionError('ERR_TOO_LARGE', `A body has at most ${bytesMax} bytes`, { bytesMax })
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge()
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of request.body ?? []) {
      bytes += part.byteLength
      if (bytes > bytesMax) throw tooLarge()
      parts.push(part)
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
    return JSON.parse(text)
  } catch (cause) {
    if (isSessionError(cause)) throw cause
    throw new SessionError('ERR_ARG', 'The body is not JSON in UTF-8, or was cut off', { cause })
  }
}

/** Throws ERR_ARG with the first thing that is wrong. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema | undefined,
  value: unknown,
  where: string,
): z.output<Schema> {
  if (schema === undefined) return {} as z.output<Schema>
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.map(String).join('.') ?? ''
  const what = `${where}${name === '' ? '' : ` ${name}`}: ${issue?.message ?? 'invalid'}`
  throw new SessionError('ERR_ARG', what, { in: where, ...(name !== '' && { field: name }) })
}
