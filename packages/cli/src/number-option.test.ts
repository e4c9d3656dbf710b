import { expect, test } from 'vitest'
import { COMMANDS } from './commands/index.ts'
import { parseDuration, timeSpan, waitingTime } from './number-option.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

test.each([
  ['1ms', 1],
  ['90s', 90_000],
  ['24d', 24 * 86_400_000],
  ['30d', 30 * 86_400_000],
  ['31d', undefined],
  ['0s', undefined],
  ['5', undefined],
  ['1.5h', undefined],
])('%s is read as %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test('a waiting time of 25 to 30 days used to end at once: more than 24 days are rejected', () => {
  const read = waitingTime()
  expect(parseDuration(read('24d', '--x'))).toBeLessThanOrEqual(LONGEST_TIMER_MS)
  for (const text of ['25d', '30d', '577h']) expect(() => read(text, '--x')).toThrow(/of at most 24 days/)
  expect(timeSpan()('30d', '--x')).toBe('30d')
})

test('every --timeout, --metrics and --poll-interval has a limit that timer and library accept, and help states it', () => {
  const waits = COMMANDS.flatMap(({ name, options = [] }) =>
    options
      .filter(({ flags }) => /^--(?:timeout|metrics|poll-interval) /.test(flags))
      .map(({ flags, help, parse }) => ({ name: `${name} ${flags}`, help, parse })),
  )
  expect(waits.length).toBeGreaterThanOrEqual(6)
  for (const { name, help, parse } of waits) {
    const isRequest = /^(?:request|api) /.test(name)
    expect(() => parse?.('25d', '--x'), name).toThrow(isRequest ? /of at most a day/ : /of at most 24 days/)
    expect(`${name}: ${help}`).toMatch(isRequest ? /1d/ : /24d/)
  }
})
