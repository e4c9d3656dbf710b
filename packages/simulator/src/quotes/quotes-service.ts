/** Market data of the simulator: sessions, broker, prices and controls. */

import type { Clock } from '@brokerwire/core'
import { integer, oneOf, string } from '@brokerwire/core/internal'
import { generate } from 'mqtt-packet'
import { createFaultQueue } from '../fault-queue.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { jsonText } from '../wire/json-text.ts'
import type { WireRandom } from '../wire/random.ts'
import { type ConnectFault, createQuoteBroker, type QuoteBroker } from './broker.ts'
import { createQuoteMarket } from './market.ts'
import type { PushedMessage, QuoteSessionSelection, QuotesControls } from './quotes-controls.ts'
import type { QuotesSettings } from './quotes-options.ts'
import { createQuoteSessions, type QuoteSession } from './sessions.ts'
import { executeStreamingCall, type StreamingError } from './streaming-calls.ts'

export interface QuotesServiceContext {
  readonly settings: QuotesSettings
  readonly clock: Clock
  readonly random: WireRandom
  readonly isKnown: (appKey: string) => boolean
  readonly isServing: () => boolean
  readonly urls: () => Pick<QuotesControls, 'mqttUrl' | 'mqttWebSocketUrl'>
  readonly firstAppKey: string
  /** Called after a session was opened or closed. */
  readonly onChange: () => void
}

export interface QuotesService {
  readonly settings: QuotesSettings
  readonly broker: QuoteBroker
  readonly controls: QuotesControls
  call(
    action: 'subscribe' | 'unsubscribe',
    appKey: string,
    body: Readonly<Record<string, unknown>>,
  ): StreamingError | undefined
  close(): void
}

const SECOND_MS = 1000
const MAX_STEPS = 1_000_000
/**
 * A close frame with a payload of ten bytes. Clients read the first two bytes of the payload as the status
 * 25209.
 */
const INVALID_CLOSE_FRAME = Buffer.concat([Buffer.of(0x88, 10), Buffer.from('bye-bye!!!')])

