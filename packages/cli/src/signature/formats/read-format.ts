/** Detects the format of a captured request and parses it for the signer. */
import { parseJsonObject } from '@brokerwire/core/internal'
import { isCurlCommand, parseCurl } from './curl-command.ts'
import { isHar, parseHar } from './har.ts'
import { isHttpText, parseHttpText } from './http-text.ts'
import type { RequestFormat } from './names.ts'
import { type ParsedRequest, ParseProblem } from './parsed-request.ts'

/** Options of the detection. */
export interface FormatOptions {
  /** The format. By default it is detected from the content. */
  readonly format?: RequestFormat | undefined
  /** Selects a request of a HAR. */
  readonly entry?: string | undefined
  /** Whether the body is given separately. */
  readonly hasBody: boolean
}

/** A parsed request, or a JSON object as `sign --json` prints it. */
export type ReadFormat =
  | { readonly type: 'request'; readonly request: ParsedRequest }
  | { readonly type: 'json'; readonly json: Record<string, unknown> }

/** Parses a text. Returns `undefined` if its format is unknown. @throws ParseProblem */
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
