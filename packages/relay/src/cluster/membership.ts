/**
 * One membership of this relay in a cluster, which heartbeats extend. It is lost before a relay of another
 * name can count this one as dead. The rule for relays of the same name is in `cluster-membership.ts`.
 *
 * A membership is valid for three heartbeat intervals after the start of the last heartbeat. To count it as
 * dead, other relays must observe the same heartbeat five times, which takes at least 3.6 intervals.
 */
import { type AbortSignalLike, type Clock, createLease, type Lease, type Store } from '@brokerwire/core'
import { notify, sleep } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'
import {
  eligible,
  hasSameMembers,
  type Members,
  type MembershipStatus,
  membershipStatus,
  type Observations,
  observe,
  parseMembers,
  serializeMembers,
  withNextHeartbeat,
  withoutMember,
} from './members.ts'

/** Options of a {@link Membership}. */
export interface MembershipOptions {
  readonly store: Store
  /** The store key of the members. */
  readonly storeKey: string
  readonly name: string
  /** A random id of this membership. */
  readonly incarnation: string
  readonly clock: Clock
  readonly random: () => number
  /** The interval of heartbeats, milliseconds. @defaultValue 5000 */
  readonly heartbeatIntervalMs?: number | undefined
  /** Called when the members have changed. */
  readonly onMembers: (view: ClusterView) => void
}

/** The members of a cluster, as one relay read them. */
export interface ClusterView {
  /** The incarnation of each relay that is alive, by name. */
  readonly members: ReadonlyMap<string, string>
  /** The relays to which apps are assigned. */
  readonly eligible: readonly string[]
}

const MAX_ATTEMPTS = 20
const VALID_HEARTBEATS = 3
/**
 * The shortest interval between observations, in heartbeat intervals. It is less than 1, because timers may
 * fire a little early or late.
 */
const OBSERVE_HEARTBEATS = 0.9

/** One membership of a relay. */
export class Membership {
  readonly #options
  readonly #lease: Lease
  #observations: Observations = new Map()
  #isLeaving = false
  #hasLeft = false
  #canObserve = true
  #cancelObserveTimer = (): void => {}
  /** The members that were last passed to `onMembers`. */
  #reportedMembers: Members = new Map()
  #isReplaced = false

  constructor(options: MembershipOptions) {
    const { heartbeatIntervalMs = 5000, clock, name } = options
    this.#options = { ...options, heartbeatIntervalMs }
    this.#lease = createLease({
      clock,
      validMs: VALID_HEARTBEATS * heartbeatIntervalMs,
      extendMs: heartbeatIntervalMs,
      retryMs: heartbeatIntervalMs / 5,
      extend: () => this.#sendHeartbeat(false),
      lostReason: (why) =>
        this.#isReplaced
          ? nameTakenError(name)
          : new RelayError(
              'RELAY_MEMBERSHIP_LOST',
              `relay ${name} must renew its membership in time; it was ${why}. It joins again.`,
              {
                details: { name, why },
                retryable: true,
              },
            ),
    })
  }

  /** Aborts when the membership is lost, which is before another relay can have this one's apps. */
  get lost(): AbortSignalLike {
    return this.#lease.lost
  }

  /**
   * Joins the cluster. Rejects with the error of the store.
   *
   * @returns `false` if the response came too late.
   */
  join(): Promise<boolean> {
    return this.#lease.acquire(() => this.#sendHeartbeat(true))
  }

  /** Announces to the other relays that they must take over the apps of this relay. */
  async announceLeaving(): Promise<void> {
    this.#isLeaving = true
    await this.#sendHeartbeat(false)
  }

  /**
   * Reads from the store whether a relay belongs to the cluster, because it may have joined since the last
   * heartbeat.
   */
  async isMember(name: string, incarnation: string): Promise<boolean> {
    const { store, storeKey } = this.#options
    return membershipStatus(parseMembers(storeKey, await store.get(storeKey)), name, incarnation) === 'member'
  }

  /** Removes this relay from the members, so that the other relays do not wait for it. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    this.#lease.end()
    this.#cancelObserveTimer()
    const { name, incarnation } = this.#options
    await this.#write((members) =>
      membershipStatus(members, name, incarnation) === 'member' ? withoutMember(members, name) : undefined,
    )
  }

  /** Writes the next heartbeat of this relay. @returns Whether this relay is a member now. */
  async #sendHeartbeat(isJoining: boolean): Promise<boolean> {
    const { name, incarnation } = this.#options
    const found: { status: MembershipStatus } = { status: 'member' }
    const written = await this.#write((members) => {
      // After `leave()`, this relay may already have joined again under the same name.
      if (this.#hasLeft) return undefined
      this.#observe(members)
      found.status = membershipStatus(members, name, incarnation)
      if (!isJoining && found.status !== 'member') return undefined
      return withNextHeartbeat(members, this.#observations, { name, incarnation, isLeaving: this.#isLeaving })
    })
    if (written === undefined) {
      this.#isReplaced = found.status === 'replaced'
      return false
    }
    this.#reportMembers(written)
    return true
  }

  /**
   * Writes the members that `change` returns. Retries if another relay wrote in between.
   *
   * @returns The written members; `undefined` if `change` returned `undefined`.
   */
  async #write(change: (members: Members) => Members | undefined): Promise<Members | undefined> {
    const { store, storeKey, clock, random, heartbeatIntervalMs } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const text = await store.get(storeKey)
      const next = change(parseMembers(storeKey, text))
      if (next === undefined) return undefined
      const isEmpty = next.size === 0
      if (await store.compareAndSet(storeKey, text, isEmpty ? undefined : serializeMembers(next))) return next
      if (attempt >= MAX_ATTEMPTS) throw new Error('too many relays wrote the members at the same time')
      await sleep(clock, random() * Math.min(heartbeatIntervalMs / 10, 10 * 2 ** attempt))
    }
  }

  /** Observes the members, unless the last observation is less than a heartbeat ago. */
  #observe(members: Members): void {
    if (!this.#canObserve) return
    this.#canObserve = false
    this.#cancelObserveTimer = this.#options.clock.setTimer(() => {
      this.#canObserve = true
    }, this.#options.heartbeatIntervalMs * OBSERVE_HEARTBEATS)
    this.#observations = observe(this.#observations, members)
  }

  #reportMembers(members: Members): void {
    // Apps are assigned by this report, so it is not made after the membership was lost. The response to a
    // heartbeat may come that late.
    if (this.#hasLeft || this.lost.aborted || hasSameMembers(this.#reportedMembers, members)) return
    this.#reportedMembers = members
    const incarnations = [...members].map(([name, { incarnation }]) => [name, incarnation] as const)
    notify(() => this.#options.onMembers({ members: new Map(incarnations), eligible: eligible(members) }))
  }
}

/** Creates the error of a second relay of this name. */
export function nameTakenError(name: string): RelayError<'RELAY_NAME_TAKEN'> {
  const text = `relay name must be unique in its cluster; another relay named ${name} is running. Give each relay its own name.`
  return new RelayError('RELAY_NAME_TAKEN', text, { details: { name } })
}

/** A cluster without members. */
export const EMPTY_VIEW: ClusterView = { members: new Map(), eligible: [] }
