/**
 * Headers of a message, read from the bytes that came instead of by the client, which makes a map of lists of all of them
 * before it gives one: that is half of what reading a message costs.
 *
 * The client has the bytes, and no public name for them. So what stands under its own names is looked at before it is
 * believed, and where anything about it is not as expected, the client's reader reads.
 */
import type { JsMsg } from '@nats-io/jetstream'
import { HEADER, type HeaderReader } from '../../wire/headers.ts'

/** A message as the client keeps it: headers and body in one piece, and where the one ends. */
interface ClientMessage {
  readonly msg?: {
    readonly _rdata?: unknown
    readonly _msg?: { readonly hdr?: unknown }
  }
}

const FIRST_LINE = 'NATS/1.0'
const LINE_END = '\r\n'
const LAST_LINE = '\r\n\r\n'
/** How the lines of a relay's headers begin, by name: made once. */
const LINE_STARTS: ReadonlyMap<string, string> = new Map(
  Object.values(HEADER).map((name) => [name, `${LINE_END}${name}:`]),
)

/** @returns The lines of the headers as they came; `undefined` where the client does not keep them as expected. */
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
 * What reads one header of a message: the first of its name, without the spaces around it.
 *
 * @param body - Its `data`.
 */
export function createHeaderReader(message: JsMsg, body: Uint8Array): HeaderReader {
  const lines = headerLines(message, body)
  if (lines === undefined) return createClientHeaderReader(message)
  return (name) => {
    // A value has no line's end, so what stands behind one is the name of a header.
    const line = LINE_STARTS.get(name) ?? `${LINE_END}${name}:`
    const at = lines.indexOf(line)
    if (at === -1) return undefined
    const from = at + line.length
    return lines.slice(from, lines.indexOf(LINE_END, from)).trim()
  }
}

/** Bytes as they came: the client's own text would be without a byte order mark. @param to - Their end. */
export function decodeText(bytes: Uint8Array, to = bytes.length): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.toString('utf8', 0, to)
}

/** The client looks through all headers for each that it is asked for, so they are taken once. */
function createClientHeaderReader({ headers }: JsMsg): HeaderReader {
  const texts = new Map<string, string | undefined>()
  for (const [name, [text]] of headers ?? []) texts.set(name, text)
  return (name) => texts.get(name)
}
