/** `verify()` finds violations, and accepts everything that the documentation allows. */
import { expect, test } from 'vitest'
import { type Evidence, verify } from './verify.ts'

const ms = (instant: number): bigint => BigInt(instant) * 1_000_000n

/** A step is written as `'0 locked 5'`: worker 0 got the lock five milliseconds after the start. */
function evidence(
  steps: readonly string[],
  arrivals: readonly number[],
  more: Partial<Evidence> = {},
): Evidence {
  const trace = steps.map((step) => {
    const [worker, name = '', at] = step.split(' ')
    return { worker: Number(worker), name, atNs: ms(Number(at)) }
  })
  return { trace, arrivalsNs: arrivals.map(ms), reads: [], renewalsNs: [], jumpsNs: [], ...more }
}

/** Steps of a create request whose response is saved, until the lock is released. */
const whole = (worker: number, at: number): string[] => [
  `${worker} locked ${at}`,
  `${worker} create-sending ${at + 10}`,
  `${worker} create-answered ${at + 50}`,
  `${worker} saved ${at + 60}`,
  `${worker} releasing ${at + 70}`,
]
const killed = ['0 locked 0', '0 create-sending 10', '0 killed 30']
const failed = ['0 locked 0', '0 create-sending 10', '0 create-failed 60', '0 releasing 70']
const lost = [...failed.slice(0, 2), '0 lost 55', ...failed.slice(2)]
const unsaved = ['0 locked 0', '0 create-sending 10', '0 create-answered 50', '0 releasing 70']
const late = ['0 locked 0', '0 create-sending 10', '0 create-failed 3000', '0 lost 3000', '0 releasing 3010']
const TOO_SOON = 'a create followed another one within five minutes'

test.each<[string, Evidence, readonly string[]]>([
  ['one create', evidence(whole(0, 0), [20]), []],
  [
    'a second one for a renewal',
    evidence([...whole(0, 0), ...whole(1, 5000)], [20, 5020], {
      renewalsNs: [ms(4000)],
      jumpsNs: [ms(3000)],
    }),
    [],
  ],
  [
    'a renewal within five minutes',
    evidence([...whole(0, 0), ...whole(1, 5000)], [20, 5020], { renewalsNs: [ms(4000)] }),
    [TOO_SOON],
  ],
  [
    'a second one without a renewal',
    evidence([...whole(0, 0), ...whole(1, 5000)], [20, 5020]),
    [TOO_SOON, 'a create followed one whose token was saved'],
  ],
  ['after a kill', evidence([...killed, ...whole(1, 2600)], [20, 2620]), [TOO_SOON]],
  ['a request that arrives after the kill', evidence(killed, [40]), []],
  ['a request of no process', evidence(killed, [20, 500]), ['a create arrived that no process was sending']],
  ['a response without a request', evidence(whole(0, 0), []), ['a create got a response but never arrived']],
  [
    'two holders',
    evidence([...late, ...whole(1, 2500)], [20, 2520]),
    ['two workers held the lock: workers 0 and 1', 'two creates were in flight: workers 0 and 1', TOO_SOON],
  ],
  ['after an unknown outcome', evidence([...failed, ...whole(1, 2600)], [20, 2620]), [TOO_SOON]],
  [
    'five minutes after an unknown outcome',
    evidence([...failed, ...whole(1, 2600)], [20, 2620], { jumpsNs: [ms(2000)] }),
    [],
  ],
  ['after a lost lock', evidence([...lost, ...whole(1, 2600)], [20, 2620]), [TOO_SOON]],
  [
    'after an answer whose sender is alive',
    evidence([...unsaved, ...whole(1, 2600)], [20, 2620]),
    [TOO_SOON, 'a create followed one whose sender was alive and had the lock'],
  ],
])('%s', (_, found, broken) => {
  expect(verify(found).broken).toEqual(broken)
})

test('counts a create five minutes after a killed one as extra, and allows an overlap of a stalled process', () => {
  const jumpsNs = [ms(2000)]
  expect(verify(evidence([...killed, ...whole(1, 2600)], [20, 2620], { jumpsNs }))).toEqual({
    broken: [],
    extraCreates: 1,
    excused: 0,
  })
  const stalled = [...late.filter((step) => step !== '0 lost 3000'), ...whole(1, 2500)]
  const stall = ['0 lost 2520', '0 stall-began 100', '0 stalled 2900']
  expect(verify(evidence([...stalled, ...stall], [20, 2530], { jumpsNs }))).toMatchObject({
    broken: [],
    excused: 2,
  })
})

test('finds an old token that a process reads after a new one; concurrent reads have no order', () => {
  const broken = (...reads: readonly [worker: number, token: string, from: number, to: number][]) =>
    verify(
      evidence([], [], {
        reads: reads.map(([worker, token, from, to]) => ({ worker, token, fromNs: ms(from), toNs: ms(to) })),
      }),
    ).broken
  expect(broken([0, 'a', 0, 5], [1, 'b', 10, 15], [0, 'b', 20, 25])).toEqual([])
  expect(broken([0, 'a', 0, 12], [1, 'b', 10, 15], [0, 'a', 11, 20])).toEqual([])
  expect(broken([0, 'a', 0, 5], [1, 'b', 10, 15], [0, 'a', 20, 25])).toEqual([
    'a process read a token that another token had replaced',
  ])
})
