import { expect, test } from 'vitest'
import { getEarlyEndStatus, getEndStatus } from './limits.ts'

/** Signals of a command that timed out and was stopped while it wrote its last cursor. */
function both(count?: number) {
  const [timedOut, stop] = [new AbortController(), new AbortController()]
  const signal = AbortSignal.any([stop.signal, timedOut.signal])
  timedOut.abort(new DOMException('over', 'TimeoutError'))
  stop.abort('SIGTERM')
  const flags = { timeout: '5s', ...(count === undefined ? {} : { count }) }
  return { flags, limits: { timedOut: timedOut.signal, signal }, io: { signal: stop.signal } }
}

test.each([
  [getEndStatus, 10],
  [getEarlyEndStatus, 10],
  [getEarlyEndStatus, undefined],
])('a listener that was stopped at its timeout ends as stopped: %o, with a count of %s', (end, count) => {
  const about = both(count)
  let thrown: unknown
  try {
    end(about.limits.signal.reason, count, 'events', about)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBe('SIGTERM')
})

test('an unexpected error is a defect', () => {
  const defect = new TypeError('of this program')
  for (const end of [getEndStatus, getEarlyEndStatus])
    expect(() => end(defect, undefined, 'events', both())).toThrow(defect)
})
