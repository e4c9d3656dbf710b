/** Text from files, arguments and services cannot control a terminal, forge a line, or show a secret. */
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { REDACTED } from '@brokerwire/core'
import { startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import http from '../../../testdata/vectors/http-signatures.json' with { type: 'json' }
import { runCli } from './cli.ts'
import { quoteNoticeLine } from './listen/quote-line.ts'
import { serviceLines } from './render/service-lines.ts'
import { environmentOf } from './test/environment.ts'
import { run, SOON } from './test/run.ts'
import { temporaryFile } from './test/temporary.ts'

/**
 * ESC, a C1 control character, a bidi mark, a line separator, a tag character, a carriage return, a lone
 * surrogate.
 */
const HOSTILE = '\u001b[2J\u009b1m\u202e\u2028\u{e0041}\r\ud800'
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const SECRET = 'correct horse/battery+staple'
const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: SECRET }
const [documented] = http.documented

/** A file with a hostile name. A name cannot contain a lone surrogate. */
async function hostileFile(content: string): Promise<string> {
  const file = await temporaryFile('plain', content)
  const path = join(dirname(file), 'a\u001b[2J\u009b\u202eb\nc')
  await rename(file, path)
  return path
}

describe('vectors', () => {
  test('escapes names, keys and texts of a file', async () => {
    const wrong = { ...documented, name: HOSTILE, canonical: HOSTILE }
    const keyed = { [HOSTILE]: [wrong, { ...documented, name: HOSTILE, signature: HOSTILE }] }
    const file = await hostileFile(JSON.stringify(keyed))
    const { status, out } = await run(['vectors', file, file])
    expect(status).toBe(1)
    expect(out.filter((line) => STEERS.test(line))).toEqual([])
    expect(out.join('\n')).toContain(String.raw`\u{1b}[2J\u{9b}1m\u{202e}\u{2028}\u{e0041}\u{d}\u{d800}`)
    expect(out.at(-1)).toBe('0 passed, 4 failed')
  })

  test('truncates long names', async () => {
    const file = await temporaryFile(
      'long',
      JSON.stringify([{ ...documented, name: 'x'.repeat(1e6), signature: '' }]),
    )
    expect((await run(['vectors', file])).out.join('\n').length).toBeLessThan(1000)
  })

  test.each(['{', '[]'])('escapes the name of a file that contains %j', async (content) => {
    const { err } = await run(['vectors', await hostileFile(content)])
    expect(err.length).toBe(1)
    expect(err.join()).not.toMatch(STEERS)
    expect(err.join()).toContain(String.raw`a\u{1b}[2J\u{9b}\u{202e}b`)
  })
})

describe('sign', () => {
  const URL_WITH_CONTROLS = 'https://a.example/p?q=%1B%5B2J%E2%80%AE%0A'

  test('escapes the canonical string on a terminal, and prints it unchanged otherwise', async () => {
    const args = ['sign', URL_WITH_CONTROLS, '--canonical']
    const { status, out } = await run(args, { env, isOutTerminal: true })
    expect(status).toBe(0)
    expect(out.filter((line) => STEERS.test(line))).toEqual([])
    expect(out.join('\n')).toContain(String.raw`q=\u{1b}[2J\u{202e}\u{a}`)
    expect((await run(args, { env })).out.join('\n')).toContain('q=\u001b[2J\u202e\n')
  })

  test('prints JSON with the exact value and without control characters', async () => {
    const { out } = await run(['sign', URL_WITH_CONTROLS, '--canonical', '--json'], { env })
    expect(out.length).toBe(1)
    expect(out.join()).not.toMatch(STEERS)
    expect(JSON.parse(out.join()).canonical).toContain('q=\u001b[2J\u202e\n')
  })
})

