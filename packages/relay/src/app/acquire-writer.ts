/** Acquires the writer's role of a stream: reads the end of the stream, and publishes the notice of the new writer after it. */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import type { EventSink, Retention, SinkEntry } from '../sink/event-sink.ts'
import { type StreamAddress, streamName, subjectRoot } from '../wire/subjects.ts'
import { createTailRequest, type ResumePoint, readResumePoint } from './resume-point.ts'
import type { StreamRecord } from './stream-record.ts'

export interface AcquireWriterOptions {
  readonly address: StreamAddress
  readonly sink: EventSink
  readonly cluster: string
  /** Event types whose positions are read. */
  readonly eventTypes: readonly string[]
  /** The record of the stream in the cluster's store. */
  readonly readRecord: () => Promise<StreamRecord | undefined>
  /** Creates the notice of the new writer. */
  readonly writerNotice: (resumePoint: ResumePoint) => SinkEntry
  /** Called when the notice was sent. `stored` resolves when the stream has the notice. */
  readonly onAnnounced: (stored: Promise<Announced>) => Promise<void>
  /** Called when the sink is unavailable, once for each reason. */
  readonly onWaitingForSink: (error: unknown) => void
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignalLike
}

/** The result of acquiring the writer's role: the stream has the notice of this writer. */
export interface Announced {
  /** The end of the stream before the notice. */
  readonly resumePoint: ResumePoint
  /** The sequence of the notice. */
  readonly sequence: number
  readonly retention: Retention
}

const MAX_FENCED = 20
const MAX_PAUSE_MS = 1000

/**
 * Acquires the writer's role. Retries while the sink is unavailable, because no other relay could write to it
 * either. If the signal aborts during the wait before a retry, the promise rejects. If it aborts at another
 * time, the promise resolves.
 */
export async function acquireWriter(options: AcquireWriterOptions): Promise<void> {
  const { address, sink, cluster, eventTypes, clock, random, signal } = options
  let fenced = 0
  let reported = ''
  for (let attempt = 1; ; attempt += 1) {
    try {
      const record = await options.readRecord()
      const tail = await sink.tail(createTailRequest(subjectRoot(address), eventTypes))
      const resumePoint = readResumePoint(streamName(address), cluster, eventTypes, tail, record)
      if (signal.aborted) return
      const { retention = {} } = tail
      const published = sink.publish([options.writerNotice(resumePoint)])
      await options.onAnnounced(published.then(({ sequence }) => ({ resumePoint, sequence, retention })))
      return
    } catch (error) {
      // Another writer wrote in between. The next attempt reads its messages first.
      const isFenced = isRelayError(error, 'RELAY_FENCED')
      if (isFenced) fenced += 1
      const isTransient = isFenced ? fenced < MAX_FENCED : isRelayError(error, 'RELAY_SINK_UNAVAILABLE')
      if (!isTransient) throw error
      if (!isFenced) {
        const { message } = error as Error
        if (message !== reported) options.onWaitingForSink(error)
        reported = message
      }
      await sleep(clock, random() * Math.min(MAX_PAUSE_MS, 20 * attempt), signal)
    }
  }
}
