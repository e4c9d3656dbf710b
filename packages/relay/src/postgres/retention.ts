/** Deletes the oldest events of a stream, in batches, so that no statement runs for long and none locks the newest events. */
import type { Clock } from '@brokerwire/core'
import type { Retention } from '../sink/event-sink.ts'
import type { Database } from './database.ts'

/** The limits beyond which the oldest events are deleted. */
export interface PostgresRetention {
  /** Events that were stored before this time are deleted, milliseconds. @defaultValue no limit */
  readonly maxAgeMs?: number | undefined
  /** The number of events of the stream. @defaultValue no limit */
  readonly maxMessages?: number | undefined
  /**
   * Whether the sink deletes them. `false` if another program does, for example by dropping partitions. The limits
   * must be true all the same: the relay writes the notice of its writer again before it is deleted.
   * @defaultValue true
   */
  readonly deletes?: boolean | undefined
}

const INTERVAL_MS = 60_000
const BATCH = 5000

/** Returns the limits for the relay. */
export const toRetention = ({ maxAgeMs, maxMessages }: PostgresRetention): Retention => ({
  maxAgeMs,
  maxMessages,
})

/** Deletes the oldest events every minute while a writer is active. */
export class RetentionJob {
  readonly #database: Database
  readonly #stream: string
  readonly #retention: PostgresRetention
  readonly #clock: Clock
  #cancelTimer: (() => void) | undefined
  #isRunning = false
  #isStopped = true

  constructor(database: Database, stream: string, retention: PostgresRetention, clock: Clock) {
    this.#database = database
    this.#stream = stream
    this.#retention = retention
    this.#clock = clock
  }

  /** @param lastPosition - Returns the position of the last event. */
  start(lastPosition: () => number): void {
    const { maxAgeMs, maxMessages, deletes = true } = this.#retention
    this.#isStopped = false
    if (!deletes || (maxAgeMs === undefined && maxMessages === undefined)) return
    this.#cancelTimer?.()
    const run = (): void => {
      this.#cancelTimer = this.#clock.setTimer(run, INTERVAL_MS)
      if (!this.#isRunning) void this.#deleteOldest(lastPosition)
    }
    run()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  async #deleteOldest(lastPosition: () => number): Promise<void> {
    this.#isRunning = true
    const { maxAgeMs, maxMessages } = this.#retention
    const { events } = this.#database.tables
    try {
      for (let deleted = BATCH; deleted === BATCH && !this.#isStopped; ) {
        const last = maxMessages === undefined ? 0 : Math.max(0, lastPosition() - maxMessages)
        const isOld =
          maxAgeMs === undefined ? '' : ` OR stored_at < now() - ${maxAgeMs} * interval '1 millisecond'`
        const rows = await this.#database.run(
          `WITH oldest AS (
  SELECT position, stored_at FROM ${events} WHERE stream = $1 ORDER BY position LIMIT ${BATCH}
), bound AS (SELECT max(position) AS position FROM oldest WHERE position <= $2::bigint${isOld}), deleted AS (
  DELETE FROM ${events} AS e USING bound WHERE e.stream = $1 AND e.position <= bound.position RETURNING 1
) SELECT count(*) AS deleted FROM deleted`,
          this.#stream,
          String(last),
        )
        deleted = Number(rows[0]?.deleted)
      }
    } catch {
      // The next run deletes them. If the server is not available, the sink reports that by itself.
    }
    this.#isRunning = false
  }
}
