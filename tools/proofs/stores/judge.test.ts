/** The judge finds what is wrong, and lets pass what the pages say. */
import { expect, test } from 'vitest'
import { type Evidence, judge } from './judge.ts'

const ms = (instant: number): bigint => BigInt(instant) * 1_000_000n

/** `'0 locked 5'`: worker 0, five milliseconds after the beginning. */
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

const read = (worker: number, token: string, from: number, to: number) => ({
  worker,
  token,
  fromNs: ms(from),
  toNs: ms(to),
})

/** A create that is answered, saved and given back. */
const whole = (worker: number, at: number): string[] => [
  `${worker} locked ${at}`,
  `${worker} create-sending ${at + 10}`,
  `${worker} create-answered ${at + 50}`,
  `${worker} saved ${at + 60}`,
  `${worker} releasing ${at + 70}`,
]

test('one create is what is promised; a second one after a wish for it, too', () => {
  expect(judge(evidence(whole(0, 0), [20]))).toEqual({ broken: [], extraCreates: 0, excused: 0 })
  const renewed = evidence([...whole(0, 0), ...whole(1, 5000)], [20, 5020], { renewalsNs: [ms(4000)] })
  expect(judge(renewed)).toEqual({ broken: [], extraCreates: 0, excused: 0 })
})

test('a second one without a wish is found', () => {
  expect(judge(evidence([...whole(0, 0), ...whole(1, 5000)], [20, 5020])).broken).toEqual([
    'a create followed one whose token was saved',
  ])
})

const killed = ['0 locked 0', '0 create-sending 10', '0 killed 30']

test('a create in place of that of a killed process is extra, and comes two seconds later', () => {
  expect(judge(evidence([...killed, ...whole(1, 2600)], [20, 2620]))).toEqual({
    broken: [],
    extraCreates: 1,
    excused: 0,
  })
  expect(judge(evidence([...killed, ...whole(1, 100)], [20, 120])).broken).toEqual([
    'a create followed that of a killed process within two seconds',
  ])
})

test('what a killed process had sent may arrive after it; what nobody sent may not', () => {
  expect(judge(evidence(killed, [40])).broken).toEqual([])
  expect(judge(evidence(killed, [20, 500])).broken).toEqual(['a create arrived that no process was sending'])
  expect(judge(evidence(whole(0, 0), [])).broken).toEqual(['a create was answered that never arrived'])
})

test('two that hold the lock, and two creates in flight, are found; but for one that was kept from running', () => {
  const first = [
    '0 locked 0',
    '0 create-sending 10',
    '0 create-failed 3000',
    '0 lost 3000',
    '0 releasing 3010',
  ]
  const both = [...first, ...whole(1, 2500)]
  expect(judge(evidence(both, [20, 2520])).broken).toEqual([
    'two held the lock: workers 0 and 1',
    'two creates were in flight: workers 0 and 1',
    'a create followed one whose outcome was not known',
  ])
  const stalled = [
    ...both.filter((step) => step !== '0 lost 3000'),
    '0 lost 2520',
    '0 stall-began 100',
    '0 stalled 2900',
  ]
  expect(judge(evidence(stalled, [20, 2530]))).toMatchObject({ broken: [], excused: 2 })
})

test('after a create whose outcome is not known there is none for five minutes, but where its lock was lost', () => {
  const failed = ['0 locked 0', '0 create-sending 10', '0 create-failed 60', '0 releasing 70']
  expect(judge(evidence([...failed, ...whole(1, 2600)], [20, 2620])).broken).toEqual([
    'a create followed one whose outcome was not known',
  ])
  expect(judge(evidence([...failed, ...whole(1, 2600)], [20, 2620], { jumpsNs: [ms(2000)] })).broken).toEqual(
    [],
  )
  const lost = [...failed.slice(0, 2), '0 lost 55', ...failed.slice(2)]
  expect(judge(evidence([...lost, ...whole(1, 2600)], [20, 2620])).broken).toEqual([])
})

test('a create after one whose answered sender lives and has its lock is found', () => {
  const unsaved = ['0 locked 0', '0 create-sending 10', '0 create-answered 50', '0 releasing 70']
  expect(judge(evidence([...unsaved, ...whole(1, 2600)], [20, 2620])).broken).toEqual([
    'a create followed one whose sender lived and had the lock',
  ])
})

test('a token that comes back is found, by whichever process; two at the same time are not told apart', () => {
  const found = (...reads: Evidence['reads']) => judge(evidence([], [], { reads })).broken
  expect(found(read(0, 'a', 0, 5), read(1, 'b', 10, 15), read(0, 'b', 20, 25))).toEqual([])
  expect(found(read(0, 'a', 0, 12), read(1, 'b', 10, 15), read(0, 'a', 11, 20))).toEqual([])
  expect(found(read(0, 'a', 0, 5), read(1, 'b', 10, 15), read(0, 'a', 20, 25))).toEqual([
    'a token came back that another had replaced',
  ])
})
