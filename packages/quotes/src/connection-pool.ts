/** The connections of one app key: assigns symbols to connections, and reports symbols that no connection can take. */
import type { Lost } from './connection/machine-types.ts'
import { type ConnectionPorts, ConnectionRunner } from './connection/runner.ts'
import type { QuotesNotice } from './notices.ts'
import {
  type DesiredSubscription,
  type DesiredSubscriptions,
  QUOTE_TYPES,
  symbolsBy,
  typeBits,
  typesFromBits,
  withoutTypes,
} from './selection/desired-subscriptions.ts'
import { assignShards, type ShardAssignment } from './selection/shard-assignment.ts'

/** Options of {@link ConnectionPool}. */
export interface ConnectionPoolOptions {
  readonly maxConnections: number
  /** Capacity of each connection, until the service reports a smaller one. */
  readonly symbolsPerConnection: number
  readonly ports: Omit<ConnectionPorts, 'reject' | 'overflow' | 'maxSymbols'>
}

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions
  readonly #capacities: number[]
  readonly #runners: ConnectionRunner[] = []
  #desired: DesiredSubscriptions = new Map()
  #assignment: ShardAssignment = new Map()
  /** Symbols that a full connection lost. The connection that gets them next reports their gap. */
  #lost: Lost = new Map()
  #stopped = false

  constructor(options: ConnectionPoolOptions) {
    const { maxConnections, symbolsPerConnection } = options
    this.#options = options
    this.#capacities = Array.from({ length: maxConnections }, () => symbolsPerConnection)
  }

  /** Desired subscriptions, without those that the service rejected. */
  get desired(): DesiredSubscriptions {
    return this.#desired
  }

  get runners(): readonly ConnectionRunner[] {
    return this.#runners
  }

  /** Returns the confirmed subscriptions of all live connections. */
  confirmed(): DesiredSubscription[] {
    return this.#runners.flatMap(({ state }) => (state.phase === 'live' ? [...state.confirmed.values()] : []))
  }

  /** Replaces the desired subscriptions. */
  setDesired(desired: DesiredSubscriptions): void {
    if (this.#stopped) return
    this.#desired = desired
    const { assignment, unassigned } = assignShards(desired.keys(), this.#assignment, this.#capacities)
    this.#assignment = assignment
    if (unassigned.length > 0) this.#rejectForCapacity(unassigned)
    const parts = this.#capacities.map(() => new Map<string, DesiredSubscription>())
    for (const [key, subscription] of this.#desired) parts[assignment.get(key) ?? -1]?.set(key, subscription)
    for (const [at, part] of parts.entries()) {
      // The receiver of a notice may have called setDesired() again. That call has updated the remaining
      // connections.
      if (this.#stopped || this.#assignment !== assignment) return
      if (part.size === 0 && this.#runners[at] === undefined) continue
      this.#runnerAt(at).setDesired(part, this.#lost)
    }
    this.#lost = new Map()
  }

  /** Closes every connection. Later calls of `setDesired` do nothing. */
  stop(): void {
    this.#stopped = true
    for (const runner of this.#runners) runner.stop()
  }

  #runnerAt(at: number): ConnectionRunner {
    // assignShards() fills connections in order, so each runner up to `at` is created.
    for (let next = this.#runners.length; next <= at; next += 1) {
      const { ports, symbolsPerConnection } = this.#options
      this.#runners.push(
        new ConnectionRunner(
          {
            ...ports,
            maxSymbols: symbolsPerConnection,
            reject: (keys, types) => this.setDesired(withoutTypes(this.#desired, keys, types)),
            overflow: (connection, { keys, capacity, lost }) => {
              this.#capacities[connection - 1] = capacity
              this.#lost = lost
              const moved = new Set(keys)
              this.#assignment = new Map([...this.#assignment].filter(([key]) => !moved.has(key)))
              this.setDesired(this.#desired)
            },
          },
          next + 1,
        ),
      )
    }
    return this.#runners[at] as ConnectionRunner
  }

  /** Reports the symbols in a `rejected` notice, as if the service had rejected them. */
  #rejectForCapacity(keys: readonly string[]): void {
    const byTypes = symbolsBy(({ types }) => types, keys, this.#desired)
    this.#desired = withoutTypes(this.#desired, keys, typeBits(QUOTE_TYPES))
    for (const [types, symbols] of byTypes) {
      const notice: QuotesNotice = {
        type: 'notice',
        kind: 'rejected',
        atMs: this.#options.ports.clock.now(),
        symbols,
        types: typesFromBits(types),
        code: 'NO_CAPACITY',
        message: undefined,
      }
      this.#options.ports.notify(notice)
    }
  }
}
