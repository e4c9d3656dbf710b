/** The result of parsing a captured request in any format, and its error. */

/** The parts of a request that the signer needs. The method is not signed. */
export interface ParsedRequest {
  readonly url: string
  /** Value of the `Host` header, if it differs from the URL's host. */
  readonly host?: string | undefined
  /** Headers by name. A repeated header has a list of values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array | undefined
}

/** Options of the parsers. */
export interface ParseOptions {
  /** Whether the body is given separately. If it is, the body in the text is ignored. */
  readonly hasBody: boolean
}

/**
 * Error of a text that does not have its format. The message states the position and never quotes a value.
 */
export class ParseProblem extends Error {
  override readonly name = 'ParseProblem'
}

/** Creates the error for an offset of `text`, with line and column, counted from 1. */
export function problemAt(text: string, offset: number, sentence: string): ParseProblem {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', start)) {
    line += 1
    start = at + 1
  }
  return new ParseProblem(`line ${line}, column ${offset - start + 1}: ${sentence}`)
}

/** Returns the headers in the format of {@link ParsedRequest}, without `Host`. */
export function groupHeaders(
  pairs: Iterable<readonly [name: string, value: string]>,
): Pick<ParsedRequest, 'headers'> & { readonly host: string | undefined } {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    const known = values.get(key)
    if (known === undefined) values.set(key, [value])
    else known.push(value)
  }
  const host = values.get('host')
  values.delete('host')
  const headers = [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list])
  return { headers: Object.fromEntries(headers), host: host?.join(', ') }
}

/** Creates a parsed request. */
export function createParsedRequest(
  url: string,
  { headers, host }: ReturnType<typeof groupHeaders>,
  body: string | Uint8Array | undefined,
): ParsedRequest {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1]
  const isOther = host !== undefined && host.toLowerCase() !== authority?.toLowerCase()
  return { url, headers, ...(isOther ? { host } : {}), ...(body === undefined ? {} : { body }) }
}

/** A valid header name. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
