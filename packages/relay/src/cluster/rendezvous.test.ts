import { createSeededRandom } from '@brokerwire/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Assignments, createCandidates, findAssignedApps, findOwner } from './rendezvous.ts'

const names = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 12 })
const apps = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 60 })

describe('rendezvous hashing', () => {
  test('assigns each app to one member, whatever their order', () => {
    fc.assert(
      fc.property(apps, names, (apps, members) => {
        const candidates = createCandidates(members)
        const turned = createCandidates([...members].reverse().concat(members))
        for (const app of apps) {
          const owner = findOwner(app, candidates)
          expect(members).toContain(owner)
          expect(findOwner(app, turned)).toBe(owner)
        }
        expect(members.flatMap((member) => findAssignedApps(member, apps, members)).sort()).toEqual(
          [...apps].sort(),
        )
      }),
    )
    expect(findOwner('desk', [])).toBeUndefined()
  })

  test('moves only the apps of a relay that leaves or joins', () => {
    fc.assert(
      fc.property(apps, names, fc.nat(), (apps, members, at) => {
        const gone = members[at % members.length] as string
        const before = createCandidates(members)
        const after = createCandidates(members.filter((member) => member !== gone))
        for (const app of apps) {
          const owner = findOwner(app, before)
          const next = findOwner(app, after)
          if (owner === gone) expect(next).not.toBe(gone)
          else expect(next).toBe(owner)
        }
      }),
    )
  })

  test('assigns the same apps incrementally as by a full computation', () => {
    fc.assert(
      fc.property(
        apps,
        fc.array(fc.oneof(names, fc.constant([])), { maxLength: 8 }),
        names,
        (apps, clusters, [name]) => {
          const shares = new Assignments(name as string, apps)
          for (const members of clusters) {
            shares.update(members)
            expect([...shares.assigned].sort()).toEqual(
              [...findAssignedApps(name as string, apps, members)].sort(),
            )
          }
        },
      ),
    )
  })

  test('moves no app between two relays that stay', () => {
    fc.assert(
      fc.property(apps, names, names, (apps, before, after) => {
        for (const app of apps) {
          const [owner, next] = [
            findOwner(app, createCandidates(before)),
            findOwner(app, createCandidates(after)),
          ]
          if (owner !== next) expect(before.includes(next ?? '') && after.includes(owner ?? '')).toBe(false)
        }
      }),
    )
  })

  test('has the largest share of a perfect hash for 1,000 apps on 20 relays, over 1,000 seeds', () => {
    let largest = 0
    let sum = 0
    for (let seed = 0; seed < 1000; seed += 1) {
      const random = createSeededRandom(seed)
      const draw = (): string => Math.floor(random() * 2 ** 32).toString(36)
      const candidates = createCandidates(Array.from({ length: 20 }, () => `relay-${draw()}`))
      const shares = new Map<string, number>()
      for (let app = 0; app < 1000; app += 1) {
        const owner = findOwner(`app-${draw()}`, candidates) ?? ''
        shares.set(owner, (shares.get(owner) ?? 0) + 1)
      }
      const share = Math.max(...shares.values()) / 50
      largest = Math.max(largest, share)
      sum += share
    }
    process.stdout.write(
      `rendezvous, 1,000 apps among 20 relays, 1,000 seeds: largest share ${largest.toFixed(2)} of an even one, mean of the largest ${(sum / 1000).toFixed(2)}\n`,
    )
    // With a perfect hash, the largest of 20 shares has 1.27 times the average: 50 apps are expected, with a deviation of 6.9.
    expect(sum / 1000).toBeGreaterThan(1.2)
    expect(sum / 1000).toBeLessThan(1.32)
    expect(largest).toBeLessThan(2)
  })

  test('distributes names that differ in one character as well as others', () => {
    const candidates = createCandidates(Array.from({ length: 10 }, (_, at) => `relay-${at}`))
    const shares = new Map<string, number>()
    for (let app = 0; app < 10_000; app += 1) {
      const owner = findOwner(`app-${app}`, candidates) ?? ''
      shares.set(owner, (shares.get(owner) ?? 0) + 1)
    }
    expect(shares.size).toBe(10)
    // Five standard deviations of 30 around 1,000.
    for (const share of shares.values()) expect(Math.abs(share - 1000)).toBeLessThan(150)
  })
})
