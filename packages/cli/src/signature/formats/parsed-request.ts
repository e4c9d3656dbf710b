/** A captured request in any format, and the error of a text that is none. */

/** What the signer needs of a request. Its method is not signed. */
export interface ParsedRequest {
  readonly url: string
  /** The `Host` header, if it differs from the URL's host. */
  readonly host?: string | undefined
  /** A name that appears more than once has a list of values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array | undefined
}

/** How a request is read. */
export interface ParseOptions {
  /** Whether the body comes from elsewhere, so that the one in the text is not read. */
  readonly hasBody: boolean
}

/** A text that is not what its format promises. The message names the place and never quotes a value. */
export class ParseProblem extends Error {
  override readonly name = 'ParseProblem'
}

/** The problem at an offset of `text`, with its line and column, which start at 1. */
export function problemAt(text: string, offset: number, sentence: string): ParseProblem {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', start)) {
    line += 1
    start = at + 1
  }
  return new ParseProblem(`line ${line}, column ${offset - start + 1}: ${sentence}`)
}

/** Headers as {@link ParsedRequest} has them, without `Host`. */
export function headersOf(
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

/** Puts a request together. */
export function requestOf(
  url: string,
  { headers, host }: ReturnType<typeof headersOf>,
  body: string | Uint8Array | undefined,
): ParsedRequest {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1]
  const isOther = host !== undefined && host.toLowerCase() !== authority?.toLowerCase()
  return { url, headers, ...(isOther ? { host } : {}), ...(body === undefined ? {} : { body }) }
}

/** A name that HTTP allows for a header. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
