/**
 * The running keys of this relay. A key is acquired when its last holder has released it or is dead, and released at the end. Its
 * record in the store names this relay while it runs.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import type { KeyHolder, KeyRecord } from './key-record.ts'
import type { KeyRecordStore } from './key-record-store.ts'
import type { RestartWaits } from './restart-waits.ts'

/** The end of a key's run. */
export type KeyRunEnd =
  | { readonly why: 'released'; readonly lingering: number }
  | { readonly why: 'fenced' | 'failed'; readonly error: unknown }

/** A running key. */
export interface KeyRun {
  readonly ended: Promise<KeyRunEnd>
  /** Ends it with as few gaps as possible, or as soon as possible if `now`. */
  drain(now: boolean): void
  /** Ends it at once. Nothing more is read or written. */
  abort(): void
}

/** Parameters of a key's run. */
export interface KeyStart {
  /** The number of connections of earlier holders that the service may still count. */
  readonly lingering: number
  readonly incarnation: string
  /** To be called when that number changes: the next holder needs it if this relay dies. */
  readonly onLingering: (count: number) => void
}

export type KeyState = 'taken' | 'handing-over' | 'released' | 'fenced' | 'failed'

export interface KeyRunsOptions {
  readonly name: string
  /** The number of connections that a holder of the key opens. */
  readonly connectionsOf: (key: string) => number
  /** The limit of the service for the connections of a key. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly records: KeyRecordStore
  readonly startKey: (key: string, how: KeyStart) => KeyRun
  /** Whether a relay belongs to the cluster. */
  readonly isMember: (name: string, incarnation: string) => Promise<boolean>
  /** Whether a key is still assigned to this incarnation of the relay. */
  readonly canTake: (key: string, incarnation: string) => boolean
  readonly onState: (key: string, state: KeyState, error?: unknown) => void
  readonly restarts: RestartWaits
}

interface RunningKey {
  readonly run: KeyRun
  /** This relay, as its record in the store names it. */
  readonly holder: KeyHolder
  /** Resolves when the run has ended and the key was released. */
  readonly settled: Promise<void>
  readonly connections: LingeringConnections
  isDraining: boolean
}

/** Connections that have ended and that the service may still count: the number, and the number in the store. */
interface LingeringConnections {
  count: number
  stored: number
  isStoring: boolean
}

export class KeyRuns {
  readonly #options: KeyRunsOptions
  readonly #running = new Map<string, RunningKey>()
  #takings = 0

  constructor(options: KeyRunsOptions) {
    this.#options = options
  }

