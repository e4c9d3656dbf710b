/**
 * Rendezvous hashing (highest random weight): an app belongs to the relay with the highest score for it. Each
 * relay computes the scores from the members alone. When a relay joins or leaves, only apps of that relay
 * move.
 */

/**
 * A hash of 64 bits as two numbers of 32 bits: FNV-1a over the UTF-16 units in two lanes, finalized by
 * {@link mix}.
 */
export interface NameHash {
  readonly high: number
  readonly low: number
}

function hashName(name: string): NameHash {
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (let at = 0; at < name.length; at += 1) {
    const unit = name.charCodeAt(at)
    high = Math.imul(high ^ (unit & 0xff), 0x01000193)
    high = Math.imul(high ^ (unit >>> 8), 0x01000193)
    low = Math.imul(low ^ unit, 0x85ebca6b)
    low ^= low >>> 13
  }
  return { high: mix(high), low: mix(low) }
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** A member and its hash, which is computed once for all apps. */
export interface Candidate {
  readonly name: string
  readonly hash: NameHash
}

/** Returns the members sorted by name, without duplicates. */
export function createCandidates(members: Iterable<string>): readonly Candidate[] {
  const names = [...new Set(members)].sort((one, other) => (one < other ? -1 : 1))
  return names.map((name) => ({ name, hash: hashName(name) }))
}

/** The score of a member for an app, as two numbers of 32 bits. */
const highScore = (app: NameHash, member: NameHash): number =>
  mix(app.high ^ Math.imul(member.high, 0x9e3779b1))
const lowScore = (app: NameHash, member: NameHash): number => mix(app.low ^ Math.imul(member.low, 0x9e3779b1))

/**
 * Finds the owner of an app.
 *
 * @returns The name of the member that owns it; `undefined` if there are no members.
 */
export function findOwner(app: string, candidates: readonly Candidate[]): string | undefined {
  return findBest(hashName(app), candidates)?.name
}

/** Finds the member with the highest score. @param owner - The best member so far. */
function findBest(
  app: NameHash,
  candidates: Iterable<Candidate>,
  owner?: Candidate | undefined,
): Candidate | undefined {
  let found = owner
  let high = owner === undefined ? -1 : highScore(app, owner.hash)
  let low = owner === undefined ? -1 : lowScore(app, owner.hash)
  for (const candidate of candidates) {
    const otherHigh = highScore(app, candidate.hash)
    if (otherHigh < high) continue
    const otherLow = lowScore(app, candidate.hash)
    if (otherHigh === high && otherLow < low) continue
    // If all 64 bits are the same, the first name wins.
    if (otherHigh === high && otherLow === low && found !== undefined && found.name <= candidate.name)
      continue
    found = candidate
    high = otherHigh
    low = otherLow
  }
  return found
}

/**
 * The apps of one member, updated incrementally. If a member joins, its score for each app is compared with
 * that of the owner only. If a member leaves, only its apps are assigned again. With ten thousand apps and
 * hundreds of members, computing all scores would take longer than a heartbeat interval.
 */
export class Assignments {
  readonly #name: string
  readonly #apps: readonly string[]
  readonly #hashes: readonly NameHash[]
  readonly #owners: (Candidate | undefined)[]
  #candidates: ReadonlyMap<string, Candidate> = new Map()
  readonly #assigned = new Set<string>()

  /** @param name - The member whose apps are computed. */
  constructor(name: string, apps: readonly string[]) {
    this.#name = name
    this.#apps = apps
    this.#hashes = apps.map(hashName)
    this.#owners = apps.map(() => undefined)
  }

  /** The apps of the member after the last {@link update}. */
  get assigned(): ReadonlySet<string> {
    return this.#assigned
  }

  update(members: Iterable<string>): void {
    const before = this.#candidates
    const candidates = new Map<string, Candidate>()
    const joined: Candidate[] = []
    for (const name of members) {
      if (candidates.has(name)) continue
      const known = before.get(name)
      const candidate = known ?? { name, hash: hashName(name) }
      candidates.set(name, candidate)
      if (known === undefined) joined.push(candidate)
    }
    this.#candidates = candidates
    const isAnyGone = candidates.size - joined.length < before.size
    if (joined.length === 0 && !isAnyGone) return
    for (const [at, app] of this.#hashes.entries()) {
      const owner = this.#owners[at]
      const isGone = owner === undefined || (isAnyGone && !candidates.has(owner.name))
      const next = isGone ? findBest(app, candidates.values()) : findBest(app, joined, owner)
      if (next !== owner) this.#reassign(at, owner, next)
    }
  }

  #reassign(at: number, from: Candidate | undefined, to: Candidate | undefined): void {
    this.#owners[at] = to
    const app = this.#apps[at] as string
    if (to?.name === this.#name) this.#assigned.add(app)
    else if (from?.name === this.#name) this.#assigned.delete(app)
  }
}

/** Finds all apps of a member, in the order of `apps`. */
export function findAssignedApps(
  member: string,
  apps: readonly string[],
  members: Iterable<string>,
): readonly string[] {
  const candidates = createCandidates(members)
  return apps.filter((app) => findOwner(app, candidates) === member)
}
