/**
 * Carries out what the machine of one connection decides, through ports.
 *
 * Packets are read as they come, whatever the consumer does. That packets came is one event of the machine, told before the
 * next one: each message would cost a step otherwise.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import {
  type AbortControllerLike,
  describe,
  linkedAbort,
  MachineRunner,
  type Unstamped,
  unreachable,
} from '@brokerwire/core/internal'
import type { StreamingApi } from '../calls/streaming-api.ts'
import { MqttDecoder } from '../mqtt/decoder.ts'
import { DISCONNECT, encodeConnect, encodePuback, isMqttText, PINGREQ } from '../mqtt/encode.ts'
import type { MqttPacket, PublishPacket } from '../mqtt/packets.ts'
import type { QuotesNotice } from '../notices.ts'
import { optionInvalid, QuotesError } from '../quotes-error.ts'
import type { Wants } from '../selection/wants.ts'
import type { QuotesSocket, QuotesSocketEvents } from '../socket/port.ts'
import type { StreamingCall } from './calls.ts'
import type {
  ConnectionEffect,
  ConnectionEvent,
  ConnectionOutcome,
  ConnectionState,
  Lost,
} from './machine-types.ts'
import type { QuotesPolicy } from './policy.ts'
import { connectionTransition, initialConnectionState } from './transition.ts'

/** What CONNECT carries. */
export interface MqttLogin {
  readonly userName: string
  /** Any text; nothing secret belongs there where the service does not look at it. */
  readonly password: string
}

/** What a connection needs of the world. */
export interface ConnectionPorts {
  readonly policy: QuotesPolicy
  readonly clock: Clock
  /** From 0 up to but not including 1. */
  readonly random: () => number
  readonly maxPacketBytes: number
  readonly maxSymbols: number
  readonly openSocket: (events: QuotesSocketEvents) => QuotesSocket
  /** A fresh one for each connection. */
  readonly sessionId: () => string
  readonly login: (request: { readonly signal: AbortSignalLike }) => MqttLogin | Promise<MqttLogin>
  readonly api: StreamingApi
  /** @returns Whether it was a message of market data. */
  readonly message: (packet: PublishPacket, connection: number, atMs: number) => boolean
  readonly notify: (notice: QuotesNotice) => void
  readonly reject: (keys: readonly string[], types: number) => void
  readonly overflow: (
    connection: number,
    moved: Extract<ConnectionEffect, { readonly type: 'overflow' }>,
  ) => void
  /** When this process last ended a connection of the same key. */
  readonly recentDropMs: () => number | undefined
  /** An accepted connection is over. */
  readonly onDrop: (atMs: number) => void
  readonly onState: (connection: number, state: ConnectionState) => void
  readonly onEnd: (outcome: ConnectionOutcome) => void
  readonly fail: (error: unknown) => void
}

/** One attempt, from its socket to its end. */
interface Attempt {
  readonly number: number
  readonly sessionId: string
  readonly abort: AbortControllerLike
  socket: QuotesSocket | undefined
}

/** A text of CONNECT, from a hook. @throws QuotesError `QUOTES_OPTION_INVALID`. */
function packetText(option: string, value: unknown): string {
  const isFit =
    typeof value === 'string' && isMqttText(value) && (value !== '' || option === 'login: password')
  if (isFit) return value
  const text = typeof value === 'string' ? 'another text' : describe(value)
  throw optionInvalid(option, 'a text of at most 65,535 bytes without NUL, of at least one character', text)
}

export class ConnectionRunner {
  readonly #ports: ConnectionPorts
  readonly #connection: number
  readonly #machine: MachineRunner<ConnectionState, ConnectionEvent, ConnectionEffect>
  #attempt: Attempt | undefined
  /** When packets last came that the machine is to be informed of before its next event. */
  #trafficMs: number | undefined
  /** Whether a message of market data is among the packets that the machine has not heard of. */
  #dataSeen = false

