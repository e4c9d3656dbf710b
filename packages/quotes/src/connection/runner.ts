/**
 * The runner of one connection's state machine: carries out its effects through ports.
 *
 * Packets are read at once, also if the consumer is slow. All packets since the machine's last event are
 * reported as one event before its next event, because a transition for each message would be too slow.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import {
  type AbortControllerLike,
  createLinkedController,
  type EventInput,
  MachineRunner,
  typeName,
  unreachable,
} from '@brokerwire/core/internal'
import type { StreamingApi } from '../calls/streaming-api.ts'
import { MqttDecoder } from '../mqtt/decoder.ts'
import { DISCONNECT, encodeConnect, encodePuback, isMqttString, PINGREQ } from '../mqtt/encode.ts'
import type { MqttPacket, PublishPacket } from '../mqtt/packets.ts'
import type { QuotesNotice } from '../notices.ts'
import { optionInvalid, QuotesError } from '../quotes-error.ts'
import type { DesiredSubscriptions } from '../selection/desired-subscriptions.ts'
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

/** The credentials of CONNECT. */
export interface MqttLogin {
  /** User name, a non-empty string. */
  readonly userName: string
  /** Password. If the service ignores it, do not put a secret here. */
  readonly password: string
}

/** The ports of a connection. */
export interface ConnectionPorts {
  readonly policy: QuotesPolicy
  readonly clock: Clock
  /** Returns a number from 0 up to but not including 1. */
  readonly random: () => number
  readonly maxPacketBytes: number
  readonly maxSymbols: number
  readonly openSocket: (events: QuotesSocketEvents) => QuotesSocket
  /** Returns a new id for each connection. */
  readonly sessionId: () => string
  readonly login: (request: { readonly signal: AbortSignalLike }) => MqttLogin | Promise<MqttLogin>
  readonly api: StreamingApi
  /** @returns Whether the packet was market data. */
  readonly message: (packet: PublishPacket, connection: number, atMs: number) => boolean
  /** Called after the packets that arrived together. */
  readonly onBatch: (connection: number) => void
  readonly notify: (notice: QuotesNotice) => void
  readonly reject: (keys: readonly string[], types: number) => void
  readonly overflow: (
    connection: number,
    moved: Extract<ConnectionEffect, { readonly type: 'overflow' }>,
  ) => void
  /** Returns the time when this process last closed a connection of the app key. */
  readonly recentDropMs: () => number | undefined
  /** Called when an accepted connection was closed. */
  readonly onDrop: (atMs: number) => void
  readonly onState: (connection: number, state: ConnectionState) => void
  readonly onEnd: (outcome: ConnectionOutcome) => void
  readonly fail: (error: unknown) => void
}

/** One connection attempt. */
interface Attempt {
  readonly number: number
  readonly sessionId: string
  readonly abort: AbortControllerLike
  socket: QuotesSocket | undefined
}

/** Validates a string of CONNECT that a hook returned. @throws QuotesError `QUOTES_OPTION_INVALID`. */
function validateString(option: string, value: unknown): string {
  const isFit =
    typeof value === 'string' && isMqttString(value) && (value !== '' || option === 'login: password')
  if (isFit) return value
  const received = typeof value === 'string' ? 'another string' : typeName(value)
  throw optionInvalid(option, 'a non-empty string of at most 65,535 bytes without NUL', received)
}

export class ConnectionRunner {
  readonly #ports: ConnectionPorts
  readonly #connection: number
  readonly #machine: MachineRunner<ConnectionState, ConnectionEvent, ConnectionEffect>
  #attempt: Attempt | undefined
  /** Time of the last packet that was not reported to the machine yet. */
  #trafficMs: number | undefined
  /** Whether market data is among the packets that were not reported to the machine yet. */
  #dataSeen = false

  /** @param connection - Number of the connection, from 1. */
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

