/**
 * Parses a raw HTTP request: request line, headers, a blank line, the body. Lines end with CRLF or LF. They
 * may have the prefix `> ` of `curl --verbose`, whose other lines are skipped.
 */
import {
  createParsedRequest,
  groupHeaders,
  HEADER_NAME,
  type ParsedRequest,
  type ParseOptions,
  problemAt,
} from './parsed-request.ts'

const REQUEST_LINE = /^([A-Za-z]{1,20}) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/

/** Whether a text starts like a raw request, or like the output of `curl --verbose`. */
export const isHttpText = (text: string): boolean =>
  /^\s*(?:> )?[A-Za-z]{1,20} (?:https?:\/\/\S+|\S+ HTTP\/\d(?:\.\d)?)\s*$/.test(firstLine(text)) ||
  /^(?:[*>] |[{}] \[)/.test(text)

const firstLine = (text: string): string => /^\s*[^\r\n]*/.exec(text)?.[0] ?? ''

interface Line {
  readonly text: string
  readonly offset: number
  /** Offset of the next line. */
  readonly end: number
}

/** Yields the lines. The body is not split. */
function* splitLines(text: string): Generator<Line, void, undefined> {
  for (let offset = 0; offset < text.length; ) {
    const at = text.indexOf('\n', offset)
    const end = at === -1 ? text.length : at + 1
    yield { text: text.slice(offset, end).replace(/\r?\n$/, ''), offset, end }
    offset = end
  }
}

/** Parses a request. @throws ParseProblem */
export function parseHttpText(text: string, { hasBody }: ParseOptions): ParsedRequest {
  const isVerbose = !REQUEST_LINE.test(firstLine(text).trim()) && /^> [A-Za-z]+ \S+ HTTP\//m.test(text)
  const pairs: (readonly [string, string])[] = []
  let target: string | undefined
  let bodyAt: number | undefined
  for (const { text: whole, offset, end } of splitLines(text)) {
    if (isVerbose && !whole.startsWith('>')) continue
    const shift = isVerbose ? (whole.startsWith('> ') ? 2 : 1) : 0
    const line = whole.slice(shift)
    if (target === undefined) {
      if (line.trim() === '') continue
      target = REQUEST_LINE.exec(line.trim())?.[2]
      if (target === undefined)
        throw problemAt(text, offset, 'the request line must be "METHOD path HTTP/1.1"')
    } else if (line === '') {
      bodyAt = end
      break
    } else pairs.push(parseHeader(text, line, offset + shift))
  }
  if (target === undefined)
    throw problemAt(text, 0, 'the request line must be "METHOD path HTTP/1.1"; received none')
  const read = groupHeaders(pairs)
  const url = /^https?:\/\//i.test(target) ? target : buildUrl(text, target, read.host)
  const isBodyRead = !hasBody && !isVerbose
  const body = isBodyRead && bodyAt !== undefined ? parseBody(text, bodyAt, read.headers) : undefined
  return createParsedRequest(url, read, body)
}

function parseHeader(text: string, line: string, offset: number): readonly [string, string] {
  const at = line.indexOf(':')
  const name = line.slice(0, Math.max(at, 0))
  if (!HEADER_NAME.test(name)) throw problemAt(text, offset, 'a header must be "name: value"')
  return [name, line.slice(at + 1).trim()]
}

function buildUrl(text: string, target: string, host: string | undefined): string {
  if (host === undefined) throw problemAt(text, 0, 'a request without a URL must have a Host header')
  if (/[/?#@\s]/.test(host)) throw problemAt(text, 0, 'the Host header must be a hostname[:port]')
  if (!target.startsWith('/')) throw problemAt(text, 0, 'the path of the request line must start with "/"')
  // The scheme is not part of the signature, and the Host header has the port as it was sent.
  return `https://${host}${target}`
}

/**
 * Returns the body: as many bytes as Content-Length states. Without that header, the body ends before the
 * final line break, which editors add.
 */
function parseBody(
  text: string,
  bodyAt: number,
  headers: ParsedRequest['headers'],
): string | Uint8Array | undefined {
  if (headers['transfer-encoding'] !== undefined)
    throw problemAt(text, bodyAt, 'a chunked body is not supported; pass the body with --body-file')
  const rest = text.slice(bodyAt)
  const length = headers['content-length']
  if (length === undefined) return rest.replace(/\r?\n$/, '') || undefined
  const bytes = new TextEncoder().encode(rest)
  const expected = /^\d{1,12}$/.test(String(length)) ? Number(length) : Number.NaN
  const extra = bytes.subarray(expected)
  if (bytes.length >= expected && extra.every((byte) => byte === 0x0a || byte === 0x0d))
    return expected === 0 ? undefined : bytes.subarray(0, expected)
  const received = `received ${bytes.length} bytes`
  throw problemAt(text, bodyAt, `the body must have the length of Content-Length; ${received}`)
}