export function createQuotesService(context: QuotesServiceContext): QuotesService {
  const { settings, clock, random } = context
  const sessions = createQuoteSessions(settings, clock, context.onChange)
  const getSymbols = ({ symbols }: QuoteSession): readonly string[] =>
    [...symbols.values()].map(({ symbol }) => symbol)
  const market = createQuoteMarket(random, () => new Set(sessions.list().flatMap(getSymbols)))
  const faults = createFaultQueue<ConnectFault, string>()
  const forgotten = new Set<string>()
  let unknown: ReadonlySet<string> = new Set()
  let packetId = 0
  let isClosed = false

  /** @returns `false` if a silence or the rate limit discards the message. */
  function send(session: QuoteSession, message: Omit<PushedMessage, 'session'>, isLimited: boolean): boolean {
    if (session.silence !== 'none') return false
    const { topic, payload = new Uint8Array(), qos = 0, duplicate = false, retain = false } = message
    const nowMs = clock.now()
    const { recentMs } = session
    while (recentMs.length > 0 && (recentMs[0] as number) <= nowMs - SECOND_MS) recentMs.shift()
    if (isLimited && settings.maxPushesPerSecond > 0 && recentMs.length >= settings.maxPushesPerSecond) {
      session.dropped += 1
      return false
    }
    if (settings.maxPushesPerSecond > 0) recentMs.push(nowMs)
    packetId = (packetId % 65_535) + 1
    session.wire.send(
      generate(
        {
          cmd: 'publish',
          topic,
          payload: Buffer.from(payload),
          qos,
          dup: duplicate,
          retain,
          ...(qos === 0 ? {} : { messageId: packetId }),
        },
        { protocolVersion: 4 },
      ),
    )
    return true
  }

  /**
   * Sends a session the messages of a symbol to which it is subscribed.
   *
   * @returns Number of messages that were sent.
   */
  function sendSubscribed(session: QuoteSession, key: string): number {
    const subscribed = session.symbols.get(key)
    if (subscribed === undefined) return 0
    let sent = 0
    for (const type of subscribed.types) {
      if (send(session, market.message(subscribed, type, clock.now()), true)) sent += 1
    }
    return sent
  }

  /**
   * Moves the price of one subscribed symbol, and sends its messages.
   *
   * @returns Number of messages that were sent.
   */
  function stepOnce(): number {
    const keys = [...new Set(sessions.list().flatMap(({ symbols }) => [...symbols.keys()]))]
    const key = keys[random.integer(0, Math.max(0, keys.length - 1))]
    if (key === undefined) return 0
    market.move(key.slice(key.indexOf(' ') + 1))
    return sessions.list().reduce((sent, session) => sent + sendSubscribed(session, key), 0)
  }

  const selected = (given: QuoteSessionSelection = {}): readonly QuoteSession[] => {
    const { session: id } = readArguments(given, ['session'])
    if (id !== undefined) string()(id, 'session', argumentFailure)
    return sessions.list().filter((session) => id === undefined || session.id === id)
  }
  const each = (given: QuoteSessionSelection | undefined, act: (session: QuoteSession) => void): number => {
    const found = selected(given)
    for (const session of found) act(session)
    return found.length
  }
  const createNotice = ({ dropped }: QuoteSession): object => ({
    type: 'status',
    rtt: 100,
    drop: dropped,
    sent: 0,
  })

  const controls: QuotesControls = {
    get mqttUrl() {
      return context.urls().mqttUrl
    },
    get mqttWebSocketUrl() {
      return context.urls().mqttWebSocketUrl
    },
    sessions: () =>
      sessions.list().map(({ id, appKey, wire, symbols, dropped, silence }) => ({
        id,
        appKey,
        transport: wire.transport,
        symbols: [...symbols.values()],
        dropped,
        silence,
      })),
    usedConnections: () => sessions.taken(context.firstAppKey),
    step(count) {
      const steps = integer({ min: 0, max: MAX_STEPS, default: 1 })(count, 'count', argumentFailure)
      let sent = 0
      for (let done = 0; done < steps; done += 1) sent += stepOnce()
      return sent
    },
    push(given) {
      const names = ['topic', 'payload', 'qos', 'duplicate', 'retain', 'session'] as const
      const { session, ...message } = readArguments(given, names)
      string()(message.topic, 'topic', argumentFailure)
      return each({ session }, (found) => send(found, message, false))
    },
    echo: (given) => each(given, (session) => send(session, { topic: 'echo' }, false)),
    notice(given = {}) {
      const { fields, session } = readArguments(given, ['fields', 'session'])
      return each({ session }, (found) => {
        const payload = Buffer.from(jsonText('fields', fields ?? createNotice(found)))
        send(found, { topic: 'notice', payload }, false)
      })
    },
    drop: (given) =>
      each(given, (session) => {
        sessions.close(session, true)
        session.wire.destroy()
      }),
    end: (given) =>
      each(given, (session) => {
        sessions.close(session, false)
        session.wire.end()
      }),
    silence(what, given) {
      const silence = oneOf(['none', 'messages', 'all'])(what, 'what', argumentFailure)
      return each(given, (session) => {
        session.silence = silence
      })
    },
    sendBytes: (bytes, given) =>
      each(given, ({ wire }) => (wire.transport === 'tcp' ? wire.send(bytes) : wire.sendRaw(bytes))),
    sendInvalidClose: (given) =>
      each(given, ({ wire }) => (wire.transport === 'tcp' ? wire.end() : wire.sendRaw(INVALID_CLOSE_FRAME))),
    forgetSessions: (given) => each(given, ({ id }) => forgotten.add(id)),
    setUnknownSymbols(symbols) {
      unknown = new Set(symbols)
    },
    nextConnect(fault, given = {}) {
      const { count = 1 } = readArguments(given, ['count'])
      faults.add(fault, undefined, count)
    },
    clearFaults: () => faults.clear(),
  }

  const repeat = (everyMs: number, act: () => void): void => {
    if (everyMs === 0) return
    clock.setTimer(() => {
      if (isClosed) return
      act()
      repeat(everyMs, act)
    }, everyMs)
  }
  repeat(settings.stepMs, () => void stepOnce())
  repeat(settings.echoIntervalMs, () => void controls.echo())

  return {
    settings,
    controls,
    broker: createQuoteBroker({ ...context, sessions, faults }),
    call: (action, appKey, body) =>
      executeStreamingCall(action, appKey, body, {
        ...context,
        sessions: {
          ...sessions,
          find: (key, id) => (forgotten.has(id) ? undefined : sessions.find(key, id)),
        },
        isUnknown: (symbol) => unknown.has(symbol),
        onSnapshotRequest: (session, keys) => {
          for (const key of keys) sendSubscribed(session, key)
        },
      }),
    close() {
      isClosed = true
    },
  }
}
