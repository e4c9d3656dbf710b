/** The check that decides from byte counts whether a session has ended. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkTraffic, INITIAL_PROBE_STATE, type ProbeState } from './ended-session-watch.ts'

/** The results of several checks in a row. */
function verdicts(...traffic: readonly (readonly [read: number, written: number])[]): readonly string[] {
  let state: ProbeState = INITIAL_PROBE_STATE
  return traffic.map(([read, written]) => {
    const [next, verdict] = checkTraffic(state, { read, written })
    state = next
    return verdict
  })
}

describe('a live session', () => {
  test.each<readonly [string, readonly (readonly [number, number])[]]>([
    [
      'without any traffic',
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'without traffic after all requests got a response',
      [
        [50, 100],
        [60, 100],
        [60, 100],
        [60, 100],
      ],
    ],
    [
      'with data and window updates',
      [
        [50, 100],
        [9000, 113],
        [20_000, 126],
        [30_000, 126],
      ],
    ],
  ])('gets no probe: %s', (_, traffic) => {
    expect(verdicts(...traffic)).toEqual(traffic.map(() => 'alive'))
  })

  test('gets one probe after each burst without a response', () => {
    const checks = verdicts(
      [50, 100],
      [50, 100],
      [59, 109],
      [59, 109],
      [59, 109],
      [59, 300],
      [59, 309],
      [68, 309],
      [68, 309],
    )
    expect(checks).toEqual(['alive', 'probe', 'alive', 'alive', 'alive', 'probe', 'alive', 'alive', 'alive'])
  })

  test('without any response gets one probe for each burst', () => {
    expect(verdicts([0, 100], [0, 109], [0, 109], [0, 109])).toEqual(['probe', 'alive', 'alive', 'alive'])
  })
})

describe('a session that ended without an event', () => {
  test('is detected at the third check, although the violating bytes were read', () => {
    expect(verdicts([50, 100], [50, 109], [59, 109])).toEqual(['alive', 'probe', 'alive'])
    expect(verdicts([50, 100], [80, 117], [80, 117], [80, 117])).toEqual(['alive', 'alive', 'probe', 'stuck'])
  })

  test('without a call is detected after the next call, whose request is never written', () => {
    // The session ended between the last check and the next call.
    expect(verdicts([50, 100], [80, 117], [80, 117], [80, 117])).toEqual(['alive', 'alive', 'probe', 'stuck'])
  })

  test('is detected within three checks from any state', () => {
    const step = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.integer({ min: 17, max: 80 }), (steps, goaway) => {
        let [read, written] = [0, 0]
        const traffic = steps.map(([more, sent]): [number, number] => {
          read += more
          written += sent
          return [read, written]
        })
        const dead: [number, number] = [read + 9, written + goaway]
        expect(verdicts(...traffic, dead, dead, dead).at(-1)).toBe('stuck')
      }),
    )
  })
})
