/**
 * One relay of a cluster. This file connects the membership, the assignment of keys to members, and the running keys with their
 * records in the store: once a beat, and when the members change.
 *
 * Two relays may see different members for a moment. That may move a key once more, but loses no event: the record of a key has
 * one holder, and its stream accepts the messages of one writer.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { notify, withTimeout } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import { Assignment } from './assignment.ts'
import { ClusterMembership } from './cluster-membership.ts'
import { KeyRecordStore } from './key-record-store.ts'
import { type KeyRun, KeyRuns, type KeyStart, type KeyState } from './key-runs.ts'
import { RestartWaits } from './restart-waits.ts'

/** Callbacks for events of a cluster. Their errors are ignored. */
export interface ClusterObserver {
  /** The members of the cluster have changed. */
  onMembers?(report: { readonly members: readonly string[] }): void
  /** The state of a key of this relay has changed. With `fenced` and `failed`: the reason in `error`. */
  onKey?(report: { readonly key: string; readonly state: KeyState; readonly error?: unknown }): void
  /** The membership was lost. The relay stops its keys and joins again. */
  onLost?(report: { readonly error: unknown }): void
  /** The store failed. The request is retried. */
  onStoreFailed?(report: { readonly error: unknown }): void
}

/** Options of a {@link Cluster}. */
export interface ClusterOptions {
  readonly store: Store
  readonly cluster: string
  readonly name: string
  readonly keys: readonly string[]
  /** The number of connections that a holder of the key opens. */
  readonly connectionsOf: (key: string) => number
  /** The limit of the service for the connections of a key, including lingering ones. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly random: () => number
  /** Returns a new random id for each attempt to join. */
  readonly drawIncarnation: () => string
  readonly beatMs: number
  /** Starts to relay a key. */
  readonly startKey: (key: string, how: KeyStart) => KeyRun
  readonly observer?: ClusterObserver | undefined
}

/** The shortest delay before a failed key is started again. */
const RESTART_BEATS = 2
/** {@link Cluster.close} takes eight seconds at most: containers are killed after ten. */
const CLOSE_STEP_MS = 750
/** Time to drain the keys after a loss of membership, before other relays start them. */
const LEAVE_BEATS = 0.5
const DRAIN_MS = 4000
/** Time limit for acquiring a key. */
const TAKE_BEATS = 2

/** One relay of a cluster. */
export class Cluster {
  readonly #options: ClusterOptions
  readonly #membership: ClusterMembership
  readonly #assignment: Assignment
  readonly #records: KeyRecordStore
  readonly #runs: KeyRuns
  readonly #restarts: RestartWaits
  readonly #taking = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isClosed = false
  #closing: Promise<void> | undefined
  #end: (why: unknown) => void = () => {}
  /** Resolves when the relay has ended. With the reason, unless it was closed. */
  readonly ended = new Promise<unknown>((resolve) => {
    this.#end = resolve
  })

  constructor(options: ClusterOptions) {
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
    this.#membership = new ClusterMembership({
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
   * Joins the cluster. Resolves when this relay is a member. Failures of the store are retried until {@link close}.
   *
   * @throws The error of a store that can never be used.
   */
  start(): Promise<void> {
    return this.#membership.join()
  }

  /** Whether this relay belongs to its cluster, as far as it knows. `false` between a loss and the next join. */
  get isMember(): boolean {
    return this.#membership.isMember && !this.#isClosed
  }

  /** The keys that this relay runs. */
  get heldKeys(): readonly string[] {
    return this.#runs.keys
  }

  /** The keys that are assigned to this relay. */
  get assigned(): ReadonlySet<string> {
    return this.#assignment.assigned
  }

  get members(): readonly string[] {
    return [...this.#membership.view.members.keys()]
  }

  /**
   * Releases all keys and leaves the cluster, within eight seconds. If a key cannot be drained within four seconds, because its sink
   * is unavailable, the other relays take it over when they find that its holder is not a member.
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
    // The other relays can compute their keys meanwhile.
    await this.#step(() => this.#membership.announceLeaving())
    await this.#runs.drainAll(DRAIN_MS)
    await this.#step(() => this.#runs.settled())
    // In any case: a membership that is not left continues its beats.
    await this.#step(() => this.#membership.leave())
    this.#end(undefined)
  }

  /** Limits the wait for a store that does not respond. */
  async #step(work: () => Promise<unknown>, limitMs = CLOSE_STEP_MS): Promise<void> {
    const { clock, beatMs } = this.#options
    await withTimeout(clock, Math.min(beatMs, limitMs), undefined, work, () => {}).catch((error: unknown) =>
      this.#storeFailed(error),
    )
  }

  /** Once a beat: tries again to acquire keys, and retries failed writes of records. */
  #tick(): void {
    if (!this.isMember) return
    this.#review()
    this.#runs.updateRecords()
    // A key that is being acquired may still start.
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

  /** Releases the keys of other relays, and acquires those of this relay. */
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

  /** Ends this relay: two relays of one name would replace each other again and again. */
  #endWith(reason: unknown, settled: Promise<void>): void {
    this.#isClosed = true
    this.#cancelTimers()
    this.#restarts.close()
    this.#closing = this.#step(() => settled, DRAIN_MS)
    this.#end(reason)
  }

  #storeKey(...names: readonly string[]): string {
    return ['relay', this.#options.cluster, ...names].map(encodeURIComponent).join('/')
  }

  /** Sets no timer after the end, because it would keep the process alive. */
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
