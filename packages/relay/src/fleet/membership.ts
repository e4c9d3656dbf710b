/**
 * This relay's membership in a fleet: kept up by beats, and lost before anybody else can count it as dead.
 *
 * It holds for three beats' time after a beat was begun. The others have to see the same beat five times, which takes them
 * 3.6 beats' time at least.
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
  withNextBeat,
  withoutMember,
} from './members.ts'

/** Options of a {@link Membership}. */
export interface MembershipOptions {
  readonly store: Store
  /** The key in the store. */
  readonly key: string
  readonly name: string
  /** Drawn anew for each start. */
  readonly incarnation: string
  readonly clock: Clock
  readonly random: () => number
  /** From one beat to the next. @defaultValue 5000 */
  readonly beatMs?: number | undefined
  /** Told whenever the members, as this relay sees them, have changed. */
  readonly onMembers: (view: FleetView) => void
}

/** The fleet as one relay sees it. */
export interface FleetView {
  /** The incarnation of each relay that is alive, by name. */
  readonly members: ReadonlyMap<string, string>
  /** Those that take keys. */
  readonly eligible: readonly string[]
}

const MAX_ATTEMPTS = 20
const VALID_BEATS = 3
/** A timer may come a little early or late; looks are this far apart in any case. */
const OBSERVE_BEATS = 0.9

/** A relay's place in its fleet. */
export class Membership {
  readonly #options
  readonly #lease: Lease
  #observations: Observations = new Map()
  #isLeaving = false
  #hasLeft = false
  #canObserve = true
  #cancelObserveTimer = (): void => {}
  /** Nobody, until something was shown. */
  #reportedMembers: Members = new Map()
  #isReplaced = false

  constructor(options: MembershipOptions) {
    const { beatMs = 5000, clock, name } = options
    this.#options = { ...options, beatMs }
    this.#lease = createLease({
      clock,
      validMs: VALID_BEATS * beatMs,
      prolongMs: beatMs,
      retryMs: beatMs / 5,
      prolong: () => this.#beat(false),
      lostReason: (why) =>
        this.#isReplaced
          ? nameTakenError(name)
          : new RelayError(
              'RELAY_MEMBERSHIP_LOST',
              `the relay ${name} left its fleet: its membership was ${why}`,
              {
                details: { name, why },
                retryable: true,
              },
            ),
    })
  }

  /** Aborts when membership is lost: before another relay can have this one's keys. */
  get lost(): AbortSignalLike {
    return this.#lease.lost
  }

  /** Joins. Rejects with what the store throws. @returns `false` where the answer came too late to be of use. */
  join(): Promise<boolean> {
    return this.#lease.take(() => this.#beat(true))
  }

  /** Says that the keys are to be another's. */
  async announceLeaving(): Promise<void> {
    this.#isLeaving = true
    await this.#beat(false)
  }

  /** Whether a relay belongs to the fleet now, as the store has it: it may have joined since the last beat. */
  async isMember(name: string, incarnation: string): Promise<boolean> {
    const { store, key } = this.#options
    return membershipStatus(parseMembers(key, await store.get(key)), name, incarnation) === 'member'
  }

  /** Leaves for good: the others need not wait. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    this.#lease.end()
    this.#cancelObserveTimer()
    const { name, incarnation } = this.#options
    await this.#write((members) =>
      membershipStatus(members, name, incarnation) === 'member' ? withoutMember(members, name) : undefined,
    )
  }

  /** @returns Whether this relay is a member now. */
  async #beat(isJoining: boolean): Promise<boolean> {
    const { name, incarnation } = this.#options
    const found: { status: MembershipStatus } = { status: 'member' }
    const written = await this.#write((members) => {
      // Whoever gave it up may be in the fleet by now as another one of the same name.
      if (this.#hasLeft) return undefined
      this.#observe(members)
      found.status = membershipStatus(members, name, incarnation)
      if (!isJoining && found.status !== 'member') return undefined
      return withNextBeat(members, this.#observations, { name, incarnation, isLeaving: this.#isLeaving })
    })
    if (written === undefined) {
      this.#isReplaced = found.status === 'replaced'
      return false
    }
    this.#reportMembers(written)
    return true
  }

  /**
   * Writes what `change` makes of what is there, again where somebody else was faster.
   *
   * @returns What was written; `undefined` where `change` wants nothing.
   */
  async #write(change: (members: Members) => Members | undefined): Promise<Members | undefined> {
    const { store, key, clock, random, beatMs } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      const text = await store.get(key)
      const next = change(parseMembers(key, text))
      if (next === undefined) return undefined
      const isEmpty = next.size === 0
      if (await store.compareAndSet(key, text, isEmpty ? undefined : serializeMembers(next))) return next
      if (attempt >= MAX_ATTEMPTS) throw new Error('too many relays wrote at once')
      await sleep(clock, random() * Math.min(beatMs / 10, 10 * 2 ** attempt))
    }
  }

  /** Counts a look, if the last one is a beat's time ago. */
  #observe(members: Members): void {
    if (!this.#canObserve) return
    this.#canObserve = false
    this.#cancelObserveTimer = this.#options.clock.setTimer(() => {
      this.#canObserve = true
    }, this.#options.beatMs * OBSERVE_BEATS)
    this.#observations = observe(this.#observations, members)
  }

  #reportMembers(members: Members): void {
    // Whoever is told shares out keys by it, and a beat may be answered when this relay has none any more.
    if (this.#hasLeft || this.lost.aborted || hasSameMembers(this.#reportedMembers, members)) return
    this.#reportedMembers = members
    const incarnations = [...members].map(([name, { incarnation }]) => [name, incarnation] as const)
    notify(() => this.#options.onMembers({ members: new Map(incarnations), eligible: eligible(members) }))
  }
}

/** Another relay of this name is alive. */
export function nameTakenError(name: string): RelayError<'RELAY_NAME_TAKEN'> {
  const text = `another relay called ${name} is running: give each relay a name of its own`
  return new RelayError('RELAY_NAME_TAKEN', text, { details: { name } })
}

/** Nobody. */
export const EMPTY_VIEW: FleetView = { members: new Map(), eligible: [] }
