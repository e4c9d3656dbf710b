/** The demo of market data shows what it promises, in a pipe and on a terminal. */
import { describe, expect, test } from 'vitest'
import type { Io } from '../io.ts'
import { runQuotesDemo } from './quotes-demo.ts'

function recordingIo(more: Partial<Io> = {}): { readonly io: Io; readonly out: string[] } {
  const out: string[] = []
  const io: Io = {
    out: (line) => out.push(line),
    err: (line) => out.push(line),
    env: {},
    color: false,
    signal: new AbortController().signal,
    ...more,
  }
  return { io, out }
}

describe('demo --quotes', () => {
  test('shows prices, reconnects after a lost connection, reports the gap, and ends with a table', async () => {
    const { io, out } = recordingIo()
    expect(await runQuotesDemo({ keep: false, stepMs: 1, messages: 60 }, io)).toBe(0)
    const text = out.join('\n')
    for (const shown of [
      'token',
      'subscribed: 4 symbols',
      'the connection is lost',
      'reconnecting',
      'gap of',
    ]) {
      expect(text).toContain(shown)
    }
    expect(out.slice(-4).map((line) => line.split(' ')[0])).toEqual(['AAPL', 'TSLA', 'NVDA', 'MSFT'])
    expect(out.at(-1)).toMatch(/^MSFT +\d+\.\d\d /)
    // In a pipe the table is printed twice: with the prices before the loss, and with those after it.
    const tables = out.flatMap((line, at) => (line.startsWith('symbol ') ? [at] : []))
    expect(tables).toEqual([out.findIndex((line) => line.includes('is lost')) - 5, out.length - 5])
  })

  test('redraws the table in place on a terminal', async () => {
    const { io, out } = recordingIo({ isOutTerminal: true })
    expect(await runQuotesDemo({ keep: false, stepMs: 1, messages: 60 }, io)).toBe(0)
    expect(out.filter((line) => line.startsWith('\u001b[5A')).length).toBeGreaterThan(50)
  })

  test('reports that it was stopped before its end', async () => {
    const controller = new AbortController()
    const { io } = recordingIo({ signal: controller.signal })
    const out: string[] = []
    const ended = runQuotesDemo(
      { keep: false, stepMs: 1, messages: 1_000_000 },
      {
        ...io,
        out: (line) => {
          out.push(line)
          if (line.includes('subscribed')) controller.abort('SIGINT')
        },
      },
    )
    expect(await ended).toBe(130)
    expect(out.at(-1)).toContain('before the end')
  })

  test('prints the address of the service with --keep, and runs until it is stopped', async () => {
    const controller = new AbortController()
    const { io, out } = recordingIo({ signal: controller.signal })
    const stopping: Io = {
      ...io,
      out(line) {
        io.out(line)
        if (line.includes('gap of')) setTimeout(() => controller.abort('SIGINT'), 300)
      },
    }
    expect(await runQuotesDemo({ keep: true, stepMs: 1, messages: 20 }, stopping)).toBe(0)
    expect(out.join('\n')).toContain('export BROKERWIRE_MQTT_URL=')
    expect(out.join('\n')).toMatch(/console +open http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/m)
    expect(out.filter((line) => line.startsWith('symbol '))).toHaveLength(2)
  })
})
