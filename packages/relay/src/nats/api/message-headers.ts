/**
 * Reads headers of a message from its bytes. The client's reader would first parse all headers into a map of
 * lists, which is half of the cost of reading a message.
 *
 * The client has the bytes in private fields. Their layout is checked first. If it is not as expected, the
 * client's reader is used.
 */
import type { JsMsg } from '@nats-io/jetstream'
import { type GetHeader, HEADER } from '../../wire/headers.ts'

/** The private fields of a client's message: headers and body in one array, and the length of the headers. */
interface ClientMessage {
  readonly msg?: {
    readonly _rdata?: unknown
    readonly _msg?: { readonly hdr?: unknown }
  }
}

const FIRST_LINE = 'NATS/1.0'
const LINE_END = '\r\n'
const LAST_LINE = '\r\n\r\n'
/** The start of each header line that is read, by name. */
const LINE_STARTS: ReadonlyMap<string, string> = new Map(
  [...Object.values(HEADER), 'traceparent'].map((name) => [name, `${LINE_END}${name}:`]),
)

/** Returns the header lines as received; `undefined` if the client's layout is not as expected. */
function headerLines(message: JsMsg, body: Uint8Array): string | undefined {
  const { _rdata: bytes, _msg } = (message as ClientMessage).msg ?? {}
  const length = _msg?.hdr
  if (!(bytes instanceof Uint8Array) || typeof length !== 'number') return undefined
  const isExpectedLayout = length > 0 && bytes.length === length + body.length
  if (!isExpectedLayout) return undefined
  const text = decodeText(bytes, length)
  return text.startsWith(FIRST_LINE) && text.endsWith(LAST_LINE) ? text : undefined
}

/**
 * Creates a reader of single headers. It returns the first value of a header, without the spaces around it.
 *
 * @param body - The `data` of the message.
 */
export function createGetHeader(message: JsMsg, body: Uint8Array): GetHeader {
  const lines = headerLines(message, body)
  if (lines === undefined) return createClientGetHeader(message)
  return (name) => {
    // A value contains no line end, so a line end is followed by the name of a header.
    const line = LINE_STARTS.get(name) ?? `${LINE_END}${name}:`
    const at = lines.indexOf(line)
    if (at === -1) return undefined
    const from = at + line.length
    return lines.slice(from, lines.indexOf(LINE_END, from)).trim()
  }
}

/**
 * Decodes UTF-8, and keeps a byte order mark, which the client's reader would discard.
 *
 * @param to - The end, exclusive.
 */
export function decodeText(bytes: Uint8Array, to = bytes.length): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString('utf8', 0, to)
}

/** Reads all headers once, because the client would search all of them for each name. */
function createClientGetHeader({ headers }: JsMsg): GetHeader {
  const texts = new Map<string, string | undefined>()
  for (const [name, [text]] of headers ?? []) texts.set(name, text)
  return (name) => texts.get(name)
}
