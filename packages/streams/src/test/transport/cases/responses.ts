/** Responses: every kind of call, content coding and connection, with every position of the status and size of the messages. */
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { codeName } from '../outcome.ts'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import { type CaseHarness, FAST, READ_MAX_BYTES } from './case-harness.ts'
import {
  CODINGS,
  CONNECTIONS,
  type Coding,
  type Connection,
  KINDS,
  type Kind,
  streamsBack,
} from './dimensions.ts'

const STATUSES = [
  /** Messages, then OK. */
  'trailers-ok',
  /** Messages, then an error. */
  'trailers-error',
  /** An error in headers that end the stream. */
  'trailers-only',
  /** An error in the response headers, then messages and OK in the trailers. */
  'headers-then-ok',
  /** Messages without a status. */
  'missing',
] as const
type Status = (typeof STATUSES)[number]

/** Returns text that compresses badly, the same in every run. */
function noise(length: number): string {
  let state = 1
  let text = ''
  while (text.length < length) {
    state = (state * 48_271) % 0x7f_ff_ff_ff
    text += state.toString(36)
  }
  return text.slice(0, length)
}

const SIZES = {
  empty: '',
  short: 'grüße',
  /** Longer than the initial window of HTTP/2. */
  long: noise(70_000),
  /** Longer than the limit of received messages, and short once compressed. */
  'too-long': 'x'.repeat(READ_MAX_BYTES + 1),
}
type Size = keyof typeof SIZES

/** Number of messages of a request or response that may have more than one. */
const COUNT = 3
const ERROR = { 'grpc-status': '9', 'grpc-message': 'why', 'x-more': '1' }

const asIs = (bytes: Uint8Array): Uint8Array => bytes
const ZIP = {
  identity: asIs,
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, FAST),
}
const UNZIP = {
  identity: asIs,
  gzip: (bytes: Uint8Array) => gunzipSync(bytes),
  br: (bytes: Uint8Array) => brotliDecompressSync(bytes),
}

interface Dimensions {
  readonly kind: Kind
  readonly coding: Coding
  readonly connection: Connection
  readonly status: Status
  readonly size: Size
}

/** The server of these cases. The request header `x-response` describes the response. */
export const respond: Handler = async (call) => {
  const { kind, coding, status } = JSON.parse(String(call.headers['x-response'])) as Dimensions
  const send = (bytes: Uint8Array): void =>
    call.write(envelope(ZIP[coding](bytes), coding === 'identity' ? 0 : 1))
  const requests = received(call, coding)
  if (status === 'trailers-only') {
    for await (const _ of requests) {
      // A full-duplex request continues only after a response.
      if (kind === 'full-duplex' && !call.stream.headersSent) call.trailersOnly(ERROR)
    }
    if (!call.stream.headersSent) call.trailersOnly(ERROR)
    return
  }
  const sendHeaders = (): void =>
    call.respond({ 'grpc-encoding': coding, ...(status === 'headers-then-ok' && { 'grpc-status': '5' }) })
  if (kind === 'full-duplex') {
    sendHeaders()
    for await (const message of requests) send(message)
  } else {
    const messages: Uint8Array[] = []
    for await (const message of requests) messages.push(message)
    sendHeaders()
    const [first = Buffer.from('no message')] = messages
    if (kind === 'half-duplex') for (const message of messages) send(message)
    else for (let index = 0; index < (kind === 'server-stream' ? COUNT : 1); index++) send(first)
  }
  if (status === 'missing') call.end(null)
  // A grpc-message with OK has no meaning.
  else call.end(status === 'trailers-error' ? ERROR : { 'x-more': '1', 'grpc-message': 'ignored' })
}

