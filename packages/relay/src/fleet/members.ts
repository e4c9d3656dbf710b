/**
 * Who belongs to a fleet of relays: one text in a store, written by compare-and-set, and how each relay reads it.
 *
 * Every relay counts up a number of its own, its beat. One whose beat stands still for so many looks in a row is dead. No
 * clock of one host is compared with that of another, and a clock that jumps changes nothing: looks are counted, not time.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'

/** A relay in the text. */
export interface Member {
  /** Drawn at each start: two relays of one name are told apart by it. */
  readonly incarnation: string
  readonly beat: number
  /** It hands its keys over and takes none. */
  readonly isLeaving: boolean
}

/** By name. */
export type Members = ReadonlyMap<string, Member>

/** What a relay has seen of the others. */
export interface Observation {
  readonly member: Member
  /** Looks in a row at which nothing had changed. */
  readonly unchanged: number
}

/** By name. */
export type Observations = ReadonlyMap<string, Observation>

/** Looks at a beat that stands still, until its relay counts as dead. */
const OBSERVATIONS_UNTIL_DEAD = 4

/** @throws RelayError `RELAY_STATE_INVALID`. */
export function parseMembers(key: string, text: string | undefined): Members {
  if (text === undefined) return new Map()
  const invalid = (reason: string): RelayError => {
    const message = `what the store has under ${key} was not written by a relay (${reason}): remove it, or give the fleet another name`
    return new RelayError('RELAY_STATE_INVALID', message, { details: { key, reason } })
  }
  const value = parseJsonObject(text)
  if (value === undefined) throw invalid('no JSON object')
  if (value.v !== 1) throw invalid('an unknown format version')
  if (!isRecord(value.members)) throw invalid('no members')
  const members = new Map<string, Member>()
  for (const [name, member] of Object.entries(value.members)) {
    if (!isRecord(member)) throw invalid('a member that is no object')
    const { incarnation, beat, leaving } = member
    if (typeof incarnation !== 'string' || !Number.isSafeInteger(beat))
      throw invalid('a member without a beat')
    members.set(name, { incarnation, beat: Number(beat), isLeaving: leaving === true })
  }
  return members
}

export function serializeMembers(members: Members): string {
  const entries = [...members].sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify({
    v: 1,
    members: Object.fromEntries(
      entries.map(([name, { incarnation, beat, isLeaving }]) => [
        name,
        isLeaving ? { incarnation, beat, leaving: true } : { incarnation, beat },
      ]),
    ),
  })
}

/** A look at the text: what has changed since the last one. Looks are at least one beat's time apart. */
export function observe(observations: Observations, members: Members): Observations {
  return new Map(
    [...members].map(([name, member]) => {
      const before = observations.get(name)
      const isSame = before?.member.beat === member.beat && before.member.incarnation === member.incarnation
      return [name, { member, unchanged: isSame ? before.unchanged + 1 : 0 }]
    }),
  )
}

/** Whether a relay stands still. What changed after the last look is alive. */
function isDead(observations: Observations, name: string, member: Member): boolean {
  const observation = observations.get(name)
  return (
    observation !== undefined &&
    observation.unchanged >= OBSERVATIONS_UNTIL_DEAD &&
    observation.member.beat === member.beat &&
    observation.member.incarnation === member.incarnation
  )
}

/** How a relay stands in the text. */
export type MembershipStatus =
  /** It is not in it. */
  | 'absent'
  | 'member'
  /** Another relay has its name. */
  | 'replaced'

export function membershipStatus(members: Members, name: string, incarnation: string): MembershipStatus {
  const member = members.get(name)
  if (member === undefined) return 'absent'
  return member.incarnation === incarnation ? 'member' : 'replaced'
}

/** The text that a relay writes: with its own next beat, and without the dead. */
export function withNextBeat(
  members: Members,
  observations: Observations,
  self: { readonly name: string; readonly incarnation: string; readonly isLeaving: boolean },
): Members {
  const { name, incarnation, isLeaving } = self
  const before = members.get(name)
  const beat = before?.incarnation === incarnation ? before.beat + 1 : 1
  const next = new Map(
    [...members].filter(([other, member]) => other === name || !isDead(observations, other, member)),
  )
  next.set(name, { incarnation, beat, isLeaving })
  return next
}

/** The text without a relay that has ended. */
export function withoutMember(members: Members, name: string): Members {
  return new Map([...members].filter(([other]) => other !== name))
}

/** Among whom the keys are shared out: nobody who is leaving. */
export function eligible(members: Members): readonly string[] {
  return [...members].filter(([, { isLeaving }]) => !isLeaving).map(([name]) => name)
}

/** Whether two texts name the same relays, of which the same ones are leaving: beats are the members' own. */
export function hasSameMembers(one: Members, other: Members): boolean {
  if (one.size !== other.size) return false
  for (const [name, { incarnation, isLeaving }] of other) {
    const member = one.get(name)
    if (member?.incarnation !== incarnation || member.isLeaving !== isLeaving) return false
  }
  return true
}
