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
import type { Random } from '../random.ts'
import { within } from '../wait.ts'
import type { AttackContext, Kind } from './attacks.ts'
import { GREETINGS, goodResponse, RESPONSES } from './http2-frames.ts'

/** Maximum time until a call ends. On a dead connection, the transport promises an end after 2 s. */
const HANGS_MS = 15_000
/**
 * Maximum number of pauses of a slow consumer. Some attacks send half a million messages, and a pause for
 * each message would take too long.
 */
const MAX_PAUSES = 500
/** Number of PINGs in one write: too few to count as an attack themselves. */
const PINGS = 500
const PROBE_EVERY_MS = 200
const MAX_GROWTH_BYTES = 256 * 1024 * 1024
/** Number of clients that are attacked at the same time. */
const CONCURRENCY = 32
const MESSAGE = toBinary(
  TradeSubscribeResponseSchema,
  create(TradeSubscribeResponseSchema, {
    eventType: 1024 as TradeEventType,
    contentType: 'application/json',
    payload: '{"a":1}',
  }),
)

/**
 * Whether the client still uses the connection. A client that uses it acknowledges PINGs. The PINGs are sent
 * repeatedly, because the client may read the first ones as the rest of an incomplete frame of the attack.
 */
async function isInUse(connection: RawConnection, random: Random): Promise<boolean> {
  const payload = random.bytes(8)
  const pings = Buffer.concat(Array(PINGS).fill(frame(FRAME.ping, 0, 0, payload)))
  connection.write(pings)
  const timer = setInterval(() => connection.write(pings), PROBE_EVERY_MS)
  const acknowledged = connection.acknowledged(payload).then(() => true)
  return Promise.race([acknowledged, connection.givenUp.then(() => false)]).finally(() =>
    clearInterval(timer),
  )
}

const breakOff = ({ socket }: RawConnection, random: Random): void =>
  void (random.chance(0.5) ? socket.end() : socket.resetAndDestroy())

/**
 * Prepares the server for one attack. In the attack, the server sends hostile bytes, checks whether the
 * client uses the connection, and closes the connection.
 */
function prepare(server: RawHttp2Server, random: Random, isGreeting: boolean, sort: string): void {
  const finish = async (connection: RawConnection): Promise<void> => {
    // If the client has closed the connection itself, the call must have ended too.
    if (await isInUse(connection, random)) breakOff(connection, random)
  }
  const isCut = random.chance(0.15)
  const onConnection = (connection: RawConnection): void => {
    connection.write(GREETINGS[sort]?.(random) ?? Buffer.alloc(0))
    void finish(connection)
  }
  server.script = {
    ...(isGreeting ? { onConnection } : {}),
    onRequest(connection, stream) {
      const bytes = RESPONSES[sort]?.(random, stream, MESSAGE) ?? Buffer.alloc(0)
      connection.write(isCut ? bytes.subarray(0, random.integer(0, bytes.length)) : bytes)
      if (isCut) breakOff(connection, random)
      else void finish(connection)
    },
  }
}

async function attackServer(context: AttackContext, random: Random, count: number): Promise<void> {
  const server = await startRawHttp2({})
  context.atEnd(() => server.close())
  const transport = createStreamTransport({ baseUrl: server.url, readMaxBytes: 100_000 })
  context.atEnd(() => transport.close())
  const client = createStreamClient(TradeEventService, transport)

  /** @returns The error of a call, or `undefined` if it succeeds. */
  const call = (isSlow: boolean): Promise<unknown> => {
    const ended = (async () => {
      try {
        let pauses = isSlow ? MAX_PAUSES : 0
        for await (const _ of client.subscribe({ subscribeType: 1 })) if (pauses-- > 0) await sleep(1)
        return undefined
      } catch (error) {
        return error
      }
    })()
    return within(ended, HANGS_MS)
  }

  for (let attack = 0; attack < count; attack += 1) {
    const isGreeting = random.chance(0.1)
    const sort = random.pick(Object.keys(isGreeting ? GREETINGS : RESPONSES))
    context.attack(sort)
    prepare(server, random, isGreeting, sort)
    const error = await call(random.chance(0.1))
    if (error === 'hangs') context.fail(`${sort}: the call has not ended after ${HANGS_MS} ms`)
    else if (error !== undefined && !(error instanceof ConnectError))
      context.fail(`${sort}: the error is not a ConnectError: ${String(error)}`)
    server.script = { onRequest: (connection, stream) => connection.write(goodResponse(stream, MESSAGE)) }
    // A call on the hostile connection may fail while the connection closes. The next call opens another
    // connection.
    let next = await call(false)
    for (let more = 0; more < 3 && next instanceof ConnectError; more += 1) next = await call(false)
    if (next !== undefined) context.fail(`${sort}: the next calls on the transport fail: ${String(next)}`)
  }
}

export const http2: Kind = {
  name: 'http2',
  promise:
    'hostile HTTP/2 ends the call with a typed error in bounded time and memory, and the next call works',
  counts: [6000, 320],
  async run(context) {
    const before = process.memoryUsage().rss
    const count = Math.ceil(context.total / CONCURRENCY)
    await Promise.all(
      Array.from({ length: CONCURRENCY }, (_, group) =>
        attackServer(context, context.random.fork(group), count),
      ),
    )
    const grown = process.memoryUsage().rss - before
    if (grown > MAX_GROWTH_BYTES) context.fail(`the process grew by ${Math.round(grown / 2 ** 20)} MiB`)
  },
}
