/**
 * One relay among others: it has the keys that are its own by the members of this moment, takes each as soon as its last
 * holder has given it back or is dead, and gives back those that are another's.
 *
 * Two relays may see different members for a moment. That costs a handover, never an event: a key's record in the store has
 * one holder, and the stream of the key takes the messages of one writer.
 */
import { type AbortSignalLike, type Clock, isBrokerwireError, type Store } from '@brokerwire/core'
import { notify, onAbort, withinLimit } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import type { KeyHolder, KeyRecord } from './key-record.ts'
import { type FleetView, Membership, NOBODY } from './membership.ts'
import { RecordKeeper } from './record-keeper.ts'
import { Shares } from './rendezvous.ts'

/** How a key's run ended. */
export type KeyRunEnd =
  | { readonly why: 'released'; readonly lingering: number }
  | { readonly why: 'fenced' | 'failed'; readonly error: unknown }

/** A key that runs. */
export interface KeyRun {
  readonly ended: Promise<KeyRunEnd>
  /** To give it up: with as little lost as can be, or `now`. */
  handOver(now: boolean): void
  /** Ends it: nothing more is read, and nothing more is written. */
  abandon(): void
}

/** What a key begins with. */
export interface KeyStart {
  /** Places that its earlier holders may have left behind. */
  readonly lingering: number
  readonly incarnation: string
  /** To be told when there are more or fewer of them: a successor has to know when this relay dies. */
  readonly onLingering: (places: number) => void
}

/** Told what happens in a fleet. What these throw is dropped. */
export interface FleetObserver {
  onMembers?(report: { readonly members: readonly string[] }): void
  onKey?(report: {
    readonly key: string
    readonly state: 'taken' | 'handing-over' | 'released' | 'fenced' | 'failed'
    readonly error?: unknown
  }): void
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

interface Held {
  readonly run: KeyRun
  /** As the record says. */
  readonly holder: KeyHolder
  /** With what follows the end of the run. */
  readonly settled: Promise<void>
  readonly left: LeftBehind
  isLeaving: boolean
}

/** Places that are taken by nobody who is there, as they are and as the store has them. */
interface LeftBehind {
  places: number
  stored: number
  isStoring: boolean
}

/** After a key failed. */
const RETRY_BEATS = 2
/** When membership is lost, there is this much time before others begin. */
const LEAVE_BEATS = 0.5
const DRAIN_MS = 10_000
/** For joining, and for taking a key. */
const JOIN_BEATS = 2

/** One relay of a fleet. */
export class Fleet {
  readonly #options: FleetOptions
  #membership: Membership | undefined
  #incarnation = ''
  #view: FleetView = NOBODY
  readonly #shares: Shares
  readonly #records: RecordKeeper
  /** Of the shares, as long as this relay belongs to its fleet. */
  #own: ReadonlySet<string> = new Set()
  readonly #held = new Map<string, Held>()
  readonly #taking = new Set<string>()
  #takings = 0
  /** Keys that failed a moment ago. */
  readonly #resting = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isClosed = false
  #closing: Promise<void> | undefined
  #hasJoined = false
  #joining: Promise<void> | undefined
  #end: (why: unknown) => void = () => {}
  /** Resolves when it has ended: with why, where nobody asked for it. */
  readonly ended = new Promise<unknown>((resolve) => {
    this.#end = resolve
  })

