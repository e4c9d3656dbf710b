/**
 * The running apps of this relay. An app is acquired when its last holder has released it or is dead. It is
 * released when its run ends. While it runs, its record in the store names this relay.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import type { RelayAppState } from '../observer.ts'
import type { AppHolder, AppRecord } from './app-record.ts'
import type { AppRecordStore } from './app-record-store.ts'
import type { RestartWaits } from './restart-waits.ts'

/** The end of an app's run. */
export type AppRunEnd =
  | { readonly why: 'released'; readonly lingering: number }
  | { readonly why: 'fenced' | 'failed'; readonly error: unknown }

/** A running app. */
export interface AppRun {
  readonly ended: Promise<AppRunEnd>
  /** Ends the run with as few gaps as possible; if `now` is true, as soon as possible. */
  drain(now: boolean): void
  /** Ends the run at once. Nothing more is read or written. */
  abort(): void
}

/** Parameters of an app's run. */
export interface AppStart {
  /** The number of connections of earlier holders that the service may still count. */
  readonly lingering: number
  readonly incarnation: string
  /**
   * The run calls this when the number of lingering connections changes. If this relay dies, the next holder
   * needs the number.
   */
  readonly onLingering: (count: number) => void
}

export interface AppRunsOptions {
  readonly name: string
  /** The number of connections that a holder of the app opens. */
  readonly connectionsOf: (app: string) => number
  /** The limit of the service for the connections of an app. */
  readonly maxConnections: number
  readonly clock: Clock
  readonly records: AppRecordStore
  readonly startApp: (app: string, how: AppStart) => AppRun
  /** Whether a relay belongs to the cluster. */
  readonly isMember: (name: string, incarnation: string) => Promise<boolean>
  /** Whether an app is still assigned to this incarnation of the relay. */
  readonly canAcquire: (app: string, incarnation: string) => boolean
  readonly onState: (app: string, state: RelayAppState, error?: unknown) => void
  readonly restarts: RestartWaits
}

interface RunningApp {
  readonly run: AppRun
  /** This relay, as its record in the store names it. Replaced when the relay has joined its cluster again. */
  holder: AppHolder
  /** Resolves when the run has ended and the app was released. */
  readonly settled: Promise<void>
  readonly connections: LingeringConnections
  isDraining: boolean
  hasEnded: boolean
}

/**
 * The number of connections that have ended and that the service may still count, and the number that is in
 * the store.
 */
interface LingeringConnections {
  count: number
  stored: number
  isStoring: boolean
}

export class AppRuns {
  readonly #options: AppRunsOptions
  readonly #running = new Map<string, RunningApp>()
  #acquisitions = 0

  constructor(options: AppRunsOptions) {
    this.#options = options
  }