  get keys(): readonly string[] {
    return [...this.#running.keys()]
  }

  has(key: string): boolean {
    return this.#running.has(key)
  }

  /** Acquires a key and starts it, unless another relay holds it. */
  async take(key: string, incarnation: string, signal: AbortSignalLike): Promise<void> {
    const { name, records, canTake, onState } = this.#options
    const { text, record } = await records.read(key)
    if ((await this.#isHeld(record, incarnation)) || signal.aborted || !canTake(key, incarnation)) return
    const lingering = this.#lingeringConnections(key, record)
    this.#takings += 1
    const holder: KeyHolder = { name, incarnation, taking: this.#takings }
    if (!(await records.claim(key, text, holder, lingering))) return
    // The assignment may have changed since then. The record names this relay until it is released.
    if (signal.aborted || !canTake(key, incarnation)) {
      await records.release(key, holder, lingering)
      return
    }
    records.confirmClaim(key)
    onState(key, 'taken')
    await this.#start(key, holder, lingering)
  }

  /** Starts to drain a key for another relay, once. */
  drain(key: string): void {
    const held = this.#running.get(key)
    if (held === undefined || held.isDraining) return
    held.isDraining = true
    this.#options.onState(key, 'handing-over')
    held.run.drain(false)
  }

  /** Retries the failed writes of records. */
  updateRecords(): void {
    for (const [key, { holder, connections }] of this.#running)
      void this.#updateRecord(key, holder, connections)
  }

  /** Drains all keys. Those that need longer than the limit, because their sink is unavailable, are aborted. */
  async drainAll(limitMs: number): Promise<void> {
    for (const held of this.#running.values()) {
      held.isDraining = true
      held.run.drain(true)
    }
    const abort = (): void => {
      for (const { run } of this.#running.values()) run.abort()
    }
    await withTimeout(this.#options.clock, limitMs, undefined, () => this.settled(), abort).catch(() => {})
  }

  /** Resolves when the keys of this moment have ended and were released. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ settled }) => settled))
  }

  /** Removes all keys: the next membership starts without them. @returns Resolves when they have ended. */
  forgetAll(): Promise<void> {
    const settled = this.settled()
    for (const key of this.#running.keys()) this.#options.restarts.ended(key)
    this.#running.clear()
    return settled
  }

  async #start(key: string, holder: KeyHolder, lingering: number): Promise<void> {
    const { incarnation } = holder
    const connections: LingeringConnections = { count: lingering, stored: lingering, isStoring: false }
    const onLingering = (count: number): void => {
      connections.count = count
      void this.#updateRecord(key, holder, connections)
    }
    let run: KeyRun
    try {
      run = this.#options.startKey(key, { lingering, incarnation, onLingering })
    } catch (error) {
      await this.#failed(key, holder, lingering, { why: 'failed', error })
      return
    }
    const settled = run.ended.then((end) => this.#ended(key, run, holder, end))
    this.#running.set(key, { run, holder, settled, connections, isDraining: false })
    this.#options.restarts.started(key)
  }

  /** Stores the number of connections for the next holder. The next beat retries a failed write. */
  async #updateRecord(key: string, holder: KeyHolder, connections: LingeringConnections): Promise<void> {
    if (connections.isStoring) return
    connections.isStoring = true
    while (this.#running.get(key)?.connections === connections && connections.stored !== connections.count) {
      const { count } = connections
      if (!(await this.#options.records.updateLingering(key, holder, count))) break
      connections.stored = count
    }
    connections.isStoring = false
  }

  /** The number of connections of the last holder that the service may still count. */
  #lingeringConnections(key: string, record: KeyRecord | undefined): number {
    if (record === undefined) return 0
    return record.state === 'released' ? record.lingering : this.#lingeringAfterFailure(key, record.lingering)
  }

  /** The connections of a holder that failed or died, and the lingering ones that it had stored. */
  #lingeringAfterFailure(key: string, lingering: number): number {
    const { connectionsOf, maxConnections } = this.#options
    return Math.min(maxConnections, connectionsOf(key) + lingering)
  }

  async #isHeld(record: KeyRecord | undefined, incarnation: string): Promise<boolean> {
    if (record?.state !== 'held') return false
    const { holder } = record
    if (holder.name === this.#options.name && holder.incarnation === incarnation) return false
    return this.#options.isMember(holder.name, holder.incarnation)
  }

  async #ended(key: string, run: KeyRun, holder: KeyHolder, end: KeyRunEnd): Promise<void> {
    const held = this.#running.get(key)
    if (held?.run !== run) return
    if (end.why === 'released') {
      this.#options.restarts.ended(key)
      this.#options.onState(key, 'released')
      await this.#options.records.release(key, holder, end.lingering)
    } else {
      await this.#failed(key, holder, this.#lingeringAfterFailure(key, held.connections.count), end)
    }
    // After a loss of membership, the next membership may run the key.
    if (this.#running.get(key) === held) this.#running.delete(key)
  }

  /** Another relay may start the key at once; this relay waits first. */
  async #failed(
    key: string,
    holder: KeyHolder,
    lingering: number,
    { why, error }: Extract<KeyRunEnd, { readonly error: unknown }>,
  ): Promise<void> {
    const { onState, records, restarts } = this.#options
    onState(key, why, error)
    if (why === 'fenced') restarts.fenced(key)
    else restarts.failed(key, error)
    await records.release(key, holder, lingering)
  }
}