  constructor(options: FleetOptions) {
    this.#options = options
    const { store, clock, beatMs } = options
    this.#shares = new Shares(options.name, options.keys)
    this.#records = new RecordKeeper({
      store,
      pathOf: (key) => this.#keyOf('key', key),
      clock,
      limitMs: beatMs,
      onFailed: (error) => this.#storeFailed(error),
    })
  }

  /**
   * Joins; resolves when this relay is a member. Where the store is away, it is asked again until {@link close}.
   *
   * @throws What the store throws, where it can never be used as it is.
   */
  start(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined
    })
    return this.#joining
  }

  /** Whether this relay belongs to its fleet, as far as it knows: between a loss and the next join it does not. */
  get isMember(): boolean {
    return this.#membership !== undefined && !this.#isClosed
  }

  /** Keys that this relay has now. */
  get held(): readonly string[] {
    return [...this.#held.keys()]
  }

  /** Keys that are to be this relay's. */
  get own(): ReadonlySet<string> {
    return this.#own
  }

  get members(): readonly string[] {
    return [...this.#view.members.keys()]
  }

  /**
   * Gives all keys back, and leaves. Of a key that cannot be drained within ten seconds, because its sink is away, the others
   * find that its holder is gone.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimers()
    this.#own = new Set()
    await this.#withinBeat(async () => await this.#joining)
    // The others can look for what is theirs while this one ends.
    await this.#withinBeat(async () => await this.#membership?.announceLeaving())
    await this.#leaveAll(DRAIN_MS)
    await this.#withinBeat(() => this.#settled())
    // Whatever became of that: a membership that is not left goes on beating.
    await this.#withinBeat(async () => await this.#membership?.leave())
    this.#end(undefined)
  }

  /** A store that never answers keeps nobody waiting. */
  async #withinBeat(work: () => Promise<unknown>): Promise<void> {
    const { clock, beatMs } = this.#options
    await withinLimit(clock, beatMs, undefined, work, () => {}).catch((error: unknown) =>
      this.#storeFailed(error),
    )
  }

  async #join(): Promise<void> {
    const { store, name, clock, random, beatMs, drawIncarnation } = this.#options
    while (!this.#isClosed) {
      const incarnation = drawIncarnation()
      const membership = new Membership({
        store,
        key: this.#keyOf('members'),
        name,
        incarnation,
        clock,
        random,
        beatMs,
        onMembers: (view) => this.#seen(view),
      })
      this.#incarnation = incarnation
      const join = (): Promise<boolean> => membership.join()
      try {
        // A store that never answers is as bad as one that fails.
        const isIn = await withinLimit(clock, JOIN_BEATS * beatMs, undefined, join, () => {})
        if (isIn && !this.#isClosed) {
          this.#hasJoined = true
          this.#membership = membership
          onAbort(membership.lost, () => void this.#lost(membership))
          this.#tick()
          return
        }
      } catch (error) {
        if (!this.#hasJoined && isBrokerwireError(error) && !error.retryable) throw error
        this.#storeFailed(error)
      }
      // What it asked for is done, or may still be: then it is to be undone.
      const undone = membership.leave().catch(() => {})
      if (this.#isClosed) await undone
      else await this.#pause(beatMs / 5)
    }
  }

  /** Looks again at keys whose holder has not given them back, and gives back what it owes, once a beat. */
  #tick(): void {
    if (this.#isClosed || this.#membership === undefined) return
    this.#review()
    for (const [key, { holder, left }] of this.#held) void this.#keep(key, holder, left)
    // A taking may be answered yet, and the key run.
    this.#records.payWhere((key) => !this.#taking.has(key))
    this.#later(this.#options.beatMs, () => this.#tick())
  }

  #seen(view: FleetView): void {
    this.#view = view
    const { observer } = this.#options
    this.#shares.update(view.eligible)
    this.#own = this.#isClosed ? new Set() : this.#shares.own
    notify(() => observer?.onMembers?.({ members: [...view.members.keys()] }))
    this.#review()
  }

  #review(): void {
    for (const [key, held] of this.#held) {
      if (this.#own.has(key) || held.isLeaving) continue
      held.isLeaving = true
      this.#report(key, 'handing-over')
      held.run.handOver(false)
    }
    for (const key of this.#own) {
      if (this.#held.has(key) || this.#taking.has(key) || this.#resting.has(key)) continue
      this.#taking.add(key)
      const { clock, beatMs } = this.#options
      const take = (signal: AbortSignalLike): Promise<void> => this.#take(key, signal)
      void withinLimit(clock, JOIN_BEATS * beatMs, undefined, take, () => {})
        .catch((error: unknown) => this.#storeFailed(error))
        .finally(() => this.#taking.delete(key))
    }
  }

  async #take(key: string, signal: AbortSignalLike): Promise<void> {
    const { name } = this.#options
    const incarnation = this.#incarnation
    const { text, record } = await this.#records.read(key)
    if ((await this.#isHeld(record)) || signal.aborted || !this.#mayTake(key, incarnation)) return
    const lingering = this.#left(key, record)
    this.#takings += 1
    const holder: KeyHolder = { name, incarnation, taking: this.#takings }
    if (!(await this.#records.claim(key, text, holder, lingering))) return
    // What was decided since then is decided again by whoever looks next; the record says who has it meanwhile.
    if (signal.aborted || !this.#mayTake(key, incarnation)) {
      await this.#records.giveBack(key, holder, lingering)
      return
    }
    this.#records.settle(key)
    this.#report(key, 'taken')
    const left: LeftBehind = { places: lingering, stored: lingering, isStoring: false }
    const onLingering = (places: number): void => {
      left.places = places
      void this.#keep(key, holder, left)
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
  }

  /** Writes down what a successor has to know; what the store did not take, the next look tries again. */
  async #keep(key: string, holder: KeyHolder, left: LeftBehind): Promise<void> {
    if (left.isStoring) return
    left.isStoring = true
    while (this.#held.get(key)?.left === left && left.stored !== left.places) {
      const { places } = left
      if (!(await this.#records.keep(key, holder, places))) break
      left.stored = places
    }
    left.isStoring = false
  }

  #mayTake(key: string, incarnation: string): boolean {
    return !this.#isClosed && this.#incarnation === incarnation && this.#own.has(key)
  }

  /** Places that the last holder may have left behind. */
  #left(key: string, record: KeyRecord | undefined): number {
    if (record === undefined) return 0
    return record.state === 'released' ? record.lingering : this.#abandoned(key, record.lingering)
  }

  /** Places that are left by a holder whose connections broke, with those that it had found. */
  #abandoned(key: string, lingering: number): number {
    const { connectionsOf, maxConnections } = this.#options
    return Math.min(maxConnections, connectionsOf(key) + lingering)
  }

  /**
   * Whether another relay has the key. One that is not seen here may have joined a moment ago, so the store is asked after
   * the record was read: whoever wrote that had joined before.
   */
  async #isHeld(record: KeyRecord | undefined): Promise<boolean> {
    if (record?.state !== 'held') return false
    const { name, incarnation } = record.holder
    if (name === this.#options.name && incarnation === this.#incarnation) return false
    if (this.#view.members.get(name) === incarnation) return true
    return (await this.#membership?.isMember(name, incarnation)) === true
  }

  async #ended(key: string, run: KeyRun, holder: KeyHolder, end: KeyRunEnd): Promise<void> {
    const held = this.#held.get(key)
    if (held?.run !== run) return
    if (end.why === 'released') {
      this.#report(key, 'released')
      await this.#records.giveBack(key, holder, end.lingering)
    } else {
      await this.#failed(key, holder, this.#abandoned(key, held.left.places), end)
    }
    // Where membership was lost meanwhile, the key may have a run of the next one.
    if (this.#held.get(key) === held) this.#held.delete(key)
  }

  /** Whoever has the key next tries it, this one only after a while. */
  async #failed(
    key: string,
    holder: KeyHolder,
    lingering: number,
    { why, error }: Extract<KeyRunEnd, { readonly error: unknown }>,
  ): Promise<void> {
    this.#report(key, why, error)
    this.#resting.add(key)
    // Begun with the rest itself: both end with the membership.
    this.#later(RETRY_BEATS * this.#options.beatMs, () => this.#resting.delete(key))
    await this.#records.giveBack(key, holder, lingering)
  }

  async #lost(membership: Membership): Promise<void> {
    if (this.#membership !== membership || this.#isClosed) return
    this.#membership = undefined
    this.#cancelTimers()
    this.#resting.clear()
    const { reason } = membership.lost
    notify(() => this.#options.observer?.onLost?.({ error: reason }))
    this.#own = new Set()
    await this.#leaveAll(this.#options.beatMs * LEAVE_BEATS)
    const left = [...this.#held.values()]
    this.#held.clear()
    if (this.#isClosed) return
    if (!isRelayError(reason, 'RELAY_NAME_TAKEN')) {
      await this.start()
      return
    }
    // Two of one name would take the membership from each other for ever: the one that was there first ends.
    this.#isClosed = true
    this.#cancelTimers()
    this.#closing = this.#withinBeat(() => this.#settled(left))
    this.#end(reason)
  }

  #settled(left: Iterable<Held> = this.#held.values()): Promise<unknown> {
    return Promise.all([...left].map(({ settled }) => settled))
  }

  /** Gives all keys up. Those that cannot be drained in this time, because their sink is away, end where they stand. */
  async #leaveAll(limitMs: number): Promise<void> {
    for (const held of this.#held.values()) {
      held.isLeaving = true
      held.run.handOver(true)
    }
    const abandon = (): void => {
      for (const { run } of this.#held.values()) run.abandon()
    }
    await withinLimit(this.#options.clock, limitMs, undefined, () => this.#settled(), abandon).catch(() => {})
  }

  #keyOf(...names: readonly string[]): string {
    return ['relay', this.#options.fleet, ...names].map(encodeURIComponent).join('/')
  }

  /** Nothing once it is closed: a timer would keep the process alive. */
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

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.setTimer(resolve, ms)
    })
  }

  #report(
    key: string,
    state: Parameters<NonNullable<FleetObserver['onKey']>>[0]['state'],
    error?: unknown,
  ): void {
    notify(() => this.#options.observer?.onKey?.({ key, state, error }))
  }

  #storeFailed(error: unknown): void {
    notify(() => this.#options.observer?.onStoreFailed?.({ error }))
  }
}
