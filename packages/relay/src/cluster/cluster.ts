/**
 * One relay of a cluster. This file connects the membership, the assignment of apps to members, and the
 * running apps with their records in the store. It compares them once a heartbeat, and when the members
 * change.
 *
 * Two relays may see different members for a moment. An app may then move once more, but no event is lost,
 * because the record of an app has one holder, and its stream accepts the messages of one writer.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { createReporter, type Reporter, withTimeout } from '@brokerwire/core/internal'
import type { RelayObserver } from '../observer.ts'
import { isRelayError } from '../relay-error.ts'
import { AppRecordStore } from './app-record-store.ts'
import { type AppRun, AppRuns, type AppStart } from './app-runs.ts'
import { Assignment } from './assignment.ts'
import { ClusterMembership } from './cluster-membership.ts'
import { RestartWaits } from './restart-waits.ts'

/** Options of a {@link Cluster}. */
export interface ClusterOptions {
  readonly store: Store
  readonly cluster: string
  readonly name: string
  readonly apps: readonly string[]
  /** The number of connections that a holder of the app opens. */
  readonly connectionsOf: (app: string) => number
  /** The limit of the service for the connections of an app, including lingering ones. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly random: () => number
  /** Returns a new random id for each attempt to join. */
  readonly drawIncarnation: () => string
  readonly heartbeatIntervalMs: number
  /** Starts to relay an app. */
  readonly startApp: (app: string, how: AppStart) => AppRun
  readonly observer?: RelayObserver | undefined
}

/** The shortest delay before a failed app is started again, in heartbeat intervals. */
const RESTART_HEARTBEATS = 2
/**
 * Time limit of a step of {@link Cluster.close}. In total, it takes eight seconds at most, because containers
 * are killed after ten.
 */
const CLOSE_STEP_MS = 750
/**
 * Time to drain the apps after a loss of membership, before other relays start them, in heartbeat intervals.
 */
const DRAIN_AFTER_LOSS_HEARTBEATS = 0.5
const DRAIN_MS = 4000
/** Time limit for acquiring an app, in heartbeat intervals. */
const ACQUIRE_HEARTBEATS = 2

/** One relay of a cluster. */
export class Cluster {
  readonly #options: ClusterOptions
  readonly #report: Reporter<RelayObserver, object>
  readonly #membership: ClusterMembership
  readonly #assignment: Assignment
  readonly #records: AppRecordStore
  readonly #runs: AppRuns
  readonly #restarts: RestartWaits
  readonly #acquiring = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isClosed = false
  #closing: Promise<void> | undefined
  #end: (why: unknown) => void = () => {}
  /** Resolves when the relay has ended: with the reason, or with `undefined` after {@link Cluster.close}. */
  readonly ended = new Promise<unknown>((resolve) => {
    this.#end = resolve
  })