  get apps(): readonly string[] {
    return [...this.#running.keys()]
  }

  has(app: string): boolean {
    return this.#running.has(app)
  }

  /** Acquires an app and starts it, unless another relay holds it. */
  async acquire(app: string, incarnation: string, signal: AbortSignalLike): Promise<void> {
    const { name, records, canAcquire, onState } = this.#options
    const { text, record } = await records.read(app)
    if ((await this.#isHeld(record, incarnation)) || signal.aborted || !canAcquire(app, incarnation)) return
    const lingering = this.#lingeringConnections(app, record)
    this.#acquisitions += 1
    const holder: AppHolder = { name, incarnation, acquisition: this.#acquisitions }
    if (!(await records.claim(app, text, holder, lingering))) return
    // The assignment may have changed since then. If so, release the app, because its record names this relay
    // until then.
    if (signal.aborted || !canAcquire(app, incarnation)) {
      await records.release(app, holder, lingering)
      return
    }
    records.confirmClaim(app)
    onState(app, 'acquired')
    await this.#start(app, holder, lingering)
  }

  /** Whether an app runs whose record may still name an earlier incarnation of this relay. */
  isClaimDue(app: string, incarnation: string): boolean {
    const held = this.#running.get(app)
    return held !== undefined && !held.hasEnded && held.holder.incarnation !== incarnation
  }

  /**
   * Claims a running app for the next incarnation of this relay, so that no other relay acquires it. If another
   * relay has claimed the app, the run is drained: its sink stores the events until that relay writes.
   */
  async claimAgain(app: string, incarnation: string, signal: AbortSignalLike): Promise<void> {
    const { name, records } = this.#options
    const { text, record } = await records.read(app)
    const held = this.#running.get(app)
    if (held === undefined || held.hasEnded || signal.aborted) return
    this.#acquisitions += 1
    const holder: AppHolder = { name, incarnation, acquisition: this.#acquisitions }
    if (record !== undefined && record.holder.name !== name) {
      held.holder = holder
      this.drain(app)
      return
    }
    // If the run ends during the claim, its release covers the claim.
    const { holder: before, connections } = held
    held.holder = holder
    const lingering = connections.count
    const isClaimed = await records.claim(app, text, holder, lingering).catch(() => false)
    if (held.hasEnded) return
    if (!isClaimed) {
      held.holder = before
      return
    }
    connections.stored = lingering
    records.confirmClaim(app)
  }

  /** Starts to drain an app for another relay, unless it is already draining. */
  drain(app: string): void {
    const held = this.#running.get(app)
    if (held === undefined || held.isDraining) return
    held.isDraining = true
    this.#options.onState(app, 'draining')
    held.run.drain(false)
  }

  /** Retries the failed writes of records. */
  updateRecords(): void {
    for (const [app, { connections }] of this.#running) void this.#updateRecord(app, connections)
  }

  /** Closes the connections of all apps. The received events are stored as soon as the sinks accept them. */
  closeConnections(): void {
    for (const [app, held] of this.#running) {
      if (!held.isDraining) this.#options.onState(app, 'draining')
      held.isDraining = true
      held.run.drain(true)
    }
  }

  /**
   * Drains all apps. An app that needs longer than the limit, because its sink is unavailable, is aborted.
   */
  async drainAll(limitMs: number): Promise<void> {
    this.closeConnections()
    const abort = (): void => {
      for (const { run } of this.#running.values()) run.abort()
    }
    await withTimeout(this.#options.clock, limitMs, undefined, () => this.settled(), abort).catch(() => {})
  }

  /** Resolves when the apps that run now have ended and were released. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ settled }) => settled))
  }

  /**
   * Removes all apps, because the next membership starts without them.
   *
   * @returns Resolves when they have ended.
   */
  forgetAll(): Promise<void> {
    const settled = this.settled()
    for (const app of this.#running.keys()) this.#options.restarts.ended(app)
    this.#running.clear()
    return settled
  }

  async #start(app: string, holder: AppHolder, lingering: number): Promise<void> {
    const { incarnation } = holder
    const connections: LingeringConnections = { count: lingering, stored: lingering, isStoring: false }
    const onLingering = (count: number): void => {
      connections.count = count
      void this.#updateRecord(app, connections)
    }
    let run: AppRun
    try {
      run = this.#options.startApp(app, { lingering, incarnation, onLingering })
    } catch (error) {
      await this.#failed(app, holder, lingering, { why: 'failed', error })
      return
    }
    const settled = run.ended.then((end) => this.#ended(app, run, end))
    this.#running.set(app, { run, holder, settled, connections, isDraining: false, hasEnded: false })
    this.#options.restarts.started(app)
  }

  /** Stores the number of connections for the next holder. The next heartbeat retries a failed write. */
  async #updateRecord(app: string, connections: LingeringConnections): Promise<void> {
    if (connections.isStoring) return
    connections.isStoring = true
    while (connections.stored !== connections.count) {
      const held = this.#running.get(app)
      if (held?.connections !== connections) break
      const { count } = connections
      if (!(await this.#options.records.updateLingering(app, held.holder, count))) break
      connections.stored = count
    }
    connections.isStoring = false
  }

  /** Returns the number of connections of the last holder that the service may still count. */
  #lingeringConnections(app: string, record: AppRecord | undefined): number {
    if (record === undefined) return 0
    return record.state === 'released' ? record.lingering : this.#lingeringAfterFailure(app, record.lingering)
  }

  /**
   * Returns the number of connections that the service may still count after a holder failed or died. These
   * are the ones that it opened, and the lingering ones that it had stored.
   */
  #lingeringAfterFailure(app: string, lingering: number): number {
    const { connectionsOf, maxConnections } = this.#options
    return Math.min(maxConnections, connectionsOf(app) + lingering)
  }

  async #isHeld(record: AppRecord | undefined, incarnation: string): Promise<boolean> {
    if (record?.state !== 'held') return false
    const { holder } = record
    if (holder.name === this.#options.name && holder.incarnation === incarnation) return false
    return this.#options.isMember(holder.name, holder.incarnation)
  }

  async #ended(app: string, run: AppRun, end: AppRunEnd): Promise<void> {
    const held = this.#running.get(app)
    if (held?.run !== run) return
    held.hasEnded = true
    const { holder } = held
    if (end.why === 'released') {
      this.#options.restarts.ended(app)
      this.#options.onState(app, 'released')
      await this.#options.records.release(app, holder, end.lingering)
    } else {
      await this.#failed(app, holder, this.#lingeringAfterFailure(app, held.connections.count), end)
    }
    // After `forgetAll()`, the app is no longer this run's.
    if (this.#running.get(app) === held) this.#running.delete(app)
  }

  /**
   * Releases a failed app. Another relay may start it at once. This relay waits before it starts the app
   * again.
   */
  async #failed(
    app: string,
    holder: AppHolder,
    lingering: number,
    { why, error }: Extract<AppRunEnd, { readonly error: unknown }>,
  ): Promise<void> {
    const { onState, records, restarts } = this.#options
    onState(app, why, error)
    if (why === 'fenced') restarts.fenced(app)
    else restarts.failed(app, error)
    await records.release(app, holder, lingering)
  }
}
