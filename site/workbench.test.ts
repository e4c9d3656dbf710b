import { accessTokenState } from '@brokerwire/tokens'
import { expect, test } from 'vitest'
import { RECORDING } from './.vitepress/theme/recording.ts'
import {
  EMPTY_VIEW,
  isPossible,
  TOKEN_STATES,
  TOKEN_STEPS,
  type TokenView,
} from './.vitepress/theme/token-steps.ts'

const take = (view: TokenView, label: string): TokenView => {
  const step = TOKEN_STEPS.find((candidate) => candidate.label.startsWith(label))
  if (step === undefined) throw new Error(`no step ${label}`)
  expect(isPossible(step, view), label).toBe(true)
  return step.apply(view)
}
const stateAfter = (...labels: string[]): string => accessTokenState(labels.reduce(take, EMPTY_VIEW).record)

test('goes through the life of a token that needs a code', () => {
  const create = ['Send a create', 'Response: PENDING']
  expect(stateAfter(...create)).toBe('pending')
  expect(stateAfter(...create, 'Check: NORMAL')).toBe('normal')
  expect(stateAfter(...create, 'Check: NORMAL', 'Wait 5', ...create)).toBe('renewing')
  expect(stateAfter(...create, 'Check: NORMAL', 'Wait 15 days')).toBe('expired')
  expect(stateAfter('Send a create', 'No response')).toBe('unresolved')
  expect(stateAfter('Send a create', 'The create is rejected')).toBe('none')
})

test('allows no response before a create', () => {
  const possible = TOKEN_STEPS.filter((step) => isPossible(step, EMPTY_VIEW)).map(({ label }) => label)
  expect(possible).toEqual(['Send a create request', 'Wait 5 minutes', 'Wait 15 days'])
})

test('describes each state that the steps can reach', () => {
  const states = new Set<string>()
  let views: TokenView[] = [EMPTY_VIEW]
  for (let depth = 0; depth < 5; depth += 1) {
    views = views.flatMap((view) =>
      TOKEN_STEPS.filter((step) => isPossible(step, view)).map((step) => step.apply(view)),
    )
    for (const { record } of views) states.add(accessTokenState(record))
  }
  expect([...TOKEN_STATES.keys()].filter((state) => !states.has(state))).toEqual([
    'unrecognized',
    'unreadable',
  ])
  expect([...states].filter((state) => !TOKEN_STATES.has(state as never))).toEqual([])
})

test('shows a gap between the events of the recording', () => {
  const kinds = RECORDING.map(({ kind }) => kind)
  const gap = RECORDING.map(({ isGap }) => isGap).lastIndexOf(true)
  expect(kinds.slice(gap - 2, gap + 2)).toEqual(['reconnecting', 'subscribed', 'gap', 'event'])
  expect(RECORDING[gap - 3]?.text).toBe('BRK.B SELL SUBMITTED, 0E-10 of 152.0000000000 filled')
})
