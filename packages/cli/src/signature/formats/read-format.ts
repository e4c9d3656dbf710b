/** Which format a captured request has, by its content, and its request in the form that the signer takes. */
import { parseJsonObject } from '@brokerwire/core/internal'
import { isCurlCommand, parseCurl } from './curl-command.ts'
import { isHar, parseHar } from './har.ts'
import { isHttpText, parseHttpText } from './http-text.ts'
import type { RequestFormat } from './names.ts'
import { type ParsedRequest, ParseProblem } from './parsed-request.ts'

/** How a text is read. */
export interface FormatOptions {
  /** Left out: by the content. */
  readonly format?: RequestFormat | undefined
  /** Which request of a HAR. */
  readonly entry?: string | undefined
  /** Whether the body comes from elsewhere. */
  readonly hasBody: boolean
}

/** A request that was read, or an object of JSON as `sign --json` prints it. */
export type ReadFormat =
  | { readonly type: 'request'; readonly request: ParsedRequest }
  | { readonly type: 'json'; readonly json: Record<string, unknown> }

/** Reads a text. `undefined`: it has none of the formats. @throws ParseProblem */
export function readFormat(text: string, options: FormatOptions): ReadFormat | undefined {
  const { format, entry } = options
  const json = format === 'http' || format === 'curl' ? undefined : parseJsonObject(text)
  const found = format ?? detect(text, json)
  if (entry !== undefined && found !== 'har') throw new ParseProblem('--entry must be used only with a HAR')
  switch (found) {
    case 'http':
      return { type: 'request', request: parseHttpText(text, options) }
    case 'curl':
      return { type: 'request', request: parseCurl(text, options) }
    case 'json':
    case 'har':
      if (json === undefined) throw new ParseProblem('the text must be a JSON object')
      return found === 'har' ? { type: 'request', request: parseHar(json, options) } : { type: 'json', json }
    default:
      return undefined
  }
}

function detect(text: string, json: Record<string, unknown> | undefined): RequestFormat | undefined {
  if (json !== undefined) return isHar(json) ? 'har' : 'json'
  if (isCurlCommand(text)) return 'curl'
  return isHttpText(text) ? 'http' : undefined
}
