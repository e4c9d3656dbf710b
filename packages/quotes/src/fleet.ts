/**
 * All connections of one app key together: which symbol goes over which, and what becomes of symbols that are refused or find no
 * room.
 */
import type { Lost } from './connection/machine-types.ts'
import { type ConnectionPorts, ConnectionRunner } from './connection/runner.ts'
import type { QuotesNotice } from './notices.ts'
import { type Placement, place } from './selection/placement.ts'
import {
  QUOTE_TYPES,
  symbolsBy,
  typeBits,
  typesOf,
  type Want,
  type Wants,
  withoutTypes,
} from './selection/wants.ts'

/** What is asked for and what is confirmed of one connection. */
export interface FleetOptions {
  readonly maxConnections: number
  /** How many symbols each connection takes, until the service says otherwise. */
  readonly symbolsPerConnection: number
  readonly ports: Omit<ConnectionPorts, 'reject' | 'overflow' | 'maxSymbols'>
}

export class Fleet {
  readonly #options: FleetOptions
  readonly #capacities: number[]
  readonly #runners: ConnectionRunner[] = []
  #wanted: Wants = new Map()
  #placement: Placement = new Map()
  /** What left its connection for want of room, with since when nothing was seen of it: the next one tells of it. */
  #lost: Lost = new Map()
  #stopped = false

  constructor(options: FleetOptions) {
    const { maxConnections, symbolsPerConnection } = options
    this.#options = options
    this.#capacities = Array.from({ length: maxConnections }, () => symbolsPerConnection)
  }

  /** What is asked for: what was declared, without what the service refused. */
  get wanted(): Wants {
    return this.#wanted
  }

  get runners(): readonly ConnectionRunner[] {
    return this.#runners
  }

  /** What the service confirmed, over all connections that live. */
  confirmed(): Want[] {
    return this.#runners.flatMap(({ state }) => (state.phase === 'live' ? [...state.confirmed.values()] : []))
  }

  /** All that is wanted from now on. */
  want(wanted: Wants): void {
    if (this.#stopped) return
    this.#wanted = wanted
    const { placement, left } = place(wanted.keys(), this.#placement, this.#capacities)
    this.#placement = placement
    if (left.length > 0) this.#noRoom(left)
    const parts = this.#capacities.map(() => new Map<string, Want>())
    for (const [key, want] of this.#wanted) parts[placement.get(key) ?? -1]?.set(key, want)
    for (const [at, part] of parts.entries()) {
      // Whoever is told of something may change what is wanted: all of it was seen to then.
      if (this.#stopped || this.#placement !== placement) return
      if (part.size === 0 && this.#runners[at] === undefined) continue
      this.#runnerAt(at).want(part, this.#lost)
    }
    this.#lost = new Map()
  }

  /** Leaves every connection, for good. */
  stop(): void {
    this.#stopped = true
    for (const runner of this.#runners) runner.stop()
  }

  #runnerAt(at: number): ConnectionRunner {
    // One after the other: place() fills the first before the second.
    for (let next = this.#runners.length; next <= at; next += 1) {
      const { ports, symbolsPerConnection } = this.#options
      this.#runners.push(
        new ConnectionRunner(
          {
            ...ports,
            maxSymbols: symbolsPerConnection,
            reject: (keys, types) => this.want(withoutTypes(this.#wanted, keys, types)),
            overflow: (connection, { keys, capacity, lost }) => {
              this.#capacities[connection - 1] = capacity
              this.#lost = lost
              const moved = new Set(keys)
              this.#placement = new Map([...this.#placement].filter(([key]) => !moved.has(key)))
              this.want(this.#wanted)
            },
          },
          next + 1,
        ),
      )
    }
    return this.#runners[at] as ConnectionRunner
  }

  /** Told as the service's own refusals are. */
  #noRoom(keys: readonly string[]): void {
    const byTypes = symbolsBy(({ types }) => types, keys, this.#wanted)
    this.#wanted = withoutTypes(this.#wanted, keys, typeBits(QUOTE_TYPES))
    for (const [types, symbols] of byTypes) {
      const notice: QuotesNotice = {
        type: 'notice',
        kind: 'rejected',
        atMs: this.#options.ports.clock.now(),
        symbols,
        types: typesOf(types),
        code: 'NO_ROOM',
        message: undefined,
      }
      this.#options.ports.notify(notice)
    }
  }
}
