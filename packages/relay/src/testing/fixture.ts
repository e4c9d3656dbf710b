/** The stream that a case of the contract uses. */
import type { EventSink } from '../sink/event-sink.ts'

/** An empty stream for one case. */
export interface SinkFixture {
  /** Opens a writer of the stream. A case may open several of them. */
  readonly openSink: () => EventSink | Promise<EventSink>
  /**
   * Removes the messages after `sequence` without the knowledge of the writers, as a restored backup or a
   * failover to a late replica does. 0 deletes the stream.
   */
  readonly truncate?: ((sequence: number) => Promise<void>) | undefined
  /** Kills the server of the stream, and starts it again with its data. Clients may reconnect later. */
  readonly restart?: (() => Promise<void>) | undefined
  /** Length of a message body that the sink does not accept, bytes. */
  readonly oversizedBytes?: number | undefined
  /** Called after the case, whether it passed or failed. */
  readonly close?: (() => Promise<void>) | undefined
}

/** The body of a case. */
export type CaseBody = (fixture: SinkFixture) => Promise<void>
/** Bodies of cases by name. */
export type Cases = Readonly<Record<string, CaseBody>>