  /** @param connection - Its number among all, from 1. */
  constructor(ports: ConnectionPorts, connection: number) {
    this.#ports = ports
    this.#connection = connection
    this.#machine = new MachineRunner(initialConnectionState(ports.policy, connection, ports.maxSymbols), {
      ...ports,
      transition: connectionTransition,
      onStep(before, state, at) {
        if (before.phase === 'live' && state.phase !== 'live') ports.onDrop(at)
        if (before.phase !== state.phase) ports.onState(connection, state)
      },
      perform: (effect) => this.#perform(effect),
      preceding: () => this.#traffic(),
    })
  }

  get state(): ConnectionState {
    return this.#machine.state
  }

  /** All that is wanted of this connection from now on. @param lost - Of what another one lost. */
  want(wanted: Wants, lost: Lost): void {
    this.#machine.dispatch({ type: 'want', wanted, lost })
  }

  /** Leaves at once. Harmless when called again. */
  stop(): void {
    this.#machine.dispatch({ type: 'stop' })
  }

  #traffic(): Unstamped<ConnectionEvent> | undefined {
    const at = this.#trafficMs
    this.#trafficMs = undefined
    if (at === undefined) return undefined
    const data = this.#dataSeen
    this.#dataSeen = false
    return { type: 'traffic', attempt: this.state.attempt, data, at }
  }

  #perform(effect: Exclude<ConnectionEffect, { readonly type: 'arm' | 'disarm' }>): void {
    const ports = this.#ports
    switch (effect.type) {
      case 'connect':
        // What nobody foresaw ends all of it, not the process.
        this.#connect(effect.attempt).catch((cause: unknown) => ports.fail(cause))
        return
      case 'leave':
        this.#leave(effect.graceful)
        return
      case 'ping':
        this.#attempt?.socket?.send(PINGREQ)
        return
      case 'call':
        this.#call(effect.attempt, effect.number, effect.call).catch(ports.fail)
        return
      case 'notify':
        ports.notify(effect.notice)
        return
      case 'reject':
        ports.reject(effect.keys, effect.types)
        return
      case 'overflow':
        ports.overflow(this.#connection, effect)
        return
      case 'end':
        ports.onEnd(effect.outcome)
        return
      default:
        unreachable(effect)
    }
  }

  #leave(graceful: boolean): void {
    const attempt = this.#attempt
    this.#attempt = undefined
    attempt?.abort.abort()
    if (graceful) attempt?.socket?.send(DISCONNECT)
    if (graceful) attempt?.socket?.end()
    else attempt?.socket?.destroy()
  }

  async #connect(number: number): Promise<void> {
    const { openSocket, login, policy, sessionId, maxPacketBytes } = this.#ports
    const { controller } = linkedAbort()
    const attempt: Attempt = {
      number,
      sessionId: packetText('sessionId', sessionId()),
      abort: controller,
      socket: undefined,
    }
    this.#attempt = attempt
    const given = await this.#login(login, attempt)
    if (given === undefined || this.#attempt !== attempt) return
    const { userName, password } = given
    const keepAliveSeconds = Math.ceil(policy.keepAliveMs / 1000)
    const connect = encodeConnect({ clientId: attempt.sessionId, userName, password, keepAliveSeconds })
    const decoder = new MqttDecoder(maxPacketBytes)
    let isOpen = false
    attempt.socket = openSocket({
      opened: () => {
        isOpen = true
        if (this.#attempt === attempt) attempt.socket?.send(connect)
      },
      received: (bytes) => {
        if (this.#attempt === attempt) this.#read(attempt, decoder, bytes)
      },
      closed: (systemCode, message) => {
        if (this.#attempt !== attempt) return
        this.#machine.dispatch({ type: 'closed', attempt: number, systemCode, message })
      },
    })
    // A caller's own socket may be open from the start.
    if (isOpen && this.#attempt === attempt) attempt.socket.send(connect)
  }

  /** @returns Nothing where the attempt was left meanwhile: a hook that heeds its signal throws then. */
  async #login(login: ConnectionPorts['login'], attempt: Attempt): Promise<MqttLogin | undefined> {
    try {
      const { userName, password } = await login({ signal: attempt.abort.signal })
      return {
        userName: packetText('login: userName', userName),
        password: packetText('login: password', password),
      }
    } catch (cause) {
      if (this.#attempt !== attempt) return undefined
      const text = 'the hook login failed: its error is the cause'
      throw new QuotesError('QUOTES_LOGIN_FAILED', text, { details: {}, cause })
    }
  }

  #read(attempt: Attempt, decoder: MqttDecoder, bytes: Uint8Array): void {
    const at = this.#ports.clock.now()
    const fault = decoder.read(bytes, (packet) => {
      if (this.#attempt !== attempt) return
      // Bytes of a packet that never ends are no sign of life.
      this.#trafficMs = at
      this.#take(attempt, packet, at)
    })
    if (this.#attempt === attempt && fault !== undefined) {
      this.#machine.dispatch({ type: 'closed', attempt: attempt.number, fault })
    }
  }

  #take(attempt: Attempt, packet: MqttPacket, at: number): void {
    if (this.state.phase === 'opening' && packet.type !== 'connack') {
      this.#machine.dispatch({ type: 'closed', attempt: attempt.number, fault: 'no-connack' })
      return
    }
    switch (packet.type) {
      case 'publish':
        if (this.#ports.message(packet, this.#connection, at)) this.#dataSeen = true
        if (packet.qos === 1 && packet.packetId !== undefined)
          attempt.socket?.send(encodePuback(packet.packetId))
        return
      case 'connack': {
        const { returnCode: code } = packet
        const recentDropMs = this.#ports.recentDropMs()
        this.#machine.dispatch({ type: 'connack', attempt: attempt.number, code, recentDropMs, at })
        return
      }
      default:
      // A sign of life.
    }
  }

  async #call(number: number, callNumber: number, call: StreamingCall): Promise<void> {
    const attempt = this.#attempt
    if (attempt === undefined) return
    const outcome = await this.#ports.api.send(call, attempt.sessionId, attempt.abort.signal)
    this.#machine.dispatch({ type: 'answered', attempt: number, call: callNumber, outcome })
  }
}