describe('listen', () => {
  async function service() {
    const simulator = await startSimulator({ environment: 'sandbox' })
    onTestFinished(() => simulator.close())
    return { simulator, env: environmentOf(serviceLines(simulator)) }
  }

  test('prints payloads as JSON without control characters that parses to the received value', async () => {
    const { simulator, env: settings } = await service()
    const stop = new AbortController()
    const running = run(['listen', 'trade', '--json', '--count', '1'], { env: settings, signal: stop.signal })
    await expect.poll(() => simulator.subscriptions().length, SOON).toBe(1)
    // The wire format is UTF-8, which cannot represent a lone surrogate.
    const payload = JSON.stringify({ symbol: HOSTILE.slice(0, -1) }).replace('\\r', ' ')
    const raw = `${payload.slice(0, -1)},"raw":"\u009b\u202e\u2028"}`
    simulator.emitTradeFrame({ payload: raw })
    const { out } = await running
    expect(out.filter((line) => STEERS.test(line))).toEqual([])
    expect(JSON.parse(out.at(-1) ?? '').payload).toBe(raw)
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'an order whose scene is %s is a line',
    async (scene) => {
      const { simulator, env: settings } = await service()
      const running = run(['listen', 'trade', '--count', '1'], { env: settings })
      await expect.poll(() => simulator.subscriptions().length, SOON).toBe(1)
      simulator.emitOrder({ payload: { scene_type: scene } })
      const { status, out } = await running
      expect({ status, lastOut: out.at(-1) }).toEqual({ status: 0, lastOut: expect.stringContaining(scene) })
    },
  )

  test('prints lines without control characters and of limited length', async () => {
    const { simulator, env: settings } = await service()
    const running = run(['listen', 'trade', '--count', '3'], { env: settings })
    await expect.poll(() => simulator.subscriptions().length, SOON).toBe(1)
    simulator.emitOrder({ payload: { symbol: HOSTILE, order_type: 'x'.repeat(1e6) } })
    simulator.emitTradeFrame({ eventType: 1032, payload: JSON.stringify({ [HOSTILE]: HOSTILE }) })
    simulator.emitTradeFrame({ payload: `{"symbol":"${HOSTILE.slice(0, -1)}` })
    const { out } = await running
    expect(out.length).toBe(5)
    expect(out.filter((line) => STEERS.test(line) || line.length > 2100)).toEqual([])
  })
})

describe('notices of market data', () => {
  test('escape symbols and codes', () => {
    const symbols = [{ category: 'US_STOCK', symbol: HOSTILE }]
    for (const notice of [
      { type: 'notice', kind: 'gap', atMs: 0, connection: 1, fromMs: 0, toMs: 1, symbols },
      { type: 'notice', kind: 'rejected', atMs: 0, symbols, types: [], code: HOSTILE, message: undefined },
    ] as const) {
      expect(quoteNoticeLine(notice)).not.toMatch(STEERS)
      expect(quoteNoticeLine(notice)).toContain(String.raw`\u{1b}[2J\u{9b}1m\u{202e}`)
    }
  })
})

describe('errors', () => {
  test('escape arguments, and begin no line with them', async () => {
    for (const args of [
      ['listen', `a${HOSTILE}`],
      [`a${HOSTILE}`],
      ['sign', `x${HOSTILE}`],
      ['listen', 'trade', '--count', `5\nCLI_FORGED: ${HOSTILE}`],
      ['sign', 'https://a.example/', '--body-file', `no\nsuch${HOSTILE}file`],
    ]) {
      const { status, err } = await run(args, { env })
      expect(status).toBe(2)
      expect(err.filter((line) => STEERS.test(line) || /^(CLI_FORGED|such)/.test(line))).toEqual([])
    }
  })

  test('still suggest the intended name', async () => {
    const { err } = await run(['listne'])
    expect(err).toEqual(['unknown command "listne". Did you mean "listen"?', '(--help shows the options)'])
  })

  test.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
  ])('do not show the app secret, %s', async (_, quoted) => {
    const { err } = await run(['sign', 'https://a.example/', '--body-file', `/nowhere/${quoted}`], { env })
    expect(err).toEqual([`CLI_INPUT_UNREADABLE: /nowhere/${REDACTED} cannot be read: ENOENT`])
  })

  test('do not show an app secret from a file', async () => {
    const file = await temporaryFile('secret', SECRET)
    const settings = { BROKERWIRE_APP_KEY: 'key' }
    const args = ['sign', `https://a.example/#${SECRET}`, '--app-secret-file', file]
    const { err } = await run([...args, '--body', SECRET], { env: settings })
    expect(err.join()).not.toContain(SECRET)
  })

  test('of this program are printed with their stack and status 70', async () => {
    const lines: string[] = []
    const broken = new Error(`broken by ${SECRET}\u001b[2J`)
    const status = await runCli(['sign', 'https://a.example/'], {
      out: () => {
        throw broken
      },
      err: (line) => lines.push(line),
      env,
      color: false,
      signal: new AbortController().signal,
    })
    expect(status).toBe(70)
    expect(lines.slice(0, 2)).toEqual(['unexpected Error', `Error: broken by ${REDACTED}\\u{1b}[2J`])
    expect(lines.length).toBeGreaterThan(3)
  })
})

test('the name of a folder is escaped too', async () => {
  const folder = join(dirname(await temporaryFile('beside', '')), 'x\u001b[2J')
  await mkdir(folder)
  const { err } = await run(['vectors', folder])
  expect(err.join()).toMatch(
    /^CLI_INPUT_UNREADABLE: .*x\\u\{1b\}\[2J must be a regular file; received a directory$/,
  )
})
