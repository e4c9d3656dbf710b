/**
 * The keys that this relay has: each is taken when its last holder has given it back or is dead, runs, and is given back. The
 * record of a key in the store is right for as long as the key runs.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import type { KeyHolder, KeyRecord } from './key-record.ts'
import type { RecordKeeper } from './record-keeper.ts'
import type { RestartWaits } from './restart-waits.ts'

/** How a key's run ended. */
export type KeyRunEnd =
  | { readonly why: 'released'; readonly lingering: number }
  | { readonly why: 'fenced' | 'failed'; readonly error: unknown }

/** A key that runs. */
export interface KeyRun {
  readonly ended: Promise<KeyRunEnd>
  /** Gives it up: with as little lost as possible, or `now`. */
  handOver(now: boolean): void
  /** Ends it: nothing more is read, and nothing more is written. */
  abandon(): void
}

/** The conditions under which a key begins. */
export interface KeyStart {
  /** Connections that its earlier holders may have left open. */
  readonly lingering: number
  readonly incarnation: string
  /** To be called when their number changes: a successor has to know it if this relay dies. */
  readonly onLingering: (places: number) => void
}

export type KeyState = 'taken' | 'handing-over' | 'released' | 'fenced' | 'failed'

export interface KeyRunsOptions {
  readonly name: string
  /** Connections that a holder that died may have left open. */
  readonly connectionsOf: (key: string) => number
  /** The most connections that the service counts for a key. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly records: RecordKeeper
  readonly startKey: (key: string, how: KeyStart) => KeyRun
  /** Whether a relay belongs to the fleet. */
  readonly isMember: (name: string, incarnation: string) => Promise<boolean>
  /** Whether a key is still this relay's, in this incarnation. */
  readonly mayTake: (key: string, incarnation: string) => boolean
  readonly onState: (key: string, state: KeyState, error?: unknown) => void
  readonly restarts: RestartWaits
}

interface Held {
  readonly run: KeyRun
  /** The holder in the record. */
  readonly holder: KeyHolder
  /** Resolves when the run has ended and the key was given back. */
  readonly settled: Promise<void>
  readonly left: LeftBehind
  isLeaving: boolean
}

/** Connections that have ended and that the service may still count: their number, and the number in the store. */
interface LeftBehind {
  places: number
  stored: number
  isStoring: boolean
}

export class KeyRuns {
  readonly #options: KeyRunsOptions
  readonly #held = new Map<string, Held>()
  #takings = 0

  constructor(options: KeyRunsOptions) {
    this.#options = options
  }

  get keys(): readonly string[] {
    return [...this.#held.keys()]
  }

  has(key: string): boolean {
    return this.#held.has(key)
  }

  /** Takes a key and starts it, unless another relay has it. */
  async take(key: string, incarnation: string, signal: AbortSignalLike): Promise<void> {
    const { name, records, mayTake, onState } = this.#options
    const { text, record } = await records.read(key)
    if ((await this.#isHeld(record, incarnation)) || signal.aborted || !mayTake(key, incarnation)) return
    const lingering = this.#lingeringOf(key, record)
    this.#takings += 1
    const holder: KeyHolder = { name, incarnation, taking: this.#takings }
    if (!(await records.claim(key, text, holder, lingering))) return
    // The assignment may have changed since then. The record names this relay until it is given back.
    if (signal.aborted || !mayTake(key, incarnation)) {
      await records.giveBack(key, holder, lingering)
      return
    }
    records.settle(key)
    onState(key, 'taken')
    await this.#start(key, holder, lingering)
  }

  /** Hands a key over to another relay, once. */
  handOver(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined || held.isLeaving) return
    held.isLeaving = true
    this.#options.onState(key, 'handing-over')
    held.run.handOver(false)
  }

  /** Writes the records that the store did not take before. */
  updateRecords(): void {
    for (const [key, { holder, left }] of this.#held) void this.#updateRecord(key, holder, left)
  }

  /** Gives all keys up. Those that cannot be drained in this time, because their sink is away, end at once. */
  async leaveAll(limitMs: number): Promise<void> {
    for (const held of this.#held.values()) {
      held.isLeaving = true
      held.run.handOver(true)
    }
    const abandon = (): void => {
      for (const { run } of this.#held.values()) run.abandon()
    }
    await withTimeout(this.#options.clock, limitMs, undefined, () => this.settled(), abandon).catch(() => {})
  }

  /** Resolves when the keys of this moment have ended and were given back. */
  async settled(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ settled }) => settled))
  }

  /** Forgets all keys: the next membership begins without them. @returns Resolves when they have ended. */
  forgetAll(): Promise<void> {
    const settled = this.settled()
    for (const key of this.#held.keys()) this.#options.restarts.ended(key)
    this.#held.clear()
    return settled
  }

  async #start(key: string, holder: KeyHolder, lingering: number): Promise<void> {
    const { incarnation } = holder
    const left: LeftBehind = { places: lingering, stored: lingering, isStoring: false }
    const onLingering = (places: number): void => {
      left.places = places
      void this.#updateRecord(key, holder, left)
    }
    let run: KeyRun
    try {
      run = this.#options.startKey(key, { lingering, incarnation, onLingering })
    } catch (error) {
      await this.#failed(key, holder, lingering, { why: 'failed', error })
      return
    }
    const settled = run.ended.then((end) => this.#ended(key, run, holder, end))
    this.#held.set(key, { run, holder, settled, left, isLeaving: false })
    this.#options.restarts.started(key)
  }

  /** Stores the number of connections for a successor. If the store fails, the next beat tries it again. */
  async #updateRecord(key: string, holder: KeyHolder, left: LeftBehind): Promise<void> {
    if (left.isStoring) return
    left.isStoring = true
    while (this.#held.get(key)?.left === left && left.stored !== left.places) {
      const { places } = left
      if (!(await this.#options.records.keep(key, holder, places))) break
      left.stored = places
    }
    left.isStoring = false
  }

  /** Connections that the last holder may have left open. */
  #lingeringOf(key: string, record: KeyRecord | undefined): number {
    if (record === undefined) return 0
    return record.state === 'released' ? record.lingering : this.#abandoned(key, record.lingering)
  }

  /** Those of a holder whose connections broke, with those that it had found. */
  #abandoned(key: string, lingering: number): number {
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
    const held = this.#held.get(key)
    if (held?.run !== run) return
    if (end.why === 'released') {
      this.#options.restarts.ended(key)
      this.#options.onState(key, 'released')
      await this.#options.records.giveBack(key, holder, end.lingering)
    } else {
      await this.#failed(key, holder, this.#abandoned(key, held.left.places), end)
    }
    // If membership was lost meanwhile, the key may run for the next one.
    if (this.#held.get(key) === held) this.#held.delete(key)
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
    await records.giveBack(key, holder, lingering)
  }
}
