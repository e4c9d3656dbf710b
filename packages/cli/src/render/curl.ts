/**
 * Formats a request as a curl command. It contains the signature, the token as a variable, and never the app
 * secret. All arguments except switches are passed on standard input, because all users of the machine can
 * read arguments in the process list. The shell expands the variable in that input.
 */
import { escapeControlChars } from '@brokerwire/core'

/** Content of the command. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Name of the variable with the access token. */
  readonly token: string | undefined
  /** The body. It must not contain NUL, at which curl stops reading. */
  readonly body: string | undefined
}

/** curl limits lines to 100 KiB, and reports a longer one as an unreadable file. */
const MAX_LINE_BYTES = 102_000

/** Whether a body fits on one line of curl. Escaped characters take two bytes. */
export function fitsCurl(body: string): boolean {
  let length = 0
  for (const character of body) length += Buffer.byteLength(ESCAPES[character] ?? character)
  return length + 'data-raw = ""'.length <= MAX_LINE_BYTES
}

/** Creates the lines, for every POSIX shell. */
export function curlCommand({ method, url, headers, token, body }: CurlRequest): string {
  const lines = [`url = ${quoteConfigValue(url)}`]
  if (method === 'HEAD') lines.push('head')
  else if (method !== (body === undefined ? 'GET' : 'POST'))
    lines.push(`request = ${quoteConfigValue(method)}`)
  for (const [name, value] of Object.entries(headers))
    lines.push(`header = ${quoteConfigValue(`${name}: ${value}`)}`)
  if (token !== undefined) lines.push(`header = "x-access-token: $${token}"`)
  // `data-raw` is used, so that a body that starts with @ is not read as a file name.
  if (body !== undefined) lines.push(`data-raw = ${quoteConfigValue(body)}`)
  return [`${CURL} <<REQUEST`, ...lines, 'REQUEST'].join('\n')
}

/**
 * With --globoff, brackets in a query are not ranges. With --path-as-is, the path is sent as it was signed.
 */
const CURL = 'curl --globoff --path-as-is --silent --show-error --fail-with-body --config -'

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Formats a quoted string of curl's configuration format, inside a here-document that the shell expands. */
function quoteConfigValue(text: string): string {
  return `"${[...text].map((character) => escapeForHereDocument(ESCAPES[character] ?? character)).join('')}"`
}

function escapeForHereDocument(text: string): string {
  // Some shells would expand the exclamation mark (history expansion) here too.
  if (text === '!' || escapeControlChars(text) !== text) {
    const octal = [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    return `$(printf '${octal.join('')}')`
  }
  return text.replace(/[\\$`]/g, '\\$&')
}
