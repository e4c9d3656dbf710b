/**
 * Each request arrives once: with every status and every kind of missing response, over new and over kept-alive
 * connections, with and without a body. Runs in every runtime, so it has neither a test runner nor a module of a host.
 */
import type { Arrivals } from '@brokerwire/testing/arrival-server'
import type { HttpClient, HttpClientOptions, HttpRequest, isHttpError } from '../index.ts'

/** The results of the cases. */
export interface WireReport {
  /** Cases that arrived once, with the bytes that were signed. */
  readonly once: number
  /** Those of them that used a connection of an earlier request. */
  readonly warm: number
  /** Cases that arrived more than once, and whose error states that this is possible. */
  readonly admitted: readonly string[]
  readonly failures: readonly string[]
}

/** The functions under test, imported as the runtime requires. */
export interface WireSubject {
  readonly createHttpClient: (options: HttpClientOptions) => HttpClient
  readonly isHttpError: typeof isHttpError
  readonly signer: HttpClientOptions['signer']
}

interface Case {
  readonly name: string
  readonly method: HttpRequest['method']
  readonly body: string | undefined
  readonly params: Readonly<Record<string, string>>
}

const BODY = '{"a":"\u00e9<>&"}'
const SENDERS: readonly (readonly [method: HttpRequest['method'], body: string | undefined])[] = [
  ['POST', BODY],
  ['POST', undefined],
  ['GET', undefined],
  ['PUT', BODY],
  ['DELETE', undefined],
  ['PATCH', BODY],
  ['DELETE', BODY],
  ['HEAD', undefined],
]
const STATUSES = Array.from({ length: 400 }, (_, at) => 200 + at)
/** Statuses that some clients handle in a special way. */
const SPECIAL = [
  200, 204, 205, 301, 302, 303, 304, 307, 308, 401, 403, 407, 408, 409, 417, 421, 425, 426, 429, 500, 503,
]
const ENDS = ['fin', 'reset', 'half', 'noise']

function cases(everyStatus: boolean): Case[] {
  return SENDERS.flatMap(([method, body], at) => {
    const statuses = everyStatus && at < 3 ? STATUSES : SPECIAL
    const asked = [
      ...statuses.map((status): [string, Record<string, string>] => [
        `status ${status}`,
        { s: String(status) },
      ]),
      ...ENDS.map((end): [string, Record<string, string>] => [`ends with ${end}`, { end }]),
    ]
    const sender = `${method} ${body === undefined ? 'without' : 'with'} a body`
    return asked.map(([what, params]) => ({ name: `${sender}, ${what}`, method, body, params }))
  })
}

const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

/**
 * Runs the cases one after the other.
 *
 * @param retry - The retry rule of each request. With `'always'`, hosts may retry if a kept-alive connection ended.
 * @param everyStatus - Whether to test every status, instead of only those that some clients handle in a special way.
 */
export async function runWireCases(
  { createHttpClient, isHttpError, signer }: WireSubject,
  url: string,
  { retry = 'never', everyStatus = false }: { retry?: 'never' | 'always'; everyStatus?: boolean } = {},
): Promise<WireReport> {
  const client = createHttpClient({ baseUrl: url, signer, maxRetries: 0 })
  const run = String(Math.random())
  const sent: (Omit<Case, 'params' | 'method'> & { id: string; error: unknown })[] = []
  const send = async (one: Case, name: string): Promise<void> => {
    const id = `${run}-${sent.length}`
    const error = await client
      .request({
        method: one.method,
        path: '/wire',
        query: [['id', id], ...Object.entries(one.params)],
        body: one.body,
        authenticated: false,
        retry,
      })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    sent.push({ id, name, body: one.body, error })
  }
  for (const one of cases(everyStatus)) {
    await send({ ...one, params: { ...one.params, close: '' } }, `${one.name}, the last of its connection`)
    await send({ ...one, params: {} }, `${one.name}: before it`)
    await send(one, `${one.name}, over an open connection`)
  }
  const seen = (await (await fetch(`${url}/seen`)).json()) as Arrivals

  let once = 0
  let warm = 0
  const admitted: string[] = []
  const failures: string[] = []
  for (const { id, name, body, error } of sent) {
    const { times = 0, ordinal = 0, framing = 'none', body: received = '' } = seen[id] ?? {}
    const isSaid = isHttpError(error) && 'sentOnce' in error.details && !error.details.sentOnce
    // Firefox tries again on each kept-alive connection: a request without side effects up to ten times.
    const isAdmitted = isSaid && times > 1
    const isWhole = received === bytesOf(body ?? '') && (body === undefined || framing === 'length')
    if (!isWhole) failures.push(`${name}: sent ${received} as ${framing}`)
    else if (times === 1) once += 1
    else if (isAdmitted) admitted.push(name)
    else failures.push(`${name}: arrived ${times} times, ${String(error)}`)
    if (times === 1 && ordinal > 1) warm += 1
  }
  return { once, warm, admitted, failures }
}
