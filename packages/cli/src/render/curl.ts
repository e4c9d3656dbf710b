/**
 * A request as a curl command. The signature stands in it, the token as a variable, the app secret never.
 *
 * All but the switches goes to curl over its standard input: arguments are in the process list, where every user of the
 * machine reads them, and the shell puts the token there where it stands in one.
 */
import { printable } from '@brokerwire/core'

/** What a command is made of. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The variable that holds the access token. */
  readonly token: string | undefined
  /** Without a zero, which curl takes for the end. */
  readonly body: string | undefined
}

/** curl reads lines of 100 KiB, and says of a longer one that the file cannot be read. */
const MOST_LINE_BYTES = 102_000

/** Whether a body stands in one line that curl reads. What is escaped takes two bytes there. */
export function fitsCurl(body: string): boolean {
  let length = 0
  for (const character of body) length += Buffer.byteLength(ESCAPES[character] ?? character)
  return length + 'data-raw = ""'.length <= MOST_LINE_BYTES
}

/** The lines, for every shell of POSIX. */
export function curlCommand({ method, url, headers, token, body }: CurlRequest): string {
  const lines = [`url = ${configText(url)}`]
  if (method === 'HEAD') lines.push('head')
  else if (method !== (body === undefined ? 'GET' : 'POST')) lines.push(`request = ${configText(method)}`)
  for (const [name, value] of Object.entries(headers))
    lines.push(`header = ${configText(`${name}: ${value}`)}`)
  if (token !== undefined) lines.push(`header = "x-access-token: $${token}"`)
  // Raw: a body that begins with @ is no name of a file.
  if (body !== undefined) lines.push(`data-raw = ${configText(body)}`)
  return [`${CURL} <<REQUEST`, ...lines, 'REQUEST'].join('\n')
}

/** --globoff: brackets of a query are no ranges. --path-as-is: what was signed is what is asked for. */
const CURL = 'curl --globoff --path-as-is --silent --show-error --fail-with-body --config -'

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** A text in quotes as curl's configuration has it, within a document that the shell expands. */
function configText(text: string): string {
  return `"${[...text].map((character) => inDocument(ESCAPES[character] ?? character)).join('')}"`
}

function inDocument(text: string): string {
  // Shells that know a history look for it here, too.
  if (text === '!' || printable(text) !== text) {
    const octal = [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    return `$(printf '${octal.join('')}')`
  }
  return text.replace(/[\\$`]/g, '\\$&')
}
