/**
 * One relay among others. Its parts are the membership in the fleet, the assignment of keys to members, and the keys that run
 * with their records in the store; this file connects them, once a beat and when the members change.
 *
 * Two relays may see different members for a moment. That costs a handover, never an event: a key's record in the store has
 * one holder, and the stream of the key takes the messages of one writer.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { notify, withTimeout } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import { Assignment } from './assignment.ts'
import { FleetMembership } from './fleet-membership.ts'
import { KeyRecordStore } from './key-record-store.ts'
import { type KeyRun, KeyRuns, type KeyStart, type KeyState } from './key-runs.ts'
import { RestartWaits } from './restart-waits.ts'

/** Called when something happens in a fleet. Errors of these are ignored. */
export interface FleetObserver {
  onMembers?(report: { readonly members: readonly string[] }): void
  onKey?(report: { readonly key: string; readonly state: KeyState; readonly error?: unknown }): void
  /** Membership was lost: the keys are given up, and it joins again. */
  onLost?(report: { readonly error: unknown }): void
  /** The store failed; it is asked again. */
  onStoreFailed?(report: { readonly error: unknown }): void
}

/** Options of a {@link Fleet}. */
export interface FleetOptions {
  readonly store: Store
  readonly fleet: string
  readonly name: string
  readonly keys: readonly string[]
  /** Connections of its own that a holder that died may have left behind. */
  readonly connectionsOf: (key: string) => number
  /** Of a key, its own and those left behind: the service has no place for more. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly random: () => number
  /** Names each start of this relay. */
  readonly drawIncarnation: () => string
  readonly beatMs: number
  /** Begins to relay a key. */
  readonly startKey: (key: string, how: KeyStart) => KeyRun
  readonly observer?: FleetObserver | undefined
}

/** The shortest wait after a key failed. */
const RESTART_BEATS = 2
/** All that {@link Fleet.close} does ends within eight seconds: containers are killed after ten. */
const CLOSE_STEP_MS = 750
/** When membership is lost, there is this much time before others begin. */
const LEAVE_BEATS = 0.5
const DRAIN_MS = 4000
/** For taking a key. */
const TAKE_BEATS = 2

/** One relay of a fleet. */
export class Fleet {
  readonly #options: FleetOptions
  readonly #membership: FleetMembership
  readonly #assignment: Assignment
  readonly #records: KeyRecordStore
  readonly #runs: KeyRuns
  readonly #restarts: RestartWaits
  readonly #taking = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isClosed = false
  #closing: Promise<void> | undefined
  #end: (why: unknown) => void = () => {}
  /** Resolves when it has ended; with the reason, if it was not closed. */
  readonly ended = new Promise<unknown>((resolve) => {
    this.#end = resolve
  })

