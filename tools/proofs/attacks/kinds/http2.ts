/** The stream transport against a server that writes hostile HTTP/2. */
import { setTimeout as sleep } from 'node:timers/promises'
import { TradeEventService, type TradeEventType, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import {
  FRAME,
  frame,
  type RawConnection,
  type RawHttp2Server,
  startRawHttp2,
} from '@brokerwire/testing/raw-http2'
import { create, toBinary } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { GREETINGS, goodResponse, RESPONSES } from '../http2-frames.ts'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'
import { within } from '../within.ts'

/** A call that goes on for longer, on a connection that is dead, hangs: the transport promises 2 s. */
const HANGS_MS = 15_000
/** Of a slow consumer: some attacks carry half a million messages, and whoever takes a millisecond for each is no hang. */
const MAX_PAUSES = 500
/** Of a volley: fewer than an HTTP/2 library takes for an attack by themselves. */
const PINGS = 500
const PROBE_EVERY_MS = 200
/** What a run may leave behind. */
const MAX_GROWTH_BYTES = 256 * 1024 * 1024
/** Attacks at the same time. */
const LANES = 32
const MESSAGE = toBinary(
  TradeSubscribeResponseSchema,
  create(TradeSubscribeResponseSchema, {
    eventType: 1024 as TradeEventType,
    contentType: 'application/json',
    payload: '{"a":1}',
  }),
)

/** What has become of a connection, as its server sees it. */
type End = 'alive' | 'given up'

/**
 * Finds out whether the client still listens: it acknowledges PINGs as long as it does. They go on coming, so that a frame
 * which was announced and never finished ends among them.
 */
async function probe(connection: RawConnection, random: Random): Promise<End> {
  const payload = random.bytes(8)
  const ping = frame(FRAME.ping, 0, 0, payload)
  const volley = Buffer.concat(Array(PINGS).fill(ping))
  connection.write(volley)
  const timer = setInterval(() => connection.write(volley), PROBE_EVERY_MS)
  const alive = connection.acknowledged(payload).then((): End => 'alive')
  return Promise.race([alive, connection.givenUp.then((): End => 'given up')]).finally(() =>
    clearInterval(timer),
  )
}

/** One lane: a server, and one client that outlives every attack. */
async function attackLane(context: AttackContext, random: Random, count: number): Promise<void> {
  const server = await startRawHttp2({ onRequest() {} })
  context.atEnd(() => server.close())
  const transport = createStreamTransport({ baseUrl: server.url, readMaxBytes: 100_000 })
  context.atEnd(() => transport.close())
  const client = createStreamClient(TradeEventService, transport)

  /** The error of a call, `undefined` for success. Throws where the call goes on for too long. */
  const call = async (slow: boolean): Promise<unknown> => {
    const ended = (async () => {
      try {
        let pauses = slow ? MAX_PAUSES : 0
        for await (const _ of client.subscribe({ subscribeType: 1 })) if (pauses-- > 0) await sleep(1)
        return undefined
      } catch (error) {
        return error
      }
    })()
    return within(ended, HANGS_MS)
  }

  for (let attack = 0; attack < count; attack += 1) {
    const greet = random.chance(0.1)
    const sort = random.pick(Object.keys(greet ? GREETINGS : RESPONSES))
    context.attack(sort)
    attackOnce(server, random, greet, sort)
    const error = await call(random.chance(0.1))
    if (error === 'hangs')
      context.broken(`${sort}: the call goes on after ${HANGS_MS} ms, and its connection is dead`)
    else if (error !== undefined && !(error instanceof ConnectError)) {
      context.broken(`${sort}: an error that is no ConnectError: ${String(error)}`)
    }
    server.script = { onRequest: (connection, stream) => connection.write(goodResponse(stream, MESSAGE)) }
    // The hostile connection may just be ending: a call on it is refused, and the one after opens another.
    let next = await call(false)
    for (let more = 0; more < 3 && next instanceof ConnectError; more += 1) next = await call(false)
    if (next !== undefined) context.broken(`${sort}: the next calls on the transport fail: ${String(next)}`)
  }
}

/** Sets the server up for one attack: hostile bytes, then a look at whether the client lives, then an end. */
function attackOnce(server: RawHttp2Server, random: Random, greet: boolean, sort: string): void {
  const finish = async (connection: RawConnection): Promise<void> => {
    const end = await probe(connection, random)
    // Alive: the call may go on, and the server ends it. Given up: the call must have ended by itself.
    if (end !== 'alive') return
    if (random.chance(0.5)) connection.socket.end()
    else connection.socket.resetAndDestroy()
  }
  const greeting = GREETINGS[sort]
  const response = RESPONSES[sort]
  const cut = random.chance(0.15)
  server.script = {
    ...(greet && greeting !== undefined
      ? {
          onConnection(connection) {
            connection.write(greeting(random))
            void finish(connection)
          },
        }
      : {}),
    onRequest(connection, stream) {
      const bytes = response?.(random, stream, MESSAGE) ?? Buffer.alloc(0)
      if (!cut) {
        connection.write(bytes)
        void finish(connection)
        return
      }
      connection.write(bytes.subarray(0, random.integer(0, bytes.length)))
      if (random.chance(0.5)) connection.socket.end()
      else connection.socket.resetAndDestroy()
    },
  }
}

/** The kind. */
export const http2: Kind = {
  name: 'http2',
  promise:
    'hostile HTTP/2 ends the call with a typed error in bounded time and memory, and the next call works',
  counts: [6000, 320],
  async run(context) {
    const before = process.memoryUsage().rss
    const each = Math.ceil(context.count / LANES)
    await Promise.all(
      Array.from({ length: LANES }, (_, lane) => attackLane(context, context.random.fork(lane), each)),
    )
    const grown = process.memoryUsage().rss - before
    if (grown > MAX_GROWTH_BYTES) context.broken(`the process grew by ${Math.round(grown / 2 ** 20)} MiB`)
  },
}
