/**
 * The members of a cluster, and the detection of dead ones. The members are one value in a store, written by
 * compare-and-set. Pure.
 *
 * Each relay increments its heartbeat. A relay whose heartbeat does not change for a number of observations
 * in a row is dead. Observations are counted instead of time, so the clocks of hosts are not compared, and a
 * clock that jumps changes nothing.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { stateInvalid } from '../relay-error.ts'

/** A relay in the store. */
export interface Member {
  /** A random id of each membership, which distinguishes two relays of one name. */
  readonly incarnation: string
  readonly heartbeat: number
  /** Whether the relay drains its apps and acquires no more. */
  readonly isLeaving: boolean
}

/** Members by name. */
export type Members = ReadonlyMap<string, Member>

/** The last state of a member that a relay observed. */
export interface Observation {
  readonly member: Member
  /** The number of observations in a row that found no change. */
  readonly unchanged: number
}

/** Observations by the name of the member. */
export type Observations = ReadonlyMap<string, Observation>

/** The number of unchanged observations in a row after which a relay is dead. */
const OBSERVATIONS_UNTIL_DEAD = 4

/** Parses the members. @throws RelayError `RELAY_STATE_INVALID`. */
export function parseMembers(storeKey: string, text: string | undefined): Members {
  if (text === undefined) return new Map()
  const invalid = (reason: string) => stateInvalid(storeKey, reason)
  const value = parseJsonObject(text)
  if (value === undefined) throw invalid('not a JSON object')
  if (value.v !== 1) throw stateInvalid(storeKey, 'an unknown format version', value.v)
  if (!isRecord(value.members)) throw invalid('no members')
  const members = new Map<string, Member>()
  for (const [name, member] of Object.entries(value.members)) {
    if (!isRecord(member)) throw invalid('a member that is not an object')
    const { incarnation, beat, leaving } = member
    if (typeof incarnation !== 'string' || !Number.isSafeInteger(beat))
      throw invalid('a member without a heartbeat')
    members.set(name, { incarnation, heartbeat: Number(beat), isLeaving: leaving === true })
  }
  return members
}

/** Serializes the members. In the store, `heartbeat` is called `beat`. */
export function serializeMembers(members: Members): string {
  const entries = [...members].sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify({
    v: 1,
    members: Object.fromEntries(
      entries.map(([name, { incarnation, heartbeat: beat, isLeaving }]) => [
        name,
        isLeaving ? { incarnation, beat, leaving: true } : { incarnation, beat },
      ]),
    ),
  })
}

/** Compares the members with the last observations. Call it at most once a heartbeat. */
export function observe(observations: Observations, members: Members): Observations {
  return new Map(
    [...members].map(([name, member]) => {
      const before = observations.get(name)
      const isSame =
        before?.member.heartbeat === member.heartbeat && before.member.incarnation === member.incarnation
      return [name, { member, unchanged: isSame ? before.unchanged + 1 : 0 }]
    }),
  )
}

/** Whether a relay is dead. A relay that changed after the last observation is alive. */
function isDead(observations: Observations, name: string, member: Member): boolean {
  const observation = observations.get(name)
  return (
    observation !== undefined &&
    observation.unchanged >= OBSERVATIONS_UNTIL_DEAD &&
    observation.member.heartbeat === member.heartbeat &&
    observation.member.incarnation === member.incarnation
  )
}

/** The status of a relay in the store. */
export type MembershipStatus =
  /** The store has no member of this name. */
  | 'absent'
  | 'member'
  /** The member of this name is another relay. */
  | 'replaced'

export function membershipStatus(members: Members, name: string, incarnation: string): MembershipStatus {
  const member = members.get(name)
  if (member === undefined) return 'absent'
  return member.incarnation === incarnation ? 'member' : 'replaced'
}

/** Returns the members with the next heartbeat of this relay, and without dead relays. */
export function withNextHeartbeat(
  members: Members,
  observations: Observations,
  self: { readonly name: string; readonly incarnation: string; readonly isLeaving: boolean },
): Members {
  const { name, incarnation, isLeaving } = self
  const before = members.get(name)
  const heartbeat = before?.incarnation === incarnation ? before.heartbeat + 1 : 1
  const next = new Map(
    [...members].filter(([other, member]) => other === name || !isDead(observations, other, member)),
  )
  next.set(name, { incarnation, heartbeat, isLeaving })
  return next
}

/** Returns the members without a relay that has ended. */
export function withoutMember(members: Members, name: string): Members {
  return new Map([...members].filter(([other]) => other !== name))
}

/** Returns the relays to which apps are assigned: all that are not leaving. */
export function eligible(members: Members): readonly string[] {
  return [...members].filter(([, { isLeaving }]) => !isLeaving).map(([name]) => name)
}

/** Whether both have the same relays, and the same relays are leaving. Heartbeats may differ. */
export function hasSameMembers(one: Members, other: Members): boolean {
  if (one.size !== other.size) return false
  for (const [name, { incarnation, isLeaving }] of other) {
    const member = one.get(name)
    if (member?.incarnation !== incarnation || member.isLeaving !== isLeaving) return false
  }
  return true
}
