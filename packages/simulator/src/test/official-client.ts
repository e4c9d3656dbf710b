/**
 * Imitation of the official Python client, as docs/facts.md describes it under "The official Python client as a guest".
 * It contains none of that client's code. It has its own signing code, and uses only the generated messages of the
 * toolkit.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { TradeEventService, TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'

/** Endpoints and credentials of the client. */
export interface OfficialClientOptions {
  readonly baseUrl: string
  readonly eventsUrl: string
  readonly appKey: string
  readonly appSecret: string
  readonly region: 'us' | 'hk'
}

/** An access token record, as the client parses it. */
export interface OfficialToken {
  readonly token: string
  /** Expiry from the field `expires`. The client knows no other field. */
  readonly expires: number
  readonly status: string
}

/** The imitated client. */
export interface OfficialClient {
  createToken(): Promise<OfficialToken>
  checkToken(token: string): Promise<OfficialToken>
  /**
   * Calls `onEvent` with the payloads of events, and reconnects whenever the stream ends. Rejects if a
   * payload is not JSON, on AuthError, and on a status after which the client does not reconnect.
   */
  subscribe(
    accounts: readonly string[],
    onEvent: (payload: unknown) => void,
    signal: AbortSignal,
  ): Promise<never>
}

/** The client signs with HMAC-SHA256 for unknown hosts. A local host is unknown to it. */
const ALGORITHM = 'HMAC-SHA256'
const PING_OR_SUCCESS = [0, 1]
const AUTH_ERROR = 2
const COMES_BACK_FROM = [Code.Unavailable, Code.Internal, Code.Unknown, Code.Canceled, Code.Aborted]

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
/** Like Python's `quote(text, safe='')`, which also encodes characters that `encodeURIComponent` does not. */
const quote = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Creates the imitated client. */
export function createOfficialClient(options: OfficialClientOptions): OfficialClient {
  const { appKey, appSecret } = options
  const signature = (canonical: string): string =>
    createHmac('sha256', `${appSecret}&`).update(quote(canonical)).digest('base64')
  const headersNow = (): Record<string, string> => ({
    'x-app-key': appKey,
    'x-signature-algorithm': ALGORITHM,
    // The client sends a UUID with hyphens.
    'x-signature-nonce': randomUUID(),
    'x-signature-version': '1.0',
    'x-timestamp': `${new Date().toISOString().slice(0, 19)}Z`,
  })
  const entries = (values: Readonly<Record<string, string>>): string[] =>
    Object.entries(values).map(([name, value]) => `${name}=${value}`)

  async function post(path: string, json: object): Promise<OfficialToken> {
    const { hostname, port } = new URL(options.baseUrl)
    const body = JSON.stringify(json)
    const signed = headersNow()
    // The client signs the host without the port that is in `Host`.
    const canonical = [path, ...entries({ host: hostname, ...signed }), sha256(body).toUpperCase()].join('&')
    const headers = { ...signed, 'x-signature': signature(canonical), 'content-type': 'application/json' }
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const outgoing = httpRequest({ hostname, port, path, method: 'POST', headers }, (incoming) => {
        let received = ''
        incoming.setEncoding('utf8').on('data', (part: string) => {
          received += part
        })
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: received }))
      })
      outgoing.on('error', reject).end(body)
    })
    const record = JSON.parse(text)
    if (status !== 200) throw new Error(`${status} ${record.error_code}`)
    if (record.expires === undefined) throw new Error('KeyError: expires')
    return record
  }

  async function stream(
    accounts: readonly string[],
    onEvent: (payload: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const request = create(TradeSubscribeRequestSchema, {
      subscribeType: options.region === 'us' ? 3 : 1,
      timestamp: BigInt(Date.now()),
      accounts: [...accounts],
    })
    const signed = headersNow()
    const digest = sha256(toBinary(TradeSubscribeRequestSchema, request))
    const headers = { ...signed, 'x-signature': signature(`${entries(signed).join('=')}&${digest}`) }
    const client = createClient(TradeEventService, createGrpcTransport({ baseUrl: options.eventsUrl }))
    for await (const { eventType, payload } of client.subscribe(request, { headers, signal })) {
      if (eventType === AUTH_ERROR) throw new Error(`AuthError: ${payload}`)
      if (!PING_OR_SUCCESS.includes(eventType)) onEvent(JSON.parse(payload))
    }
  }

  return {
    createToken: () => post('/openapi/auth/token/create', {}),
    checkToken: (token) => post('/openapi/auth/token/check', { token }),
    async subscribe(accounts, onEvent, signal) {
      for (;;) {
        try {
          await stream(accounts, onEvent, signal)
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof ConnectError) || !COMES_BACK_FROM.includes(error.code)) throw error
        }
      }
    },
  }
}
