/**
 * Who waits for a place in a window, and the window of one process: the instants at which calls were let through.
 *
 * Waiters go by priority, not by arrival: a person who has just given a second factor waits for a check, nobody waits
 * for a refresh in the background.
 */
import type { Clock } from '@brokerwire/core'

/** However long a service asks for: what it says by mistake must not shut an app key off for years. */
export const MAX_HOLD_OFF_MS = 3_600_000

/** Somebody who wants a place. */
export interface Waiter {
  /** Lower numbers go first. */
  readonly priority: number
  /** The place is his. */
  go(): void
  /** There is no place to be had. */
  fail(error: unknown): void
  /** He has to wait: how many go before him, and the shortest time that it can take. Called once at most. */
  wait(ahead: number, atLeastMs: number): void
}

/** Places for so many calls in so much time. */
export interface RateWindow {
  readonly waiting: number
  enter(waiter: Waiter): void
  /** Gives the place in the queue up. */
  leave(waiter: Waiter): void
  /** Lets nobody through for a while. */
  close(delayMs: number): void
}

/** A queue by priority, first come first served among equals. */
export class WaiterQueue {
  readonly #waiters: Waiter[] = []

  get length(): number {
    return this.#waiters.length
  }

  /** @returns How many go before him. */
  add(waiter: Waiter): number {
    const found = this.#waiters.findIndex(({ priority }) => priority > waiter.priority)
    const index = found === -1 ? this.#waiters.length : found
    this.#waiters.splice(index, 0, waiter)
    return index
  }

  remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter)
    if (index !== -1) this.#waiters.splice(index, 1)
  }

  next(): Waiter | undefined {
    return this.#waiters.shift()
  }

  includes(waiter: Waiter): boolean {
    return this.#waiters.includes(waiter)
  }

  entries(): readonly Waiter[] {
    return [...this.#waiters]
  }
}

/** The window of this process alone. It keeps no timers while nobody waits. */
export class LocalWindow implements RateWindow {
  readonly #queue = new WaiterQueue()
  readonly #clock: Clock
  readonly #limit: number
  readonly #spanMs: number
  #passed: number[] = []
  #closedUntilMs = 0
  /** The last close: no clock that is set back may make it longer. */
  #closeMs = 0
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, limit: number, spanMs: number) {
    this.#clock = clock
    this.#limit = limit
    this.#spanMs = spanMs
  }

  get waiting(): number {
    return this.#queue.length
  }

  enter(waiter: Waiter): void {
    const ahead = this.#queue.add(waiter)
    const atLeastMs = this.#pump()
    if (this.#queue.includes(waiter)) waiter.wait(ahead, atLeastMs)
  }

  leave(waiter: Waiter): void {
    this.#queue.remove(waiter)
    this.#pump()
  }

  close(delayMs: number): void {
    const nowMs = this.#clock.now()
    this.#closedUntilMs = Math.max(Math.min(this.#closedUntilMs, nowMs + this.#closeMs), nowMs + delayMs)
    this.#closeMs = this.#closedUntilMs - nowMs
    this.#pump()
  }

  /** Lets through what fits, and sets the timer for the next. @returns Milliseconds until something may fit. */
  #pump(): number {
    const nowMs = this.#clock.now()
    // A clock that was set back must not turn the past into a long wait.
    this.#passed = this.#passed
      .map((passedMs) => Math.min(passedMs, nowMs))
      .filter((passedMs) => nowMs - passedMs < this.#spanMs)
    this.#closedUntilMs = Math.min(this.#closedUntilMs, nowMs + this.#closeMs)
    const freeAtMs = (): number => {
      const oldest = this.#passed.length < this.#limit ? nowMs : (this.#passed[0] ?? nowMs) + this.#spanMs
      return Math.max(oldest, this.#closedUntilMs)
    }
    while (this.#queue.length > 0 && freeAtMs() <= nowMs) {
      this.#passed.push(nowMs)
      this.#queue.next()?.go()
    }
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const restMs = freeAtMs() - nowMs
    if (this.#queue.length > 0) this.#cancelTimer = this.#clock.setTimer(() => this.#pump(), restMs)
    return restMs
  }
}
