/** `brokerwire decode`: decodes payloads and lines of `listen --json`, and reports errors with line and field. */
import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { run } from '../test/run.ts'
import { startService } from '../test/service.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off')
const schema = JSON.parse(
  await readFile(new URL('../../schemas/decode.schema.json', import.meta.url), 'utf8'),
)
const validate = new Ajv2020({ strict: false }).compile(schema)

const POSITION = {
  event_name: 'Rain?',
  yes_condition: 'Above 10 mm',
  settle_result: 'YES',
  settle_side: 'YES',
  quantity: '10.00',
  cost: '4.20',
  settle_amount: '0E-10',
}
const MODULE = {
  id: 'e1',
  event_type: 'SOD',
  payload: { business_date: '2026-03-04', cash: 12.5 },
}
const decode = (input: string | AsyncIterable<Uint8Array>, ...flags: readonly string[]) =>
  run(['decode', ...flags], { input })

/** The objects of `--json`, validated with the schema. */
async function objects(input: string, ...flags: readonly string[]) {
  const { status, out, err } = await decode(input, '--json', ...flags)
  const lines = out.map((line) => JSON.parse(line))
  for (const line of lines) expect({ line, isValid: validate(line) }).toEqual({ line, isValid: true })
  return { status, lines, err }
}

describe('lines of listen --json', () => {
  test.each(['trade', 'position', 'module'])(
    'of the %s stream read as listen printed them',
    async (stream) => {
      const listened = await service.run(['listen', stream, '--json', '--count', '6'])
      const events = listened.out.map((line) => JSON.parse(line)).filter(({ type }) => type === 'event')
      const text = listened.out.join('\n')
      const { status, lines, err } = await objects(text)
      expect({ status, err }).toEqual({ status: 0, err: [] })
      expect(lines.map(({ kind, decoded }) => [kind, decoded])).toEqual(
        events.map(({ kind, decoded }) => [kind, decoded]),
      )
      const { out } = await decode(text)
      // The printed time is the time at which the event was received.
      expect(out.map((line) => line.slice(0, 12))).toEqual(
        events.map(({ receivedAtMs }) => new Date(receivedAtMs).toISOString().slice(11, 23)),
      )
      const payloads = await decode(events.map(({ payload }) => payload).join('\n'))
      expect({ status: payloads.status, outLines: payloads.out.length, err: payloads.err }).toEqual({
        status: 0,
        outLines: 6,
        err: [],
      })
      expect(payloads.out.map((line) => line.slice(12))).toEqual(out.map((line) => line.slice(12)))
    },
  )

  test.each([
    [{ payload: 5 }, 'payload: expected a string'],
    [{ frame: 'x' }, 'frame: expected an object'],
    [{ frame: { eventType: 'FUNDING', id: 7 } }, 'frame.id: expected a string'],
    [{ stream: 'orders' }, 'stream: expected trade, position, account or module'],
    [{ stream: 'trade', kind: 'ordre' }, 'kind: expected order'],
    [{ stream: 'trade', kind: 'order' }, 'frame.eventType: expected a number'],
    [{ receivedAtMs: 1e300 }, 'receivedAtMs: expected milliseconds'],
  ])('are reported by their field if %j replaces it', async (change, message) => {
    const line = {
      stream: 'module',
      type: 'event',
      frame: { eventType: 'SOD' },
      receivedAtMs: 0,
      payload: '{}',
    }
    const { status, out, err } = await decode(`\n${JSON.stringify({ ...line, ...change })}\n`)
    expect({ status, out, err }).toEqual({
      status: 1,
      out: [],
      err: [expect.stringContaining(`line 2: ${message}`)],
    })
  })
})

test('error lines have a limited length, however long a name or a value is', async () => {
  const name = 'x'.repeat(200_000)
  const strict = { ...MODULE, [name]: 1, payload: { ...MODULE.payload, [name]: name } }
  for (const [text, ...flags] of [
    [JSON.stringify(strict), '--strict'],
    [JSON.stringify({ ...POSITION, event_name: [name] })],
    [`${JSON.stringify(POSITION).slice(0, -1)},"${name}`],
  ] as const) {
    const { err } = await run(['decode', ...flags], { input: text })
    expect(err.length).toBeGreaterThan(0)
    expect(err.filter((line) => line.length > 510)).toEqual([])
  }
  // Lines for people have space for the longest possible path.
  const { err } = await run([name])
  expect(Math.max(...err.map((line) => line.length))).toBeLessThan(6010)
})

