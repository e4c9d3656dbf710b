/**
 * A sink that sends a stream to a receiver as webhooks: HTTPS requests in order, signed, each at least once.
 *
 * A message is acknowledged when the receiver has accepted it, or the file of dead letters has it, and the record in
 * the store includes it. After a crash between the two, the message is sent again with the same `webhook-id`. Notices
 * `writer-changed` are only recorded, because they concern the relays and not the receiver.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { createAbortController, notify, Queue } from '@brokerwire/core/internal'
import { isRelayError, type RelayError } from '../relay-error.ts'
import {
  type EventSink,
  entryBytes,
  type Oversize,
  type PublishAck,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from '../sink/event-sink.ts'
import type { PendingPublish } from '../sink/pending-publish.ts'
import { sinkClosed, sinkMisconfigured, sinkUnavailable } from '../sink/sink-errors.ts'
import { StateReporter } from '../sink/state-reporter.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName } from '../wire/subjects.ts'
import { appendDeadLetter } from './dead-letters.ts'
import { Delivery, type DeliveryEnd } from './delivery.ts'
import { Receiver } from './receiver.ts'
import { RecordWriter } from './record-writer.ts'
import { SigningKeys } from './signing-keys.ts'
import { createMessage, serializeCloudEvent } from './webhook-event.ts'
import { readWebhookSinkOptions, type WebhookSinkOptions } from './webhook-sink-options.ts'

/**
 * Creates a sink that sends a stream to a receiver as webhooks.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createWebhookSink } from '@brokerwire/relay/webhook-sink'
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * declare const secret: string
 *
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * const store = createFileStore({ directory: './state' })
 * await using sink = createWebhookSink({ address, url: 'https://example.com/events', secrets: secret, store })
 * await sink.tail({ maxEntries: 0 })
 * ```
 */
export function createWebhookSink(options: WebhookSinkOptions): EventSink {
  return new WebhookSink(options)
}

/** A message that waits. The last message of a call of `publish` has the call; an empty call has no message. */
interface Waiting {
  readonly entry: SinkEntry | undefined
  readonly call: PendingPublish | undefined
  readonly queuedMs: number
}

/** Messages that are recorded together. Those of `sent` are in one request. */
interface Group {
  readonly items: readonly Waiting[]
  readonly sent: readonly SinkEntry[]
  readonly events: readonly string[]
}

class WebhookSink implements EventSink {
  readonly #options: ReturnType<typeof readWebhookSinkOptions>
  readonly #stream: string
  readonly #receiver: Receiver
  readonly #delivery: Delivery
  readonly #record: RecordWriter
  readonly #keys: SigningKeys
  readonly #waiting = new Queue<Waiting>()
  /** Calls whose messages were taken from the queue and are not acknowledged yet. */
  #taken: readonly Waiting[] = []
  #running: Promise<void> | undefined
  /** Aborts the running delivery. */
  #controller = createAbortController()
  /** The reason why the tail must be read before the next call of `publish`. */
  #endReason: RelayError | undefined
  #isClosed = false
  readonly #state: StateReporter

