/**
 * Which relay has a key: the one whose score for it is the highest. Each relay works that out by itself from the members
 * alone, and when one joins or leaves, only keys of that relay move.
 */

/**
 * A hash of 64 bits, as two numbers of 32: FNV-1a over the UTF-16 units in two lanes. What mixes it is {@link mix}.
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

/** The finalizer of MurmurHash3: each bit of the input turns about half of those of the result. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** A member with its hash, so that it is computed once for all keys. */
export interface Candidate {
  readonly name: string
  readonly hash: NameHash
}

/** Members in an order of their own, each once. */
export function createCandidates(members: Iterable<string>): readonly Candidate[] {
  const names = [...new Set(members)].sort((one, other) => (one < other ? -1 : 1))
  return names.map((name) => ({ name, hash: hashName(name) }))
}

/** How well a member suits a key: two numbers of 32 bits. */
const highScore = (key: NameHash, member: NameHash): number =>
  mix(key.high ^ Math.imul(member.high, 0x9e3779b1))
const lowScore = (key: NameHash, member: NameHash): number => mix(key.low ^ Math.imul(member.low, 0x9e3779b1))

/** @returns The member that has the key; `undefined` where there are no members. */
export function findOwner(key: string, candidates: readonly Candidate[]): string | undefined {
  return findBest(hashName(key), candidates)?.name
}

/** @param owner - The best one so far. */
function findBest(
  key: NameHash,
  candidates: Iterable<Candidate>,
  owner?: Candidate | undefined,
): Candidate | undefined {
  let found = owner
  let high = owner === undefined ? -1 : highScore(key, owner.hash)
  let low = owner === undefined ? -1 : lowScore(key, owner.hash)
  for (const candidate of candidates) {
    const otherHigh = highScore(key, candidate.hash)
    if (otherHigh < high) continue
    const otherLow = lowScore(key, candidate.hash)
    if (otherHigh === high && otherLow < low) continue
    // The first of the names wins where all 64 bits are the same.
    if (otherHigh === high && otherLow === low && found !== undefined && found.name <= candidate.name)
      continue
    found = candidate
    high = otherHigh
    low = otherLow
  }
  return found
}

/**
 * Which keys a member has, kept up while members come and go: for one that joins each key is compared with its owner, and for
 * one that leaves the keys that it had are shared out anew. With ten thousand keys and hundreds of members a look at all of
 * both would take a relay longer than its next beat leaves it time.
 */
export class Assignments {
  readonly #name: string
  readonly #keys: readonly string[]
  readonly #hashes: readonly NameHash[]
  readonly #owners: (Candidate | undefined)[]
  #candidates: ReadonlyMap<string, Candidate> = new Map()
  readonly #assigned = new Set<string>()

  /** @param name - Whose keys are asked for. */
  constructor(name: string, keys: readonly string[]) {
    this.#name = name
    this.#keys = keys
    this.#hashes = keys.map(hashName)
    this.#owners = keys.map(() => undefined)
  }

  /** Keys of the member, as of the last {@link update}. */
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
    for (const [at, key] of this.#hashes.entries()) {
      const owner = this.#owners[at]
      const isGone = owner === undefined || (isAnyGone && !candidates.has(owner.name))
      const next = isGone ? findBest(key, candidates.values()) : findBest(key, joined, owner)
      if (next !== owner) this.#reassign(at, owner, next)
    }
  }

  #reassign(at: number, from: Candidate | undefined, to: Candidate | undefined): void {
    this.#owners[at] = to
    const key = this.#keys[at] as string
    if (to?.name === this.#name) this.#assigned.add(key)
    else if (from?.name === this.#name) this.#assigned.delete(key)
  }
}

/** All keys that a member has, in the order of the keys. */
export function findAssignedKeys(
  member: string,
  keys: readonly string[],
  members: Iterable<string>,
): readonly string[] {
  const candidates = createCandidates(members)
  return keys.filter((key) => findOwner(key, candidates) === member)
}
