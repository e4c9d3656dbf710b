/**
 * A TCP proxy on the loopback interface that can stop forwarding while both of its connections stay open. A
 * server alone cannot simulate a half-open connection, because its HTTP/2 library acknowledges PINGs. A proxy
 * between client and server can: it stops forwarding, as real networks do.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { AsyncDisposableLike, Clock } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  integer,
  oneOf,
  readOptions,
  readOrigin,
  unchecked,
} from '@brokerwire/core/internal'
import { LOOPBACK, listen } from '../listen.ts'
import { argumentFailure, optionFailure } from '../simulator-error.ts'

/** Direction of traffic. */
export type TrafficDirection = 'to-server' | 'to-client' | 'both'

/** Options of {@link startTcpProxy}. */
export interface TcpProxyOptions {
  /** Origin of the server on this machine, for example a simulator's `eventsUrl`. */
  readonly target: string
  /** Port of the proxy. 0: any free port. @defaultValue 0 */
  readonly port?: number | undefined
  /** Destroys a connection without traffic for this many milliseconds. 0: never. @defaultValue 0 */
  readonly idleMs?: number | undefined
  /** Clock that measures `idleMs`. @defaultValue the host's clock */
  readonly clock?: Clock | undefined
}

/** A running proxy. */
export interface TcpProxy extends AsyncDisposableLike {
  /** Origin for clients: the scheme of the target, with the address and port of the proxy. */
  readonly url: string
  /** Number of open connections. */
  readonly connections: number
  /** Number of forwarded bytes in each direction. */
  readonly forwardedBytes: {
    /** Bytes that clients sent to the server. */
    readonly toServer: number
    /** Bytes that the server sent to clients. */
    readonly toClient: number
  }
  /** Stops forwarding. Connections stay open. @defaultValue direction 'both' */
  stall(direction?: TrafficDirection): void
  /** Continues to forward. Bytes that were delayed are forwarded first. */
  resume(): void
  /** Destroys every open connection. @returns Number of connections. */
  drop(): number
  /** Destroys every connection and stops listening. */
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

const TCP_PROXY_OPTIONS = {
  target: unchecked<TcpProxyOptions['target']>(),
  port: integer({ min: 0, max: 65_535, default: 0 }),
  idleMs: integer({ min: 0, max: 86_400_000, default: 0 }),
  clock,
} satisfies FieldsOf<TcpProxyOptions>

/**
 * Starts a proxy.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`, `SIMULATOR_LISTEN_FAILED`
 *
 * @example
 * ```ts
 * import { startSimulator, startTcpProxy } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * await using proxy = await startTcpProxy({ target: simulator.eventsUrl })
 * console.log('connect a client to', proxy.url)
 * proxy.stall('to-client') // nothing arrives any more, but the connection stays open
 * ```
 */
export async function startTcpProxy(given: TcpProxyOptions): Promise<TcpProxy> {
  const { target: url, port, idleMs, clock } = readOptions(optionFailure, given, TCP_PROXY_OPTIONS)
  const target = parseTarget(url)
  const pairs = new Set<Pair>()
  const stalled = { toServer: false, toClient: false }
  const forwarded = { toServer: 0, toClient: 0 }

  const apply = ({ client, server }: Pair): void => {
    if (stalled.toServer) client.pause()
    else client.resume()
    if (stalled.toClient) server.pause()
    else server.resume()
  }
  const destroyPair = ({ client, server }: Pair): void => {
    client.destroy()
    server.destroy()
  }
  const server = createServer((client) => {
    const upstream = connect({ host: LOOPBACK, port: target.port })
    const pair: Pair = { client, server: upstream }
    pairs.add(pair)
    let cancelIdle: () => void = () => undefined
    const restartIdle = (): void => {
      cancelIdle()
      if (idleMs > 0) cancelIdle = clock.setTimer(() => destroyPair(pair), idleMs)
    }
    restartIdle()
    const counted = (direction: 'toServer' | 'toClient') => (bytes: number) => {
      forwarded[direction] += bytes
      restartIdle()
    }
    forward(client, upstream, counted('toServer'), () => stalled.toServer)
    forward(upstream, client, counted('toClient'), () => stalled.toClient)
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        cancelIdle()
        pairs.delete(pair)
        destroyPair(pair)
      })
    }
    apply(pair)
  })
  const listener = await listen(server, port, 'port')
  const close = async (): Promise<void> => {
    for (const pair of pairs) destroyPair(pair)
    await listener.close()
  }
  return {
    url: `${target.scheme}://${LOOPBACK}:${listener.port}`,
    get connections() {
      return pairs.size
    },
    get forwardedBytes() {
      return { ...forwarded }
    },
    stall(direction = 'both') {
      oneOf(['to-server', 'to-client', 'both'])(direction, 'direction', argumentFailure)
      stalled.toServer ||= direction !== 'to-client'
      stalled.toClient ||= direction !== 'to-server'
      for (const pair of pairs) apply(pair)
    },
    resume() {
      stalled.toServer = false
      stalled.toClient = false
      for (const pair of pairs) apply(pair)
    },
    drop() {
      const count = pairs.size
      for (const pair of pairs) destroyPair(pair)
      return count
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Forwards with backpressure. If the sink is full, reading from the source pauses. When the sink has drained,
 * reading continues, unless the proxy has been stalled in the meantime.
 */
function forward(
  source: Socket,
  sink: Socket,
  onBytes: (bytes: number) => void,
  isStalled: () => boolean,
): void {
  source.on('data', (chunk: Buffer) => {
    onBytes(chunk.length)
    if (sink.write(chunk)) return
    source.pause()
    sink.once('drain', () => {
      if (!isStalled()) source.resume()
    })
  })
  source.once('end', () => sink.end())
}

/** Form of a target, which must be on this machine, like the proxy. */
const LOCAL = /^(https?):\/\/(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)$/

function parseTarget(value: unknown): { readonly scheme: string; readonly port: number } {
  const [, scheme, port] = LOCAL.exec(readOrigin(optionFailure, 'target', value)) ?? []
  if (scheme === undefined) {
    throw optionFailure(
      'target',
      'an origin on this machine, with its port',
      'one elsewhere, or without a port',
    )
  }
  return { scheme, port: Number(port) }
}