describe('payloads', () => {
  test('have the kind that their fields show, and keep every digit', async () => {
    const text = `${JSON.stringify(POSITION)}\n${JSON.stringify(MODULE).replace('12.5', '12.500000000000000001')}\n`
    const { status, lines } = await objects(text)
    expect(status).toBe(0)
    expect(lines.map(({ line, kind }) => [line, kind])).toEqual([
      [1, 'position'],
      [2, 'module'],
    ])
    expect(lines[0].decoded).toMatchObject({ eventName: 'Rain?', settleAmount: '0E-10' })
    expect(JSON.stringify(lines[1].decoded)).toContain('12.500000000000000001')
    // In an earlier version, a number with too many digits for a double was reported as an unknown field.
    expect((await decode(text)).out[1]).toContain('cash=12.500000000000000001')
  })

  test('may span several lines, as jq writes them', async () => {
    const { status, out } = await decode(
      `${JSON.stringify(POSITION, undefined, 2)}\n\n${JSON.stringify(POSITION)}`,
    )
    expect({ status, out: out.map((line) => line.slice(0, 24).trimEnd()) }).toEqual({
      status: 0,
      out: ['line 1        position', 'line 11       position'],
    })
  })

  test('need --as if they have no distinctive fields', async () => {
    const { status, err } = await decode('{"a":1}')
    expect({ status, err: err.join() }).toEqual({
      status: 1,
      err: expect.stringMatching(/^line 1: payload: expected .*--as/),
    })
    const orders = await decode('{"a":1}', '--as', 'order')
    expect(orders.status).toBe(1)
    expect(orders.err).toContain('line 1: account_id: missing, expected a value')
    const { lines } = await objects('{"biz_type":"TRANSFER_2"}', '--event-type', 'FUNDING')
    expect(lines).toMatchObject([{ ok: true, kind: 'module', decoded: { eventType: 'FUNDING' } }])
  })

  test('are reported with the path and the received type of each invalid field', async () => {
    const wrong = { ...POSITION, quantity: 'many', cost: undefined }
    const { status, out, err } = await decode(`${JSON.stringify(wrong)}\n${JSON.stringify(POSITION)}`)
    expect({ status, outLines: out.length }).toEqual({ status: 1, outLines: 1 })
    expect(err).toEqual([
      expect.stringMatching(/^line 1: quantity: expected a decimal.*, got many$/),
      expect.stringMatching(/^line 1: cost: missing, expected a value$/),
    ])
    const { lines } = await objects(JSON.stringify(wrong))
    expect(lines).toMatchObject([
      { ok: false, kind: 'position', problems: [{ field: 'quantity', excerpt: 'many' }, { field: 'cost' }] },
    ])
  })

  test('are reported with every difference from the documents if --strict is set', async () => {
    const text = JSON.stringify({ ...POSITION, later: true })
    expect((await decode(text)).err).toEqual([])
    const { status, err } = await decode(text, '--strict')
    expect({ status, err }).toEqual({
      status: 0,
      err: [expect.stringMatching(/^line 1: note: later: expected/)],
    })
  })

  test('cannot send control sequences to the terminal', async () => {
    const text = JSON.stringify({ ...POSITION, event_name: '\u001b[2J\u202e' })
    for (const flags of [[], ['--json']]) {
      const { out } = await decode(text, ...flags)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
      expect(out.join()).not.toMatch(/[\u001b\u202e]/)
    }
  })
})

describe('input that is not JSON', () => {
  const good = JSON.stringify(POSITION)

  test.each([
    ['a line that ends too early', `{"a":\n${good}`, 'line 1, column 6: payload: expected JSON'],
    [
      'a text without its end',
      `{"a":"\n${good}`,
      'line 1, column 6: payload: expected JSON (a closing quote instead of the end)',
    ],
    [
      'a comma too many, on the third line',
      `{\n"a":1,\n}\n${good}`,
      'line 3, column 1: payload: expected JSON',
    ],
    [
      'nesting without an end',
      `{"a":${'['.repeat(5000)}\n${good}`,
      'line 1, column 106: payload: expected JSON (at most 100 levels instead of "[")',
    ],
    [
      'deep nesting with a wrong value in it',
      `{"a":${'['.repeat(5000)}x${']'.repeat(5000)}}\n${good}`,
      'line 1, column 106: payload: expected JSON (at most 100 levels instead of "[")',
    ],
    ['no object', `[1]\n${good}`, 'line 1, column 1: payload: expected a JSON object'],
    ['words', `hello\n${good}`, 'line 1, column 1: payload: expected JSON (a JSON value instead of "h")'],
    [
      'bytes of something else',
      Buffer.from(`ff00fe0a${Buffer.from(good).toString('hex')}`, 'hex'),
      'line 1: payload: expected text in UTF-8',
    ],
  ])('affects only %s, and the next object is decoded', async (_, input, message) => {
    const { status, out, err } = await decode(Readable.from([Buffer.from(input)]))
    expect({ status, outLines: out.length, errLines: err.length }).toEqual({
      status: 1,
      outLines: 1,
      errLines: 1,
    })
    expect(err.join()).toContain(message)
  })

  test('is read in chunks that end anywhere, also within a character', async () => {
    const bytes = Buffer.from(
      `${JSON.stringify({ ...POSITION, event_name: 'Regen über 10 mm? \u{1f327}' })}\r\n`,
    )
    const { status, out } = await decode(
      Readable.from(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))),
    )
    expect({ status, out: out.join() }).toEqual({
      status: 0,
      out: expect.stringContaining('Regen über 10 mm? \u{1f327}'),
    })
  })

  test('gives no event and no error if it is empty', async () => {
    expect(await decode('')).toEqual({ status: 0, out: [], err: [] })
  })
})

test('/dev/zero is rejected before it fills the memory', () => {
  const args = ['--max-old-space-size=128', COMMAND, 'decode']
  const stdio = [openSync('/dev/zero', 'r'), 'pipe', 'pipe'] as const
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: [...stdio], encoding: 'utf8' })
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(
      /^CLI_INPUT_UNREADABLE: standard input must have lines of at most \d+ bytes; line 1 is longer\n$/,
    ),
  })
}, 60_000)
