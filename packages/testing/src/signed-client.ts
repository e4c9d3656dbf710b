/** Clients of a simulator: `node:http` for signed requests, connect-node for streams. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import {
  ModuleEventService,
  type ModuleSubscribeRequest,
  ModuleSubscribeRequestSchema,
  type ModuleSubscribeResponse,
  TradeEventService,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
  type TradeSubscribeResponse,
} from '@brokerwire/protos'
import { createSigner, type Signer } from '@brokerwire/signer'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Client, createClient, type Transport } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { createGrpcTransport } from '@connectrpc/connect-node'

/** The part of a simulator that the clients use. */
interface Simulator {
  readonly baseUrl: string
  readonly eventsUrl: string
  readonly moduleEventsUrl: string
  readonly clock: { now(): number }
  readonly accounts: readonly string[]
  readonly credentials: {
    readonly appKey: string
    readonly appSecret: Parameters<typeof createSigner>[0]['appSecret']
  }
  approveSecondFactor(token?: string): number
}

/** A complete response. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** Creates a signer with the simulator's credentials and clock. */
export function signerOf(simulator: Simulator): Signer {
  const { appKey, appSecret } = simulator.credentials
  return createSigner({ appKey, appSecret, now: () => simulator.clock.now() })
}

/** Sends a request unchanged. In particular, no URL parser changes the target. */
export function sendRaw(
  simulator: Simulator,
  input: {
    readonly method: string
    readonly target: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | undefined
  },
): Promise<Answer> {
  const { hostname, port } = new URL(simulator.baseUrl)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { hostname, port, method: input.method, path: input.target, headers: input.headers, agent: false },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const json = text.startsWith('{') ? JSON.parse(text) : {}
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(input.body)
  })
}

/** Sends a signed request. */
export async function sendSigned(
  simulator: Simulator,
  input: {
    readonly method?: string | undefined
    readonly path: string
    readonly query?: readonly (readonly [string, string])[] | undefined
    readonly json?: unknown
    /** The body as a string, instead of `json`. */
    readonly body?: string | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  },
): Promise<Answer> {
  const body = input.json === undefined ? input.body : JSON.stringify(input.json)
  const { host } = new URL(simulator.baseUrl)
  const signature = await signerOf(simulator).sign({
    scheme: 'http',
    host,
    path: input.path,
    ...(input.query === undefined ? {} : { query: input.query }),
    body,
  })
  const target = signature.url.slice(signature.url.indexOf(host) + host.length)
  const method = input.method ?? 'POST'
  return sendRaw(simulator, { method, target, headers: { ...signature.headers, ...input.headers }, body })
}

/** Creates a token whose second factor is confirmed. */
export async function usableToken(simulator: Simulator): Promise<string> {
  const created = await sendSigned(simulator, { path: '/auth/tokens/create', json: {} })
  const token = String(created.json.token)
  simulator.approveSecondFactor(token)
  return token
}

interface OpenStream<M> {
  readonly abort: AbortController
  readonly messages: AsyncIterator<M>
}

/** Options of the stream openers. */
export interface StreamInput {
  /** Additional metadata, which overrides that of the signature. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A certificate to trust. */
  readonly ca?: string | undefined
  /**
   * URL of the service.
   * @defaultValue the simulator's
   */
  readonly url?: string | undefined
  /**
   * The compression of the messages that the client sends.
   * @defaultValue none
   */
  readonly compression?: Compression | undefined
}

/** Opens a trade or position stream. */
export async function openTradeStream(
  simulator: Simulator,
  fields: MessageInitShape<typeof TradeSubscribeRequestSchema> = {},
  input: StreamInput = {},
): Promise<OpenStream<TradeSubscribeResponse>> {
  const request: TradeSubscribeRequest = create(TradeSubscribeRequestSchema, {
    subscribeType: 1,
    accounts: [...simulator.accounts],
    timestamp: BigInt(simulator.clock.now()),
    ...fields,
  })
  const client: Client<typeof TradeEventService> = createClient(
    TradeEventService,
    transportTo(simulator.eventsUrl, input),
  )
  const { headers } = await signerOf(simulator).signStream(toBinary(TradeSubscribeRequestSchema, request))
  const abort = new AbortController()
  const stream = client.subscribe(request, {
    headers: { ...headers, ...input.headers },
    signal: abort.signal,
  })
  return { abort, messages: stream[Symbol.asyncIterator]() }
}

/** Opens a module stream. */
export async function openModuleStream(
  simulator: Simulator,
  fields: MessageInitShape<typeof ModuleSubscribeRequestSchema>,
  input: StreamInput = {},
): Promise<OpenStream<ModuleSubscribeResponse>> {
  const request: ModuleSubscribeRequest = create(ModuleSubscribeRequestSchema, {
    timestamp: String(simulator.clock.now()),
    ...fields,
  })
  const client: Client<typeof ModuleEventService> = createClient(
    ModuleEventService,
    transportTo(simulator.moduleEventsUrl, input),
  )
  const { headers } = await signerOf(simulator).signStream(toBinary(ModuleSubscribeRequestSchema, request))
  const abort = new AbortController()
  const stream = client.subscribe(request, {
    headers: { ...headers, ...input.headers },
    signal: abort.signal,
  })
  return { abort, messages: stream[Symbol.asyncIterator]() }
}

function transportTo(url: string, { url: other, ca, compression }: StreamInput): Transport {
  return createGrpcTransport({
    baseUrl: other ?? url,
    ...(ca === undefined ? {} : { nodeOptions: { ca } }),
    ...(compression === undefined ? {} : { sendCompression: compression, compressMinBytes: 0 }),
  })
}

/** Returns the next `count` messages of a stream, or fewer if it ends. */
export async function take<M>(stream: OpenStream<M>, count: number): Promise<readonly M[]> {
  const taken: M[] = []
  while (taken.length < count) {
    const next = await stream.messages.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}

/** Reads a stream until it ends. Returns the Connect error code, or `'clean'` if it ends without an error. */
export async function endOf<M>(stream: OpenStream<M>): Promise<'clean' | number> {
  try {
    for (;;) {
      const next = await stream.messages.next()
      if (next.done === true) return 'clean'
    }
  } catch (error) {
    return (error as { code: number }).code
  }
}