  constructor(given: WebhookSinkOptions) {
    const options = readWebhookSinkOptions(given)
    const { address, url, timeoutMs, allowPrivateAddresses, maxRetryWaitMs, clock, random, store } = options
    this.#options = options
    this.#state = new StateReporter(options)
    this.#stream = streamName(address)
    this.#receiver = new Receiver({ url, timeoutMs, allowPrivateAddresses, clock })
    this.#keys = new SigningKeys(options)
    this.#delivery = new Delivery({
      receiver: this.#receiver,
      getKeys: () => this.#keys.get(),
      maxRetryWaitMs,
      clock,
      random,
      beforeAttempt: () => this.#record.requireOwnership(this.#controller.signal),
      onAttempt: (attempt) => {
        const { reason } = attempt
        this.#state.report(reason === undefined ? { state: 'writing' } : { state: 'waiting', reason })
        notify(() => options.onAttempt?.(attempt))
      },
    })
    this.#record = new RecordWriter({
      stream: this.#stream,
      store,
      clock,
      onFailed: (error) => this.#state.report({ state: 'waiting', reason: error.message }),
    })
    this.#endReason = sinkUnavailable(this.#stream, 'its tail must be read before publishing')
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#stop(sinkUnavailable(this.#stream, 'its tail is being read again'))
    await this.#running
    await this.#keys.get()
    const record = await this.#record.read(request)
    this.#requireOpen()
    this.#controller = createAbortController()
    this.#endReason = undefined
    return { ...record.tail(request), retention: {} }
  }

  publish(batch: readonly SinkEntry[]): Promise<PublishAck> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      if (this.#endReason !== undefined) throw this.#endReason
      const queuedMs = this.#options.clock.now()
      const call = { resolve, reject }
      for (const [at, entry] of batch.entries())
        this.#waiting.push({ entry, call: at === batch.length - 1 ? call : undefined, queuedMs })
      if (batch.length === 0) this.#waiting.push({ entry: undefined, call, queuedMs })
      this.#running ??= this.#run()
    })
  }

  checkSize(entry: SinkEntry): Oversize | undefined {
    const { maxBodyBytes: maxBytes } = this.#options
    // JSON has at most six bytes for each character of a string. `entryBytes()` counts two.
    if (3 * entryBytes(entry) <= maxBytes) return undefined
    const messageBytes = Buffer.byteLength(serializeCloudEvent(entry)) + BRACKETS
    return messageBytes <= maxBytes ? undefined : { messageBytes, maxBytes, setting: 'maxBodyBytes' }
  }

  /** Checks the store only: a request without an event would disturb the receiver. */
  async probe(): Promise<Retention> {
    this.#requireOpen()
    if (this.#endReason !== undefined) throw this.#endReason
    try {
      await this.#record.confirm()
    } catch (error) {
      if (!isRelayError(error, 'RELAY_SINK_UNAVAILABLE')) this.#stop(error as RelayError)
      throw error
    }
    return {}
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stop(sinkClosed(this.#stream))
    await this.#running
    this.#receiver.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Sends the waiting messages, one request after the other. */
  async #run(): Promise<void> {
    // Calls of the same turn are sent together in a batch.
    await undefined
    const { signal } = this.#controller
    try {
      while (this.#endReason === undefined && this.#waiting.size > 0) {
        const group = this.#takeGroup()
        this.#taken = group.items
        let { sequence } = this.#record.record
        if (group.sent.length > 0) await this.#send(group, signal)
        const entries = group.items.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))
        if (entries.length > 0) await this.#record.append(entries, signal)
        this.#taken = []
        for (const { entry, call } of group.items) {
          if (entry !== undefined) sequence += 1
          call?.resolve({ sequence })
        }
      }
    } catch (error) {
      // After a stop, the error is that of the aborted signal.
      if (this.#endReason === undefined) this.#stop(error as RelayError)
    }
    this.#running = undefined
  }

  /** Takes the messages of the next request from the queue. */
  #takeGroup(): Group {
    const { maxBatchEvents, maxBodyBytes } = this.#options
    const items: Waiting[] = []
    const sent: SinkEntry[] = []
    const events: string[] = []
    let bytes = BRACKETS
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      const { entry } = next
      if (entry !== undefined && isSent(entry)) {
        if (sent.length >= maxBatchEvents) break
        const event = serializeCloudEvent(entry)
        bytes += Buffer.byteLength(event) + 1
        if (sent.length > 0 && bytes > maxBodyBytes) break
        sent.push(entry)
        events.push(event)
      }
      items.push(next)
      this.#waiting.shift()
    }
    return { items, sent, events }
  }

  /** Sends a request until the receiver has accepted it, or the file of dead letters has its events. */
  async #send({ items, sent, events }: Group, signal: AbortSignalLike): Promise<void> {
    const { clock, deadLetters, maxBatchEvents, maxRetryWaitMs } = this.#options
    const message = createMessage(this.#stream, sent, events, maxBatchEvents > 1)
    const queuedMs = items[0]?.queuedMs ?? clock.now()
    let untilMs = deadLetters && queuedMs + deadLetters.afterMs
    for (;;) {
      const end = await this.#delivery.deliver(message, untilMs, signal)
      if (end.type === 'delivered') return
      if (end.type === 'gone') throw this.#gone()
      if (deadLetters !== undefined && (await this.#writeDeadLetter(deadLetters, message.id, events, end)))
        return
      untilMs = clock.now() + maxRetryWaitMs
    }
  }

  /** Writes events to the file of dead letters. @returns Whether the file has them. */
  async #writeDeadLetter(
    options: { readonly directory: string; readonly maxBytes: number },
    webhookId: string,
    events: readonly string[],
    { attempts, reason }: Extract<DeliveryEnd, { readonly type: 'expired' }>,
  ): Promise<boolean> {
    const { clock, maxBatchEvents, onDeadLetter } = this.#options
    const letter = { webhookId, attempts, reason, isBatch: maxBatchEvents > 1, events }
    try {
      const file = await appendDeadLetter(this.#stream, options, letter, clock.now())
      notify(() => onDeadLetter?.({ messages: events.length, file, reason }))
      return true
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      this.#state.report({ state: 'waiting', reason: `${reason}; the file of dead letters failed: ${text}` })
      return false
    }
  }

  #gone(): RelayError {
    const text = `receiver of ${this.#stream} must accept events; it returned 410 Gone. Change the URL, or make the receiver accept them again.`
    const mismatch = { setting: 'url', expected: 'a receiver that accepts events', received: 'status 410' }
    return sinkMisconfigured(this.#stream, text, mismatch)
  }

  /** Rejects all calls. @param error - The reason why the tail must be read again. */
  #stop(error: RelayError): void {
    this.#endReason = error
    this.#controller.abort(error)
    const waiting = [...this.#taken]
    this.#taken = []
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      waiting.push(next)
    for (const { call } of waiting) call?.reject(error)
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#stream)
  }
}

/** The brackets of a batch. */
const BRACKETS = 2

const isSent = ({ headers }: SinkEntry): boolean => headers[HEADER.kind] !== 'writer-changed'