/** Yields the messages of a request as they arrive. */
async function* received({ stream, headers }: ServerCall, coding: Coding): AsyncGenerator<Uint8Array> {
  const encoding = headers['grpc-encoding'] ?? 'identity'
  if (encoding !== coding) throw new Error(`grpc-encoding must be ${coding}; received ${encoding}`)
  let rest = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1)
      yield (rest[0] === 1 ? UNZIP[coding] : UNZIP.identity)(rest.subarray(5, end))
      rest = rest.subarray(end)
    }
  }
}

/** Makes the call. @returns The number of messages, the end, and the metadata of the trailers or of the error. */
async function run(harness: CaseHarness, dimensions: Dimensions): Promise<string> {
  const { kind, coding, connection, size } = dimensions
  const client = harness.client(connection, coding)
  const value = SIZES[size]
  let more: string | null = null
  let count = 0
  let resume = (): void => {}
  const options: CallOptions = {
    headers: { 'x-response': JSON.stringify(dimensions) },
    onTrailer: (trailer) => {
      more = trailer.get('x-more')
    },
  }
  const input = async function* () {
    for (let index = 0; index < COUNT; index++) {
      const responded = new Promise<void>((resolve) => {
        resume = resolve
      })
      yield { value }
      if (kind === 'full-duplex') await responded
    }
  }
  const take = (message: { readonly value: string }): void => {
    if (message.value !== value) throw new Error('another message')
    count++
    resume()
  }
  try {
    if (kind === 'unary') take(await client.unary({ value }, options))
    else if (kind === 'client-stream') take(await client.clientStream(input(), options))
    else if (kind === 'server-stream')
      for await (const one of client.serverStream({ value }, options)) take(one)
    else for await (const one of client.bidi(input(), options)) take(one)
    return `${count} ok ${more ?? ''}`.trim()
  } catch (error) {
    resume()
    const { rawMessage, metadata } = ConnectError.from(error)
    const details = metadata.has('x-more') ? `${rawMessage} ${metadata.get('x-more')}` : ''
    return `${count} ${codeName(error)} ${details}`.trim()
  }
}

/** By the documents: the trailers have the status, a unary response has one message or none, a message that is too long is not read. */
function expected({ kind, status, size }: Dimensions): string {
  if (status === 'trailers-only') return '0 failed_precondition why 1'
  if (size === 'too-long') return '0 resource_exhausted'
  const count = streamsBack(kind) ? COUNT : 1
  switch (status) {
    case 'trailers-error':
      return `${streamsBack(kind) ? count : 0} failed_precondition why 1`
    case 'missing':
      return `${streamsBack(kind) ? count : 0} unknown`
    default:
      return `${count} ok 1`
  }
}

function connectNode({ kind, status, size }: Dimensions): CaseDifference | undefined {
  if (status === 'headers-then-ok') {
    if (kind !== 'unary') return { expected: '0 not_found', because: HEADERS_WIN }
    return size === 'too-long' ? undefined : { expected: '0 unknown', because: HEADERS_WIN }
  }
  if (status !== 'missing' || size === 'too-long') return undefined
  return { expected: `${streamsBack(kind) ? COUNT : 0} internal`, because: NO_STATUS }
}

const HEADERS_WIN =
  'It uses the status of response headers that do not end the stream, and loses the messages after them.'
const NO_STATUS = 'http-grpc-status-mapping.md has UNKNOWN for a missing status.'

const cases: Case[] = []
for (const kind of KINDS)
  for (const coding of CODINGS)
    for (const connection of CONNECTIONS)
      for (const status of STATUSES)
        for (const size of Object.keys(SIZES) as Size[]) {
          const dimensions = { kind, coding, connection, status, size }
          cases.push({
            id: Object.values(dimensions).join('/'),
            run: (harness) => run(harness, dimensions),
            expected: expected(dimensions),
            connectNode: connectNode(dimensions),
          })
        }

export const responseCases: CaseGroup = {
  name: 'Responses',
  text: `Kind of call, content coding of both directions, connection, position of the status, size of each message. The result is the
number of messages, the end of the call, and the metadata of the trailers.`,
  cases,
}