  constructor(options: FleetOptions) {
    this.#options = options
    const { store, name, keys, clock, beatMs } = options
    this.#assignment = new Assignment(name, keys)
    this.#records = new KeyRecordStore({
      store,
      getStoreKey: (key) => this.#storeKey('key', key),
      clock,
      limitMs: beatMs,
      onFailed: (error) => this.#storeFailed(error),
    })
    this.#membership = new FleetMembership({
      ...options,
      key: this.#storeKey('members'),
      isClosed: () => this.#isClosed,
      onMembers: () => this.#membersChanged(),
      onJoined: () => this.#tick(),
      onLost: (reason) => void this.#lost(reason),
      onStoreFailed: (error) => this.#storeFailed(error),
    })
    this.#restarts = new RestartWaits(clock, RESTART_BEATS * beatMs, () => {
      if (this.isMember) this.#review()
    })
    this.#runs = new KeyRuns({
      ...options,
      restarts: this.#restarts,
      records: this.#records,
      isMember: (member, incarnation) => this.#membership.includes(member, incarnation),
      canTake: (key, incarnation) => this.#mayTake(key, incarnation),
      onState: (key, state, error) => this.#report(key, state, error),
    })
  }

  /**
   * Joins; resolves when this relay is a member. If the store is away, it is asked again until {@link close}.
   *
   * @throws The error of a store that can never be used as it is.
   */
  start(): Promise<void> {
    return this.#membership.join()
  }

  /** Whether this relay belongs to its fleet, as far as it knows: between a loss and the next join it does not. */
  get isMember(): boolean {
    return this.#membership.isMember && !this.#isClosed
  }

  /** Keys that this relay has now. */
  get heldKeys(): readonly string[] {
    return this.#runs.keys
  }

  /** Keys that are to be this relay's. */
  get assigned(): ReadonlySet<string> {
    return this.#assignment.assigned
  }

  get members(): readonly string[] {
    return [...this.#membership.view.members.keys()]
  }

  /**
   * Gives all keys back, and leaves, within eight seconds. If a key cannot be drained within four seconds, because its sink is away,
   * the others find that its holder is gone.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimers()
    this.#restarts.close()
    this.#assignment.clear()
    this.#membership.stopJoining()
    await this.#step(() => this.#membership.joined())
    // The others can look for their keys while this one ends.
    await this.#step(() => this.#membership.announceLeaving())
    await this.#runs.drainAll(DRAIN_MS)
    await this.#step(() => this.#runs.settled())
    // In any case: a membership that is not left goes on beating.
    await this.#step(() => this.#membership.leave())
    this.#end(undefined)
  }

  /** A store that never answers is not waited for. */
  async #step(work: () => Promise<unknown>, limitMs = CLOSE_STEP_MS): Promise<void> {
    const { clock, beatMs } = this.#options
    await withTimeout(clock, Math.min(beatMs, limitMs), undefined, work, () => {}).catch((error: unknown) =>
      this.#storeFailed(error),
    )
  }

  /** Looks again at keys whose holder has not given them back, and writes the records that the store did not take, once a beat. */
  #tick(): void {
    if (!this.isMember) return
    this.#review()
    this.#runs.updateRecords()
    // A taking may be answered yet, and the key run.
    this.#records.flushReleases((key) => !this.#taking.has(key))
    this.#later(this.#options.beatMs, () => this.#tick())
  }

  #membersChanged(): void {
    const { view } = this.#membership
    this.#assignment.update(view.eligible)
    if (this.#isClosed) this.#assignment.clear()
    notify(() => this.#options.observer?.onMembers?.({ members: [...view.members.keys()] }))
    this.#review()
  }

  /** Hands over the keys that are another relay's, and takes this one's. */
  #review(): void {
    const isUnavailable = (key: string): boolean => this.#taking.has(key) || this.#restarts.isWaiting(key)
    const { release, acquire } = this.#assignment.changes(this.#runs.keys, isUnavailable)
    for (const key of release) this.#runs.drain(key)
    for (const key of acquire) this.#take(key)
  }

  #take(key: string): void {
    const { clock, beatMs } = this.#options
    const { incarnation } = this.#membership
    this.#taking.add(key)
    const take = (signal: AbortSignalLike): Promise<void> => this.#runs.take(key, incarnation, signal)
    void withTimeout(clock, TAKE_BEATS * beatMs, undefined, take, () => {})
      .catch((error: unknown) => this.#storeFailed(error))
      .finally(() => this.#taking.delete(key))
  }

  #mayTake(key: string, incarnation: string): boolean {
    return (
      !this.#isClosed && this.#membership.incarnation === incarnation && this.#assignment.assigned.has(key)
    )
  }

  async #lost(reason: unknown): Promise<void> {
    this.#cancelTimers()
    notify(() => this.#options.observer?.onLost?.({ error: reason }))
    this.#assignment.clear()
    await this.#runs.drainAll(this.#options.beatMs * LEAVE_BEATS)
    const settled = this.#runs.forgetAll()
    if (this.#isClosed) return
    if (!isRelayError(reason, 'RELAY_NAME_TAKEN')) {
      await this.start().catch((error: unknown) => this.#endWith(error, settled))
      return
    }
    this.#endWith(reason, settled)
  }

  /** Two of one name would take the membership from each other without end. */
  #endWith(reason: unknown, settled: Promise<void>): void {
    this.#isClosed = true
    this.#cancelTimers()
    this.#restarts.close()
    this.#closing = this.#step(() => settled, DRAIN_MS)
    this.#end(reason)
  }

  #storeKey(...names: readonly string[]): string {
    return ['relay', this.#options.fleet, ...names].map(encodeURIComponent).join('/')
  }

  /** Sets no timer after the end: it would keep the process alive. */
  #later(delayMs: number, work: () => void): void {
    if (this.#isClosed) return
    const cancel = this.#options.clock.setTimer(() => {
      this.#timers.delete(cancel)
      work()
    }, delayMs)
    this.#timers.add(cancel)
  }

  #cancelTimers(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }

  #report(key: string, state: KeyState, error: unknown): void {
    notify(() => this.#options.observer?.onKey?.({ key, state, error }))
  }

  #storeFailed(error: unknown): void {
    notify(() => this.#options.observer?.onStoreFailed?.({ error }))
  }
}
