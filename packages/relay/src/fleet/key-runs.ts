/**
 * The keys that this relay has: each is taken when its last holder has given it back or is dead, runs, and is given back. The
 * record of a key in the store is right for as long as the key runs.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import type { KeyHolder, KeyRecord } from './key-record.ts'
import type { KeyRecordStore } from './key-record-store.ts'
import type { RestartWaits } from './restart-waits.ts'

/** How a key's run ended. */
export type KeyRunEnd =
  | { readonly why: 'released'; readonly lingering: number }
  | { readonly why: 'fenced' | 'failed'; readonly error: unknown }

/** A key that runs. */
export interface KeyRun {
  readonly ended: Promise<KeyRunEnd>
  /** Gives it up: with as little lost as possible, or `now`. */
  drain(now: boolean): void
  /** Ends it: nothing more is read, and nothing more is written. */
  abort(): void
}

/** The conditions under which a key begins. */
export interface KeyStart {
  /** Connections that its earlier holders may have left open. */
  readonly lingering: number
  readonly incarnation: string
  /** To be called when their number changes: a successor has to know it if this relay dies. */
  readonly onLingering: (count: number) => void
}

export type KeyState = 'taken' | 'handing-over' | 'released' | 'fenced' | 'failed'

export interface KeyRunsOptions {
  readonly name: string
  /** Connections that a holder that died may have left open. */
  readonly connectionsOf: (key: string) => number
  /** The most connections that the service counts for a key. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly records: KeyRecordStore
  readonly startKey: (key: string, how: KeyStart) => KeyRun
  /** Whether a relay belongs to the fleet. */
  readonly isMember: (name: string, incarnation: string) => Promise<boolean>
  /** Whether a key is still this relay's, in this incarnation. */
  readonly canTake: (key: string, incarnation: string) => boolean
  readonly onState: (key: string, state: KeyState, error?: unknown) => void
  readonly restarts: RestartWaits
}

interface RunningKey {
  readonly run: KeyRun
  /** The holder in the record. */
  readonly holder: KeyHolder
  /** Resolves when the run has ended and the key was given back. */
  readonly settled: Promise<void>
  readonly connections: LingeringConnections
  isDraining: boolean
}

/** Connections that have ended and that the service may still count: their number, and the number in the store. */
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

  /** Takes a key and starts it, unless another relay has it. */
  async take(key: string, incarnation: string, signal: AbortSignalLike): Promise<void> {
    const { name, records, canTake, onState } = this.#options
    const { text, record } = await records.read(key)
    if ((await this.#isHeld(record, incarnation)) || signal.aborted || !canTake(key, incarnation)) return
    const lingering = this.#lingeringConnections(key, record)
    this.#takings += 1
    const holder: KeyHolder = { name, incarnation, taking: this.#takings }
    if (!(await records.claim(key, text, holder, lingering))) return
    // The assignment may have changed since then. The record names this relay until it is given back.
    if (signal.aborted || !canTake(key, incarnation)) {
      await records.release(key, holder, lingering)
      return
    }
    records.confirmClaim(key)
    onState(key, 'taken')
    await this.#start(key, holder, lingering)
  }

  /** Hands a key over to another relay, once. */
  drain(key: string): void {
    const held = this.#running.get(key)
    if (held === undefined || held.isDraining) return
    held.isDraining = true
    this.#options.onState(key, 'handing-over')
    held.run.drain(false)
  }

  /** Writes the records that the store did not take before. */
  updateRecords(): void {
    for (const [key, { holder, connections }] of this.#running)
      void this.#updateRecord(key, holder, connections)
  }

  /** Gives all keys up. Those that cannot be drained in this time, because their sink is away, end at once. */
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

  /** Resolves when the keys of this moment have ended and were given back. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ settled }) => settled))
  }

  /** Forgets all keys: the next membership begins without them. @returns Resolves when they have ended. */
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

  /** Stores the number of connections for a successor. If the store fails, the next beat tries it again. */
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

  /** Connections that the last holder may have left open. */
  #lingeringConnections(key: string, record: KeyRecord | undefined): number {
    if (record === undefined) return 0
    return record.state === 'released' ? record.lingering : this.#lingeringAfterFailure(key, record.lingering)
  }

  /** Those of a holder whose connections broke, with those that it had found. */
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
    // If membership was lost meanwhile, the key may run for the next one.
    if (this.#running.get(key) === held) this.#running.delete(key)
  }

  /** The next holder tries it at once, this relay only after a wait. */
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