  /** Replaces the desired subscriptions. @param lost - Subscriptions that another connection lost. */
  setDesired(desired: DesiredSubscriptions, lost: Lost): void {
    this.#machine.dispatch({ type: 'set-desired', desired, lost })
  }

  /** Closes the connection. Idempotent. */
  stop(): void {
    this.#machine.dispatch({ type: 'stop' })
  }

  #traffic(): EventInput<ConnectionEvent> | undefined {
    const at = this.#trafficMs
    this.#trafficMs = undefined
    if (at === undefined) return undefined
    const data = this.#dataSeen
    this.#dataSeen = false
    return { type: 'traffic', attempt: this.state.attempt, data, at }
  }

  #perform(effect: Exclude<ConnectionEffect, { readonly type: 'start-timer' | 'clear-timer' }>): void {
    const ports = this.#ports
    switch (effect.type) {
      case 'connect':
        // An unexpected error ends the market data, but not the process.
        this.#connect(effect.attempt).catch((cause: unknown) => ports.fail(cause))
        return
      case 'close':
        this.#closeAttempt(effect.graceful)
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

  #closeAttempt(graceful: boolean): void {
    const attempt = this.#attempt
    this.#attempt = undefined
    attempt?.abort.abort()
    if (graceful) attempt?.socket?.send(DISCONNECT)
    if (graceful) attempt?.socket?.end()
    else attempt?.socket?.destroy()
  }

  async #connect(number: number): Promise<void> {
    const { openSocket, login, policy, sessionId, maxPacketBytes } = this.#ports
    const { controller } = createLinkedController()
    const attempt: Attempt = {
      number,
      sessionId: validateString('sessionId', sessionId()),
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
        if (this.#attempt === attempt) this.#decode(attempt, decoder, bytes)
      },
      closed: (systemCode, message) => {
        if (this.#attempt !== attempt) return
        this.#machine.dispatch({ type: 'closed', attempt: number, systemCode, message })
      },
    })
    // The function in the option `socket` may call `opened` before it returns the socket. CONNECT is then
    // sent here.
    if (isOpen && this.#attempt === attempt) attempt.socket.send(connect)
  }

  /**
   * @returns The user name and the password; `undefined` if the hook fails after the attempt was closed,
   * because its signal may be the reason.
   */
  async #login(login: ConnectionPorts['login'], attempt: Attempt): Promise<MqttLogin | undefined> {
    try {
      const { userName, password } = await login({ signal: attempt.abort.signal })
      return {
        userName: validateString('login: userName', userName),
        password: validateString('login: password', password),
      }
    } catch (cause) {
      if (this.#attempt !== attempt) return undefined
      const text = `the hook login failed: ${cause instanceof Error ? cause.message : String(cause)}`
      throw new QuotesError('QUOTES_LOGIN_FAILED', text, { details: {}, cause })
    }
  }

  #decode(attempt: Attempt, decoder: MqttDecoder, bytes: Uint8Array): void {
    const at = this.#ports.clock.now()
    const fault = decoder.read(bytes, (packet) => {
      if (this.#attempt !== attempt) return
      // Only complete packets count as activity.
      this.#trafficMs = at
      this.#onPacket(attempt, packet, at)
    })
    this.#ports.onBatch(this.#connection)
    if (this.#attempt === attempt && fault !== undefined) {
      this.#machine.dispatch({ type: 'closed', attempt: attempt.number, fault })
    }
  }

  #onPacket(attempt: Attempt, packet: MqttPacket, at: number): void {
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
      // Other packets only count as activity.
    }
  }

  async #call(number: number, callNumber: number, call: StreamingCall): Promise<void> {
    const attempt = this.#attempt
    if (attempt === undefined) return
    const outcome = await this.#ports.api.send(call, attempt.sessionId, attempt.abort.signal)
    this.#machine.dispatch({ type: 'response', attempt: number, call: callNumber, outcome })
  }
}
