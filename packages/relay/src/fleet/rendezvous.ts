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
export function candidatesOf(members: Iterable<string>): readonly Candidate[] {
  const names = [...new Set(members)].sort((one, other) => (one < other ? -1 : 1))
  return names.map((name) => ({ name, hash: hashName(name) }))
}

/** @returns The member that has the key; `undefined` where there are no members. */
export function ownerOf(key: string, candidates: readonly Candidate[]): string | undefined {
  const of = hashName(key)
  let owner: string | undefined
  let best = -1
  let bestLow = -1
  for (const { name, hash } of candidates) {
    const high = mix(of.high ^ Math.imul(hash.high, 0x9e3779b1))
    if (high < best) continue
    const low = mix(of.low ^ Math.imul(hash.low, 0x9e3779b1))
    // The first of the names wins where all 64 bits are the same.
    if (high === best && low <= bestLow) continue
    owner = name
    best = high
    bestLow = low
  }
  return owner
}

/** All keys that a member has, in the order of the keys. */
export function keysOf(
  member: string,
  keys: readonly string[],
  members: Iterable<string>,
): readonly string[] {
  const candidates = candidatesOf(members)
  return keys.filter((key) => ownerOf(key, candidates) === member)
}
