/** Joins a fleet, again after a failure or a loss, and answers who belongs to it. Which keys a relay has is decided elsewhere. */
import { isBrokerwireError } from '@brokerwire/core'
import { onAbort, sleep, withTimeout } from '@brokerwire/core/internal'
import { type FleetView, Membership, type MembershipOptions, NOBODY } from './membership.ts'

export interface FleetMembershipOptions
  extends Pick<MembershipOptions, 'store' | 'key' | 'name' | 'clock' | 'random'> {
  readonly beatMs: number
  readonly drawIncarnation: () => string
  /** The relay is closed: it does not join any more. */
  readonly isClosed: () => boolean
  readonly onMembers: () => void
  readonly onJoined: () => void
  /** Membership was lost. */
  readonly onLost: (reason: unknown) => void
  readonly onStoreFailed: (error: unknown) => void
}

/** For a store that does not answer. */
const JOIN_BEATS = 2

export class FleetMembership {
  readonly #options: FleetMembershipOptions
  #current: Membership | undefined
  #incarnation = ''
  #view: FleetView = NOBODY
  #hasJoined = false
  #joining: Promise<void> | undefined

  constructor(options: FleetMembershipOptions) {
    this.#options = options
  }

  /** Of the last attempt to join. */
  get incarnation(): string {
    return this.#incarnation
  }

  /** The members as this relay saw them last. */
  get view(): FleetView {
    return this.#view
  }

  /** Between a loss and the next join it is not a member. */
  get isMember(): boolean {
    return this.#current !== undefined
  }

  /** @throws The error of a store that can never be used. Other failures are reported, and it tries again. */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined
    })
    return this.#joining
  }

  /** Resolves when no attempt to join is on its way. */
  async joined(): Promise<void> {
    await this.#joining
  }

  /**
   * Whether a relay belongs to the fleet. One that is not in the view may have joined a moment ago, so the store is asked: call
   * this after its record was read, because the relay that wrote the record had joined before.
   */
  async includes(name: string, incarnation: string): Promise<boolean> {
    if (this.#view.members.get(name) === incarnation) return true
    return (await this.#current?.isMember(name, incarnation)) === true
  }

  /** The other relays take over the keys from now on. */
  async announceLeaving(): Promise<void> {
    await this.#current?.announceLeaving()
  }

  async leave(): Promise<void> {
    await this.#current?.leave()
  }

  async #join(): Promise<void> {
    const { clock, beatMs, isClosed, onJoined, onStoreFailed } = this.#options
    while (!isClosed()) {
      const membership = this.#create()
      const join = (): Promise<boolean> => membership.join()
      try {
        // A store that never answers is as bad as one that fails.
        const isIn = await withTimeout(clock, JOIN_BEATS * beatMs, undefined, join, () => {})
        if (isIn && !isClosed()) {
          this.#hasJoined = true
          this.#current = membership
          onAbort(membership.lost, () => this.#lost(membership))
          onJoined()
          return
        }
      } catch (error) {
        if (!this.#hasJoined && isBrokerwireError(error) && !error.retryable) throw error
        onStoreFailed(error)
      }
      // The store may have joined it, or may do so later: that is undone.
      const undone = membership.leave().catch(() => {})
      if (isClosed()) await undone
      else await sleep(clock, beatMs / 5)
    }
  }

  #create(): Membership {
    const { store, key, name, clock, random, beatMs, drawIncarnation, onMembers } = this.#options
    const incarnation = drawIncarnation()
    this.#incarnation = incarnation
    return new Membership({
      store,
      key,
      name,
      incarnation,
      clock,
      random,
      beatMs,
      onMembers: (view) => {
        this.#view = view
        onMembers()
      },
    })
  }

  #lost(membership: Membership): void {
    if (this.#current !== membership || this.#options.isClosed()) return
    this.#current = undefined
    this.#options.onLost(membership.lost.reason)
  }
}
