/**
 * A sink that keeps its messages while a setting of the stream or its server is wrong. A person corrects the
 * setting, and this sink tries again once a minute: it reads the end of the stream, and publishes what is not
 * stored yet. If the end has a message that is not its own, another writer or an operator changed the stream, and
 * the waiting messages are rejected.
 *
 * A wrong setting before the first stored message is an error as before, because nothing can be lost then.
 */
import type { Clock } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import type { EventSink, PublishAck, Retention, SinkEntry, SinkTail } from '../sink/event-sink.ts'
import { type PendingPublish, rejectAll } from '../sink/pending-publish.ts'
import { sinkClosed, sinkUnavailable, streamTruncated, writerFenced } from '../sink/sink-errors.ts'

export interface RetainingSinkOptions {
  readonly sink: EventSink
  /** The name of the stream, for errors. */
  readonly stream: string
  readonly clock: Clock
  /** The delay before the next try. @defaultValue 60 000 */
  readonly retryMs?: number | undefined
  /** Called when messages wait because of a wrong setting, once for each reason. */
  readonly onWaiting: (error: unknown) => void
}

interface Waiting extends PendingPublish {
  /** The messages of the call that are not known to be stored. */
  batch: readonly SinkEntry[]
}

const RETRY_MS = 60_000

/** Creates the sink. Closing it closes the given one. */
export function createRetainingSink(options: RetainingSinkOptions): EventSink {
  const { sink, stream, clock, retryMs = RETRY_MS, onWaiting } = options
  const waiting: Waiting[] = []
  /** The sequence of the last message that is known to be stored. */
  let sequence = 0
  let streamId: string | undefined
  let hasStored = false
  /** The reason of the wait; `undefined` if messages are published at once. */
  let reason: Error | undefined
  /**
   * Why a wait failed. The sink has read the end of the stream since, so it would store a message after those of
   * another writer: all calls are rejected until the caller reads the end.
   */
  let failure: { readonly error: unknown } | undefined
  /** The message of the reason that was reported last. */
  let reported = ''
  /** Counts the waits: results of calls before the current one are ignored. */
  let waits = 0
  let cancel = (): void => {}
  let isClosed = false

  const send = (call: Waiting): void => {
    const sentIn = waits
    sink.publish(call.batch).then(
      (acknowledged) => {
        if (sentIn === waits) settle(call, acknowledged)
      },
      (error: unknown) => {
        if (sentIn !== waits) return
        if (hasStored && isRelayError(error, 'RELAY_SINK_MISCONFIGURED')) begin(error)
        else fail(error)
      },
    )
  }
  const settle = (call: Waiting, acknowledged: PublishAck): void => {
    waiting.splice(waiting.indexOf(call), 1)
    sequence = acknowledged.sequence
    hasStored = true
    reported = ''
    call.resolve(acknowledged)
  }
  const fail = (error: unknown): void => {
    waits += 1
    reason = undefined
    cancel()
    rejectAll(waiting, error)
  }
  const begin = (error: Error): void => {
    if (isClosed) return
    if (reported !== error.message) onWaiting(error)
    reported = error.message
    reason = error
    waits += 1
    cancel = clock.setTimer(() => void resume(), retryMs)
  }
  const resume = async (): Promise<void> => {
    const resumedIn = waits
    const count = waiting.reduce((sum, { batch }) => sum + batch.length, 0)
    try {
      const tail = await sink.tail({ maxEntries: count + 1 })
      if (resumedIn !== waits) return
      removeStored(tail)
    } catch (error) {
      if (resumedIn !== waits) return
      const isWaiting =
        isRelayError(error, 'RELAY_SINK_MISCONFIGURED') || isRelayError(error, 'RELAY_SINK_UNAVAILABLE')
      if (isWaiting) begin(error)
      else {
        failure = { error }
        fail(error)
      }
      return
    }
    reason = undefined
    for (const call of [...waiting]) send(call)
  }
  /** Removes the waiting messages that the stream has. @throws RelayError if the stream has other messages. */
  const removeStored = (tail: SinkTail): void => {
    const stored = tail.sequence - sequence
    if (stored < 0 || tail.streamId !== streamId) throw streamTruncated(stream, sequence, tail.sequence)
    const found = tail.entries.filter((entry) => entry.sequence > sequence)
    const expected = waiting.flatMap(({ batch }) => batch).slice(0, stored)
    const isOwn =
      found.length === stored &&
      expected.length === stored &&
      found.every(({ key, subject }, at) => key === expected[at]?.key && subject === expected[at]?.subject)
    if (!isOwn) throw writerFenced(stream, tail.sequence, tail.entries.at(-1))
    let rest = stored
    for (const call of [...waiting]) {
      const count = Math.min(rest, call.batch.length)
      if (count === 0) break
      rest -= count
      sequence += count
      call.batch = call.batch.slice(count)
      if (call.batch.length === 0) settle(call, { sequence })
    }
  }

  const probe = async (): Promise<Retention> => {
    if (failure !== undefined) throw failure.error
    if (reason !== undefined) throw sinkUnavailable(stream, reason.message)
    try {
      return (await sink.probe?.()) ?? {}
    } catch (error) {
      if (!hasStored || !isRelayError(error, 'RELAY_SINK_MISCONFIGURED')) throw error
      if (reason === undefined) begin(error)
      throw sinkUnavailable(stream, error.message)
    }
  }

  return {
    async tail(request) {
      const tail = await sink.tail(request)
      ;({ sequence, streamId } = tail)
      failure = undefined
      return tail
    },
    publish(batch) {
      if (isClosed) return Promise.reject(sinkClosed(stream))
      if (failure !== undefined) return Promise.reject(failure.error)
      return new Promise((resolve, reject) => {
        const call = { batch, resolve, reject }
        waiting.push(call)
        if (reason === undefined) send(call)
      })
    },
    ...(sink.checkSize === undefined ? {} : { checkSize: sink.checkSize.bind(sink) }),
    ...(sink.probe === undefined ? {} : { probe }),
    ...closable(async () => {
      isClosed = true
      fail(sinkClosed(stream))
      await sink.close()
    }),
  }
}
