/**
 * A model of the service in virtual time and without sockets: sessions, connection slots that stay used for a while, and
 * subscribe calls with their errors. It uses mqtt-packet for its side.
 */
import type { VirtualClock } from '@brokerwire/core/testing'
import { HttpError, type HttpRequest, type HttpResponse } from '@brokerwire/http'
import { MarketSnapshotSchema, MarketTickSchema } from '@brokerwire/protos/quotes'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  parser as createParser,
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type Packet,
} from 'mqtt-packet'
import type { QuotesSocketEvents, QuotesSocketOpener } from '../socket/port.ts'

/** A session that is connected. */
export interface VirtualSession {
  readonly id: string
  readonly connect: IConnectPacket
  /** Time from which the HTTP side knows the session. */
  readonly knownAtMs: number
  readonly symbols: Map<string, Set<string>>
  /** Packets received after CONNECT. */
  readonly received: Packet[]
  push(topic: string, payload: Uint8Array, more?: Partial<IPublishPacket>): void
  bytes(bytes: Uint8Array): void
  /** Closes the connection without DISCONNECT: its slot stays used for a while. */
  drop(systemCode?: string): void
}

/** A received call. */
export interface VirtualCall {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Settings of the model. May be changed at any time. */
export interface VirtualBehaviour {
  /** Return code of each CONNACK. */
  connack: number
  /** Time after CONNACK until the HTTP side knows the session. */
  registrationMs: number
  readonly badSymbols: Set<string>
  maxSymbols: number
  maxConnections: number
  lingerMs: number
  /** Sends nothing while this is true, not even PINGRESP. */
  silent: boolean
  /** Failures of the next calls, in order. */
  readonly failures: { readonly status: number; readonly code: string; readonly message?: string }[]
  /** Paths with status 404. */
  readonly missingPaths: Set<string>
}

export interface VirtualService {
  readonly openSocket: QuotesSocketOpener
  readonly http: { request(request: HttpRequest): Promise<HttpResponse> }
  readonly behaviour: VirtualBehaviour
  /** Connected sessions. */
  readonly sessions: readonly VirtualSession[]
  /** Every session id that ever connected. */
  readonly sessionIds: readonly string[]
  readonly calls: readonly VirtualCall[]
  /** Number of sessions that got CONNACK 105. */
  readonly rejectedForSlots: number
  /** Highest number of connected sessions. */
  readonly mostConnected: number
  /** The bytes that clients sent. */
  readonly sent: readonly Uint8Array[]
}

const utf8 = new TextEncoder()

export const snapshot = (symbol: string, price: string): Uint8Array =>
  toBinary(MarketSnapshotSchema, create(MarketSnapshotSchema, { basic: { symbol, timestamp: '1' }, price }))

export const tick = (symbol: string, price: string): Uint8Array =>
  toBinary(MarketTickSchema, create(MarketTickSchema, { basic: { symbol, timestamp: '1' }, price }))

function callError(
  path: string,
  status: number,
  serviceCode: string,
  serviceMessage: string | undefined,
): HttpError {
  const code =
    status === 401 ? 'HTTP_UNAUTHORIZED' : status === 417 ? 'HTTP_BUSINESS_ERROR' : 'HTTP_CLIENT_ERROR'
  const details = { method: 'POST', path, sentOnce: true, status, serviceCode, serviceMessage } as const
  return new HttpError(code, serviceCode, {
    details: { ...details, requestId: undefined, retryAfterMs: undefined },
  })
}

export function createVirtualService(clock: VirtualClock): VirtualService {
  const behaviour: VirtualBehaviour = {
    connack: 0,
    registrationMs: 0,
    badSymbols: new Set(),
    maxSymbols: 100,
    maxConnections: 5,
    lingerMs: 60_000,
    silent: false,
    failures: [],
    missingPaths: new Set(),
  }
  const sessions: VirtualSession[] = []
  const sessionIds: string[] = []
  const calls: VirtualCall[] = []
  const sent: Uint8Array[] = []
  const lingering: number[] = []
  const counts = { rejectedForSlots: 0, mostConnected: 0 }
  const slots = (): number => sessions.length + lingering.filter((until) => until > clock.now()).length

  const openSocket: QuotesSocketOpener = (_address, events: QuotesSocketEvents) => {
    let session: VirtualSession | undefined
    let isOver = false
    const later = (task: () => void, delayMs = 5): void => {
      clock.setTimer(() => {
        if (!isOver) task()
      }, delayMs)
    }
    const send = (packet: Packet): void => events.received(generate(packet, { protocolVersion: 4 }))
    const leave = (lingers: boolean): void => {
      isOver = true
      const at = session === undefined ? -1 : sessions.indexOf(session)
      if (at >= 0) sessions.splice(at, 1)
      if (at >= 0 && lingers) lingering.push(clock.now() + behaviour.lingerMs)
    }
    const onConnect = (connect: IConnectPacket): void => {
      const isFull = slots() >= behaviour.maxConnections
      const returnCode = behaviour.connack === 0 && isFull ? 105 : behaviour.connack
      if (returnCode === 105) counts.rejectedForSlots += 1
      if (returnCode !== 0) {
        send({ cmd: 'connack', returnCode, sessionPresent: false })
        leave(false)
        events.closed()
        return
      }
      session = {
        id: connect.clientId,
        connect,
        knownAtMs: clock.now() + behaviour.registrationMs,
        symbols: new Map(),
        received: [],
        push: (topic, payload, more = {}) => {
          const packet = {
            cmd: 'publish',
            topic,
            payload: Buffer.from(payload),
            qos: 0,
            dup: false,
            retain: false,
          } as const
          if (!behaviour.silent) send({ ...packet, ...more })
        },
        bytes: (bytes) => events.received(bytes),
        drop: (systemCode) => {
          leave(true)
          events.closed(systemCode)
        },
      }
      sessions.push(session)
      sessionIds.push(session.id)
      counts.mostConnected = Math.max(counts.mostConnected, sessions.length)
      send({ cmd: 'connack', returnCode: 0, sessionPresent: false })
    }
    const parser = createParser({ protocolVersion: 4 })
    parser.on('packet', (packet: Packet) => {
      if (packet.cmd === 'connect') later(() => onConnect(packet))
      else session?.received.push(packet)
      if (packet.cmd === 'pingreq') later(() => !behaviour.silent && send({ cmd: 'pingresp' }))
      if (packet.cmd === 'disconnect') leave(false)
    })
    later(() => events.opened())
    return {
      send(bytes) {
        sent.push(Uint8Array.from(bytes))
        if (!isOver) parser.parse(Buffer.from(bytes))
      },
      end: () => leave(false),
      destroy: () => leave(true),
    }
  }

  function answer(path: string, body: Readonly<Record<string, unknown>>): void {
    const failure = behaviour.failures.shift()
    if (failure !== undefined) throw callError(path, failure.status, failure.code, failure.message)
    if ([...behaviour.missingPaths].some((missing) => path.startsWith(missing)))
      throw callError(path, 404, '', undefined)
    const session = sessions.find(({ id }) => id === body.session_id)
    if (session === undefined || session.knownAtMs > clock.now()) {
      throw callError(
        path,
        417,
        'INVALID_SESSION',
        `Mqtt connection not exist for session:${String(body.session_id)}`,
      )
    }
    const symbols = body.symbols as readonly string[]
    const bad = symbols.filter((symbol) => behaviour.badSymbols.has(symbol))
    const text = `The symbols does not exist in the category. [${bad.join(', ')}]`
    if (bad.length > 0) throw callError(path, 417, 'INVALID_SYMBOL', text)
    const isSubscribe = path.endsWith('/subscribe')
    if (isSubscribe && new Set([...session.symbols.keys(), ...symbols]).size > behaviour.maxSymbols) {
      throw callError(path, 417, 'TOO_MANY_SYMBOLS_SUBSCRIPTION', undefined)
    }
    for (const symbol of symbols) {
      const types = session.symbols.get(symbol) ?? new Set()
      for (const type of body.sub_types as readonly string[]) {
        if (isSubscribe) types.add(type)
        else types.delete(type)
      }
      if (types.size === 0) session.symbols.delete(symbol)
      else session.symbols.set(symbol, types)
    }
  }

  return {
    openSocket,
    behaviour,
    sessions,
    sessionIds,
    calls,
    sent,
    get rejectedForSlots() {
      return counts.rejectedForSlots
    },
    get mostConnected() {
      return counts.mostConnected
    },
    http: {
      request: ({ path, json }) =>
        new Promise((resolve, reject) => {
          const body = JSON.parse(JSON.stringify(json)) as Readonly<Record<string, unknown>>
          calls.push({ path, body })
          clock.setTimer(() => {
            try {
              answer(path, body)
              const bytes = utf8.encode('')
              resolve({
                status: 200,
                headers: new Headers(),
                requestId: undefined,
                bytes,
                text: () => '',
                json: () => undefined,
              })
            } catch (error) {
              reject(error)
            }
          }, 20)
        }),
    },
  }
}
