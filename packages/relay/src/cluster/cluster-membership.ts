/** Membership of this relay in its cluster: joins, and joins again after a failure or a loss. */
import { isBrokerwireError } from '@brokerwire/core'
import { addAbortListener, sleep, withTimeout } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'
import { type Member, parseMembers } from './members.ts'
import {
  type ClusterView,
  EMPTY_VIEW,
  Membership,
  type MembershipOptions,
  nameTakenError,
} from './membership.ts'

export interface ClusterMembershipOptions
  extends Pick<MembershipOptions, 'store' | 'storeKey' | 'name' | 'clock' | 'random'> {
  readonly heartbeatIntervalMs: number
  readonly drawIncarnation: () => string
  /** Whether this relay was closed. A closed relay does not join again. */
  readonly isClosed: () => boolean
  readonly onMembers: () => void
  readonly onJoined: () => void
  /** Called when the membership was lost. */
  readonly onMembershipLost: (reason: unknown) => void
  readonly onStoreFailed: (error: unknown) => void
}

/** Time limit of a join, for a store that does not respond, in heartbeat intervals. */
const JOIN_HEARTBEATS = 2
const MAX_INCARNATIONS = 100
/**
 * The time, in heartbeat intervals, after which a relay with an unchanged heartbeat counts as dead for a new
 * relay of its name. The new relay is usually the same relay after a crash. If the old one is alive and its
 * heartbeat is later than that, it ends, although its lease is valid for longer.
 */
const NAME_HEARTBEATS = 1.5

export class ClusterMembership {
  readonly #options: ClusterMembershipOptions
  #current: Membership | undefined
  #incarnation = ''
  /** The incarnations of all attempts of this relay. */
  readonly #incarnations = new Set<string>()
  #view: ClusterView = EMPTY_VIEW
  #hasJoined = false
  #joining: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(options: ClusterMembershipOptions) {
    this.#options = options
  }

  /** The incarnation of the last attempt to join. */
  get incarnation(): string {
    return this.#incarnation
  }

  /** The members that this relay read last. */
  get view(): ClusterView {
    return this.#view
  }

  /** Whether this relay is a member. It is not one between a loss and the next join. */
  get isMember(): boolean {
    return this.#current !== undefined
  }

  /**
   * Joins the cluster.
   *
   * @throws The error of a store that can never be used; `RELAY_NAME_TAKEN`. Other failures are reported and
   * retried.
   */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined
    })
    return this.#joining
  }

  /** Stops waiting for another relay of this name to end. */
  stopJoining(): void {
    this.#stop.abort()
  }

  /** Resolves when no attempt to join is running. */
  async joined(): Promise<void> {
    await this.#joining
  }

  /**
   * Whether a relay belongs to the cluster. A relay that is not in the view may have joined a moment ago, so
   * the store is read. Call this after reading the record of an app, because a relay joins before it writes
   * such a record.
   */
  async includes(name: string, incarnation: string): Promise<boolean> {
    if (this.#view.members.get(name) === incarnation) return true
    return (await this.#current?.isMember(name, incarnation)) === true
  }

  /** Announces to the other relays that they must take over the apps of this relay. */
  async announceLeaving(): Promise<void> {
    await this.#current?.announceLeaving()
  }

  async leave(): Promise<void> {
    await this.#current?.leave()
  }

  async #join(): Promise<void> {
    const { clock, heartbeatIntervalMs, isClosed, onJoined, onStoreFailed } = this.#options
    while (!isClosed()) {
      let membership: Membership | undefined
      try {
        await this.#waitForName()
        if (isClosed()) return
        const created = this.#create()
        membership = created
        const join = (): Promise<boolean> => created.join()
        // A store that does not respond counts as failed.
        const isIn = await withTimeout(
          clock,
          JOIN_HEARTBEATS * heartbeatIntervalMs,
          undefined,
          join,
          () => {},
        )
        if (isIn && !isClosed()) {
          this.#hasJoined = true
          this.#current = created
          addAbortListener(created.lost, () => this.#lost(created))
          onJoined()
          return
        }
      } catch (error) {
        const isTaken = isRelayError(error, 'RELAY_NAME_TAKEN')
        if (isTaken || (!this.#hasJoined && isBrokerwireError(error) && !error.retryable)) throw error
        onStoreFailed(error)
      }
      // The store may have written the membership, or may write it later, so remove it.
      const undone = membership?.leave().catch(() => {})
      if (isClosed()) await undone
      else await sleep(clock, heartbeatIntervalMs / 5)
    }
  }

  /**
   * Waits until no other relay has this name. A relay whose heartbeat does not change is dead and does not
   * count.
   *
   * @throws RelayError `RELAY_NAME_TAKEN` if another relay of this name is alive.
   */
  async #waitForName(): Promise<void> {
    const { name, clock, heartbeatIntervalMs, isClosed } = this.#options
    for (let before = await this.#otherOfName(); before !== undefined; ) {
      await sleep(clock, NAME_HEARTBEATS * heartbeatIntervalMs, this.#stop.signal)
      const after = isClosed() ? undefined : await this.#otherOfName()
      if (after === undefined || isSame(before, after)) return
      if (!after.isLeaving) throw nameTakenError(name)
      before = after
    }
  }

  /** Returns the member of this name; `undefined` if it is an earlier attempt of this relay. */
  async #otherOfName(): Promise<Member | undefined> {
    const { store, storeKey, name, clock, heartbeatIntervalMs } = this.#options
    const read = async (): Promise<string | undefined> => store.get(storeKey)
    const text = await withTimeout(clock, JOIN_HEARTBEATS * heartbeatIntervalMs, undefined, read, () => {})
    const member = parseMembers(storeKey, text).get(name)
    return member !== undefined && this.#incarnations.has(member.incarnation) ? undefined : member
  }

  #create(): Membership {
    const { store, storeKey, name, clock, random, heartbeatIntervalMs, drawIncarnation, onMembers } =
      this.#options
    const incarnation = drawIncarnation()
    this.#incarnation = incarnation
    this.#incarnations.add(incarnation)
    const [oldest = ''] = this.#incarnations
    if (this.#incarnations.size > MAX_INCARNATIONS) this.#incarnations.delete(oldest)
    return new Membership({
      store,
      storeKey,
      name,
      incarnation,
      clock,
      random,
      heartbeatIntervalMs,
      onMembers: (view) => {
        this.#view = view
        onMembers()
      },
    })
  }

  #lost(membership: Membership): void {
    if (this.#current !== membership || this.#options.isClosed()) return
    this.#current = undefined
    this.#options.onMembershipLost(membership.lost.reason)
  }
}

function isSame(one: Member, other: Member): boolean {
  return one.incarnation === other.incarnation && one.heartbeat === other.heartbeat
}