  constructor(options: ClusterOptions) {
    this.#options = options
    const { store, name, apps, clock, heartbeatIntervalMs, observer = {} } = options
    this.#report = createReporter(observer, {})
    this.#assignment = new Assignment(name, apps)
    this.#records = new AppRecordStore({
      store,
      getStoreKey: (app) => this.#storeKey('key', app),
      clock,
      limitMs: heartbeatIntervalMs,
      onFailed: (error) => this.#storeFailed(error),
    })
    this.#membership = new ClusterMembership({
      ...options,
      storeKey: this.#storeKey('members'),
      isClosed: () => this.#isClosed,
      onMembers: () => this.#membersChanged(),
      onJoined: () => this.#tick(),
      onMembershipLost: (reason) => void this.#lost(reason),
      onStoreFailed: (error) => this.#storeFailed(error),
    })
    this.#restarts = new RestartWaits(clock, RESTART_HEARTBEATS * heartbeatIntervalMs, () => {
      if (this.isMember) this.#review()
    })
    this.#runs = new AppRuns({
      ...options,
      restarts: this.#restarts,
      records: this.#records,
      isMember: (member, incarnation) => this.#membership.includes(member, incarnation),
      canAcquire: (app, incarnation) => this.#canAcquire(app, incarnation),
      onState: (app, state, error) => this.#report('onRelayApp', { app, state, error }),
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

  /** The apps that this relay runs. */
  get heldApps(): readonly string[] {
    return this.#runs.apps
  }

  /** The apps that are assigned to this relay. */
  get assigned(): ReadonlySet<string> {
    return this.#assignment.assigned
  }

  get members(): readonly string[] {
    return [...this.#membership.view.members.keys()]
  }

  /**
   * Releases all apps and leaves the cluster, within eight seconds. If an app cannot be drained within four
   * seconds, because its sink is unavailable, the other relays take it over when they find that this relay is
   * no longer a member.
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
    // While this relay drains its apps, the other relays can compute which apps they take over.
    await this.#step(() => this.#membership.announceLeaving())
    await this.#runs.drainAll(DRAIN_MS)
    await this.#step(() => this.#runs.settled())
    // Also done if a step before failed, because a membership continues its heartbeats until `leave()`.
    await this.#step(() => this.#membership.leave())
    this.#end(undefined)
  }

  /** Runs a step of the end, with a time limit for a store that does not respond. */
  async #step(work: () => Promise<unknown>, limitMs = CLOSE_STEP_MS): Promise<void> {
    const { clock, heartbeatIntervalMs } = this.#options
    await withTimeout(clock, Math.min(heartbeatIntervalMs, limitMs), undefined, work, () => {}).catch(
      (error: unknown) => this.#storeFailed(error),
    )
  }

  /**
   * Called once in each heartbeat interval. Tries again to acquire apps, and retries failed writes of
   * records.
   */
  #tick(): void {
    if (!this.isMember) return
    this.#review()
    this.#runs.updateRecords()
    // An app that is being acquired may still start, so it is not released yet.
    this.#records.flushReleases((app) => !this.#acquiring.has(app) && !this.#runs.has(app))
    this.#later(this.#options.heartbeatIntervalMs, () => this.#tick())
  }

  #membersChanged(): void {
    const { view } = this.#membership
    this.#assignment.update(view.eligible)
    if (this.#isClosed) this.#assignment.clear()
    this.#report('onRelayMembers', { members: [...view.members.keys()] })
    this.#review()
  }

  /**
   * Releases running apps that are assigned to other relays, and acquires the apps that are assigned to this
   * relay. Apps that ran on while this relay was no member are claimed first.
   */
  #review(): void {
    const { incarnation } = this.#membership
    const isUnavailable = (app: string): boolean => this.#acquiring.has(app) || this.#restarts.isWaiting(app)
    const isClaimDue = (app: string): boolean => this.#runs.isClaimDue(app, incarnation)
    const { release, acquire } = this.#assignment.changes(this.#runs.apps, isUnavailable)
    for (const app of release) if (!isClaimDue(app)) this.#runs.drain(app)
    for (const app of this.#runs.apps)
      if (isClaimDue(app) && !this.#acquiring.has(app))
        this.#claim(app, (signal) => this.#runs.claimAgain(app, incarnation, signal))
    for (const app of acquire) this.#claim(app, (signal) => this.#runs.acquire(app, incarnation, signal))
  }

  #claim(app: string, acquire: (signal: AbortSignalLike) => Promise<void>): void {
    const { clock, heartbeatIntervalMs } = this.#options
    this.#acquiring.add(app)
    void withTimeout(clock, ACQUIRE_HEARTBEATS * heartbeatIntervalMs, undefined, acquire, () => {})
      .catch((error: unknown) => this.#storeFailed(error))
      .finally(() => this.#acquiring.delete(app))
  }

  #canAcquire(app: string, incarnation: string): boolean {
    return (
      !this.#isClosed && this.#membership.incarnation === incarnation && this.#assignment.assigned.has(app)
    )
  }

  /**
   * Membership is lost when the store fails for longer than a lease. Only the store assigns apps, but it protects
   * no event: a sink stores a message directly after this writer's last one, or rejects it because another writer
   * has written. So the received events stay in the queue of the sink until one of the two happens, and a relay
   * that was alone in its cluster reads on. If there were other members, one of them may take over, so the
   * connections are closed before it counts this relay as dead: the service limits their number for an app key.
   */
  async #lost(reason: unknown): Promise<void> {
    this.#cancelTimers()
    this.#report('onRelayMembershipLost', { error: reason })
    this.#assignment.clear()
    let end = reason
    if (!isRelayError(reason, 'RELAY_NAME_TAKEN')) {
      if (this.#membership.view.members.size > 1) this.#runs.closeConnections()
      try {
        await this.start()
        return
      } catch (error) {
        end = error
      }
    }
    await this.#runs.drainAll(this.#options.heartbeatIntervalMs * DRAIN_AFTER_LOSS_HEARTBEATS)
    const settled = this.#runs.forgetAll()
    if (!this.#isClosed) this.#endWith(end, settled)
  }

  /**
   * Ends this relay permanently. For example, two relays of one name would replace each other again and
   * again.
   */
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

  /** Sets a timer, but not after the end, because a timer would keep the process alive. */
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

  #storeFailed(error: unknown): void {
    this.#report('onRelayStoreFailed', { app: undefined, error })
  }
}
