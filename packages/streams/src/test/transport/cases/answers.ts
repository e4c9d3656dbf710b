/** What comes back: every type of call, coding and connection, with the status in every place and messages of every size. */
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { codeName } from '../outcome.ts'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import { type CaseBench, FAST, READ_MAX_BYTES } from './case-bench.ts'
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
  /** Messages, then success. */
  'trailers-ok',
  /** Messages, then an error. */
  'trailers-error',
  /** An error in a head that ends the stream. */
  'trailers-only',
  /** An error in the head, then messages and success in the trailers. */
  'head-then-ok',
  /** Messages, and no status at all. */
  'missing',
] as const
type Status = (typeof STATUSES)[number]

/** Text that no coding makes much shorter, the same in every run. */
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
  /** Longer than HTTP/2's first window. */
  long: noise(70_000),
  /** Longer than what is read, and short once compressed. */
  'too-long': 'x'.repeat(READ_MAX_BYTES + 1),
}
type Size = keyof typeof SIZES

/** Messages of a request or response that may have more than one. */
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

/** The server of all these cases: what it does stands in the request's header `x-answer`. */
export const answer: Handler = async (call) => {
  const { kind, coding, status } = JSON.parse(String(call.headers['x-answer'])) as Dimensions
  const say = (bytes: Uint8Array): void =>
    call.write(envelope(ZIP[coding](bytes), coding === 'identity' ? 0 : 1))
  const requests = received(call, coding)
  if (status === 'trailers-only') {
    for await (const _ of requests) {
      // A full-duplex request goes on only once it is answered.
      if (kind === 'full-duplex' && !call.stream.headersSent) call.trailersOnly(ERROR)
    }
    if (!call.stream.headersSent) call.trailersOnly(ERROR)
    return
  }
  const begin = (): void =>
    call.respond({ 'grpc-encoding': coding, ...(status === 'head-then-ok' && { 'grpc-status': '5' }) })
  if (kind === 'full-duplex') {
    begin()
    for await (const message of requests) say(message)
  } else {
    const messages: Uint8Array[] = []
    for await (const message of requests) messages.push(message)
    begin()
    const [first = Buffer.from('no message')] = messages
    if (kind === 'half-duplex') for (const message of messages) say(message)
    else for (let index = 0; index < (kind === 'server-stream' ? COUNT : 1); index++) say(first)
  }
  if (status === 'missing') call.end(null)
  // A text beside success is nobody's.
  else call.end(status === 'trailers-error' ? ERROR : { 'x-more': '1', 'grpc-message': 'ignored' })
}

/** Messages of a request, as they come. */
async function* received({ stream, headers }: ServerCall, coding: Coding): AsyncGenerator<Uint8Array> {
  const encoding = headers['grpc-encoding'] ?? 'identity'
  if (encoding !== coding) throw new Error(`a request in ${coding} says ${encoding}`)
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

/** How the call goes: how many of its messages came, how it ended, and what the trailers or the error carried. */
async function play(bench: CaseBench, dimensions: Dimensions): Promise<string> {
  const { kind, coding, connection, size } = dimensions
  const client = bench.client(connection, coding)
  const value = SIZES[size]
  let more: string | null = null
  let count = 0
  let goOn = (): void => {}
  const options: CallOptions = {
    headers: { 'x-answer': JSON.stringify(dimensions) },
    onTrailer: (trailer) => {
      more = trailer.get('x-more')
    },
  }
  const input = async function* () {
    for (let index = 0; index < COUNT; index++) {
      const answered = new Promise<void>((resolve) => {
        goOn = resolve
      })
      yield { value }
      if (kind === 'full-duplex') await answered
    }
  }
  const take = (message: { readonly value: string }): void => {
    if (message.value !== value) throw new Error('another message')
    count++
    goOn()
  }
  try {
    if (kind === 'unary') take(await client.unary({ value }, options))
    else if (kind === 'client-stream') take(await client.clientStream(input(), options))
    else if (kind === 'server-stream')
      for await (const one of client.serverStream({ value }, options)) take(one)
    else for await (const one of client.bidi(input(), options)) take(one)
    return `${count} ok ${more ?? ''}`.trim()
  } catch (error) {
    goOn()
    const { rawMessage, metadata } = ConnectError.from(error)
    const said = metadata.has('x-more') ? `${rawMessage} ${metadata.get('x-more')}` : ''
    return `${count} ${codeName(error)} ${said}`.trim()
  }
}

/** By the documents: trailers say how it went, a response of one message has one or none, what is too long is not read. */
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
  if (status === 'head-then-ok') {
    if (kind !== 'unary') return { expected: '0 not_found', because: HEAD_WINS }
    return size === 'too-long' ? undefined : { expected: '0 unknown', because: HEAD_WINS }
  }
  if (status !== 'missing' || size === 'too-long') return undefined
  return { expected: `${streamsBack(kind) ? COUNT : 0} internal`, because: NO_STATUS }
}

const HEAD_WINS =
  'It believes a status in a head that does not end the stream, and loses the messages behind it.'
const NO_STATUS = 'http-grpc-status-mapping.md names UNKNOWN for a status that is missing.'

const cases: Case[] = []
for (const kind of KINDS)
  for (const coding of CODINGS)
    for (const connection of CONNECTIONS)
      for (const status of STATUSES)
        for (const size of Object.keys(SIZES) as Size[]) {
          const dimensions = { kind, coding, connection, status, size }
          cases.push({
            id: Object.values(dimensions).join('/'),
            run: (bench) => play(bench, dimensions),
            expected: expected(dimensions),
            connectNode: connectNode(dimensions),
          })
        }

export const answerCases: CaseGroup = {
  name: 'Answers',
  text: `Type of call, coding of both directions, connection, place of the status, size of each message. Observed: how many messages
came, how the call ended, what its trailers carried.`,
  cases,
}
