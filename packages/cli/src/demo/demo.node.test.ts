import { isBrokerwireError } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import type { Io } from '../io.ts'
import { type DemoOptions, runDemo } from './demo.ts'

const QUICK = { keep: false, stepMs: 5, approvalDelayMs: 5, pollIntervalMs: 20 } as const

/**
 * Runs the demo.
 *
 * @param onLine - Receives each printed line, and a function that stops the demo.
 */
async function play(
  options: DemoOptions,
  onLine: (line: string, stop: (reason?: string) => void) => void = () => undefined,
): Promise<{ readonly status: number; readonly lines: readonly string[] }> {
  const lines: string[] = []
  const stop = new AbortController()
  const io: Io = {
    out(line) {
      lines.push(line)
      onLine(line, (reason = 'SIGINT') => stop.abort(reason))
    },
    err: (line) => lines.push(line),
    env: {},
    color: false,
    signal: stop.signal,
  }
  return { status: await runDemo(options, io), lines }
}

describe('the demo', () => {
  test('shows everything that its help lists', async () => {
    const { status, lines } = await play(QUICK)
    const text = lines.join('\n')
    expect(status).toBe(0)
    expect(text).toMatch(
      /PENDING[\s\S]*entered the code[\s\S]*NORMAL[\s\S]*subscribed[\s\S]*lost[\s\S]*resumed/,
    )
    for (const what of ['placed', 'partly filled', 'filled', 'failed', 'changed', 'cancelled', 'settled']) {
      expect(text).toMatch(new RegExp(`(order|position) +${what} `))
    }
    expect(text).toMatch(/trade stream: gap: events from \S+ to \S+ may be lost/)
    expect(text).toMatch(
      /module stream: 26 of 26 events delivered; reconnects 1, resumed 1, duplicates dropped 9, gaps/,
    )
    expect(text).toMatch(/trade stream: 14 of 15 events delivered, 1 lost in the gap/)
  })

  test('prints no credentials without --keep', async () => {
    const { lines } = await play(QUICK, (line, stop) => line.includes('PENDING') && stop())
    expect(lines.join('\n')).not.toContain('BROKERWIRE_APP_SECRET')
  })

  test('prints addresses and credentials with --keep, and runs until it is stopped', async () => {
    let after = 0
    const { status, lines } = await play({ ...QUICK, keep: true }, (line, stop) => {
      if (line.includes('runs until')) after = 1
      else if (after > 0 && / (order|module) /.test(line)) stop()
    })
    expect(status).toBe(0)
    expect(lines.join('\n')).toMatch(/export BROKERWIRE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/)
    expect(lines.join('\n')).toMatch(/export BROKERWIRE_APP_SECRET=\S+/)
    expect(lines).toContain('Summary')
  })

  test.each([
    'runs in production mode',
    'requesting an access token',
    'PENDING',
    'NORMAL',
    'trade stream: subscribed',
    'filled',
    'all stream connections are lost',
    'reconnecting',
    'can be reached again',
    'resumed',
    'cancelled',
  ])('stops cleanly at the line "%s"', async (marker) => {
    const { status, lines } = await play(QUICK, (line, stop) => line.includes(marker) && stop())
    expect(status).toBe(130)
    expect(lines.at(-1)).toContain('stopped')
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['output', 0],
  ])('stopped by %s before its end has status %i', async (reason, expected) => {
    const quick = await play(QUICK, (line, stop) => line.includes('PENDING') && stop(reason))
    expect(quick.status).toBe(expected)
  })

  test('ends with the error of an output that fails', async () => {
    const failed = play(QUICK, (line) => {
      if (line.includes('NORMAL')) throw new Error('the terminal is gone')
    })
    const error = await failed.catch((reason: unknown) => reason)
    expect(isBrokerwireError(error)).toBe(false)
    expect(error).toMatchObject({ message: 'the terminal is gone' })
  })
})
