/**
 * Parses a request in a HAR file, as browsers and proxies export it: a whole file, one entry, or the request
 * of one entry.
 */
import { isRecord } from '@brokerwire/core/internal'
import {
  createParsedRequest,
  groupHeaders,
  type ParsedRequest,
  type ParseOptions,
  ParseProblem,
} from './parsed-request.ts'

type Json = Readonly<Record<string, unknown>>

/** Whether a JSON object is a HAR, an entry, or the request of an entry. */
export const isHar = (json: Json): boolean =>
  isRecord(json.log) ||
  isRecord(json.request) ||
  (typeof json.url === 'string' && Array.isArray(json.headers))

/** Maximum number of entries that an error lists. */
const MAX_LISTED = 20

/**
 * Parses a request.
 *
 * @param entry - Selects one of several requests: its number, from 1, or a part of its URL. Default: the only
 * signed one.
 * @throws ParseProblem
 */
export function parseHar(
  json: Json,
  { hasBody, entry }: ParseOptions & { readonly entry?: string | undefined },
): ParsedRequest {
  const request = selectRequest(listRequests(json), entry)
  const { url, headers } = request
  if (typeof url !== 'string') throw new ParseProblem('request.url must be text')
  const pairs = (Array.isArray(headers) ? headers : []).map((header): readonly [string, string] => {
    if (isRecord(header) && typeof header.name === 'string' && typeof header.value === 'string')
      return [header.name, header.value]
    throw new ParseProblem('request.headers must be a list of { name, value }')
  })
  // The pseudo-headers of HTTP/2 contain the URL again.
  const read = groupHeaders(pairs.filter(([name]) => !name.startsWith(':')))
  const body = hasBody ? undefined : getBody(request.postData)
  return createParsedRequest(url, read, body)
}

function listRequests(json: Json): readonly Json[] {
  if (!isRecord(json.log)) return [isRecord(json.request) ? json.request : json]
  const { entries } = json.log
  if (!Array.isArray(entries)) throw new ParseProblem('log.entries must be a list')
  return entries.map((one: unknown, index) => {
    if (isRecord(one) && isRecord(one.request)) return one.request
    throw new ParseProblem(`log.entries[${index}] must have a request`)
  })
}

function selectRequest(requests: readonly Json[], entry: string | undefined): Json {
  const numbered = requests.map((request, index) => ({ request, number: index + 1 }))
  if (entry !== undefined && /^\d{1,9}$/.test(entry)) {
    const found = requests[Number(entry) - 1]
    if (found !== undefined) return found
    throw new ParseProblem(`--entry must be a number from 1 to ${requests.length}; received ${entry}`)
  }
  const matching =
    entry === undefined ? numbered : numbered.filter(({ request }) => String(request.url).includes(entry))
  const signed = matching.filter(({ request }) => isSigned(request))
  const [only, ...others] = signed.length > 0 ? signed : matching
  if (only === undefined)
    throw new ParseProblem(
      entry === undefined
        ? 'log.entries must have a request; received none'
        : `--entry must be a part of the URL of a request; none of ${requests.length} has it`,
    )
  if (others.length === 0) return only.request
  const all = [only, ...others]
  const list = all.slice(0, MAX_LISTED).map(({ request, number }) => `${number} ${describeRequest(request)}`)
  const more = all.length > MAX_LISTED ? `, and ${all.length - MAX_LISTED} more` : ''
  throw new ParseProblem(`--entry must name one of ${all.length} requests: ${list.join(', ')}${more}`)
}

const isSigned = ({ headers }: Json): boolean =>
  Array.isArray(headers) &&
  headers.some((header) => isRecord(header) && String(header.name).toLowerCase() === 'x-signature')

/** Describes a request. The query is not shown, because it may contain a secret. */
const describeRequest = ({ method, url }: Json): string =>
  `${String(method).slice(0, 10)} ${
    String(url)
      .replace(/[?#].*$/s, '')
      .replace(/^[a-z]+:\/\/[^/]*/i, '')
      .slice(0, 80) || '/'
  }`

function getBody(postData: unknown): string | Uint8Array | undefined {
  if (!isRecord(postData)) return undefined
  const { text, params, encoding } = postData
  if (typeof text === 'string' && text !== '')
    return encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : text
  if (Array.isArray(params) && params.length > 0)
    throw new ParseProblem('request.postData must have text; pass the body with --body-file')
  return undefined
}
