/**
 * Attacks on parsers and redactors of strings from other parties: strings that could be slow to read, with
 * long secrets, deep nesting and escapes of every kind.
 */
import { createRedactor } from '@brokerwire/core'
import { JsonLineError, readJsonWithLines } from '@brokerwire/core/internal'
import { createPayloads } from '@brokerwire/payloads'
import { compare, createSigner, isSignerError } from '@brokerwire/signer'
import { readLines } from '../../../packages/cli/src/decode/lines.ts'
import { parseEvent } from '../../../packages/cli/src/decode/parse-event.ts'
import { readRecords } from '../../../packages/cli/src/decode/records.ts'
import { createPseudonyms } from '../../../packages/cli/src/record/pseudonyms.ts'
import { eventLine } from '../../../packages/cli/src/render/event-line.ts'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'
import { drawEncoding } from './secrets.ts'

/** CPU time that a string may take. On an idle machine, the slowest functions need a tenth of this time. */
const MAX_MS = 150
const MAX_MS_PER_BYTE = 0.01

/** Number of characters of the largest strings. */
const MAX_LENGTH = 200_000

const ESCAPES = [
  '%',
  '%25',
  '%2525',
  '%C0%80',
  '%u0041',
  '\\',
  '\\\\',
  '\\u005c',
  '\\U0000005c',
  '\\x5c',
  '\\134',
  '&amp;',
  '&#38;',
  '&#x26',
  '&lt;',
  '&shy;',
  '+',
  '\r\n\t',
  '\u00ad',
]
const BRACKETS = ['[', '{"a":', '[{"a":', '{"payload":"', '{"accounts":[']

function repeated(unit: string, length: number): string {
  return unit === '' ? '' : unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}

/** Hostile strings, by kind. */
const TEXTS: Readonly<Record<string, (random: Random, length: number, secret: string) => string>> = {
  'escapes of one kind': (random, length) => repeated(random.pick(ESCAPES), length),
  'mixed escapes'(random, length) {
    return repeated(random.list(random.integer(2, 30), () => random.pick(ESCAPES)).join(''), length)
  },
  'parts of the secret'(random, length, secret) {
    return repeated(secret.slice(0, random.integer(1, secret.length - 1)) + random.pick(['', '.']), length)
  },
  'the secret, encoded'(random, length, secret) {
    const [, encode] = drawEncoding(random)
    return repeated(`${encode(secret.slice(0, 2000))}${random.pick(ESCAPES)}`, length)
  },
  'nesting without an end': (random, length) => repeated(random.pick(BRACKETS), length),
  'nesting with its end'(random, length) {
    const depth = random.integer(1, Math.floor(length / 2))
    return `{"order_id":${'['.repeat(depth)}${random.pick(['', '1', 'x'])}${']'.repeat(depth)}}`
  },
  'JSON in a text in JSON'(random, length) {
    let json = JSON.stringify({ account_id: random.hex(12), order_id: random.hex(8) })
    while (json.length < length / 2) json = JSON.stringify({ payload: json, note: random.text(20) })
    return json
  },
  'ids with the same beginning'(_, length) {
    const count = Math.min(600, Math.floor(Math.sqrt(length)))
    const ids = Array.from({ length: count }, (_, at) => 'A'.repeat(6 + at))
    return JSON.stringify({
      orders: ids.map((order_id) => ({ order_id })),
      note: repeated('AAAAAAB', length),
    })
  },
  'one long id': (_, length) => JSON.stringify({ account_id: repeated('Z9', length) }),
  'many names'(random, length) {
    const count = Math.floor(length / 16)
    const names = Array.from({ length: count }, (_, at) => [`${random.hex(4)}${at}`, at])
    return JSON.stringify({ [repeated('x', length / 4)]: Object.fromEntries(names) })
  },
  'a long string': (random, length) => `{"order_id":"${repeated(random.pick(['a', '\\n', '\\"']), length)}`,
}

type Reader = (text: string, random: Random, secret: string) => Promise<string | undefined>

/** The functions that are tested. Each returns a problem, if there is one. */
const READERS: Readonly<Record<string, Reader>> = {
  async redactor(text, random, secret) {
    const redact = createRedactor([secret, random.hex(28)])
    const shown = redact(text, random.pick([undefined, 200, 4096]))
    return shown.includes(secret) ? 'a secret was shown' : undefined
  },
  async decode(text) {
    const good = '{"order_id":"1","order_status":"FILLED"}'
    async function* input() {
      yield Buffer.from(`${text.replace(/[\r\n]/g, ' ')}\n${good}\n`)
    }
    const payloads = createPayloads()
    let last: unknown
    for await (const record of readRecords(readLines(input(), 2 ** 26), 2 ** 26)) {
      last = record
      if (!('value' in record)) continue
      const read = parseEvent(record.value, record.text, { payloads, as: undefined, eventType: undefined })
      if (read !== 'no-event' && 'event' in read) {
        eventLine(read.event, 0)
        JSON.stringify(read.event.decode())
      }
    }
    return (last as { readonly text?: string }).text === good ? undefined : 'the line after it was lost'
  },
  async pseudonyms(text, _, secret) {
    const pseudonyms = createPseudonyms(secret, ['ACCOUNT001', 'AAAAAAAA'])
    pseudonyms.replaceInJsonText(text)
    return pseudonyms.replaceInText(text).includes('ACCOUNT001') ? 'an account was shown' : undefined
  },
  async 'JSON with lines'(text) {
    try {
      readJsonWithLines(text).positionOf('payload.payload.note')
    } catch (error) {
      if (!(error instanceof JsonLineError)) return `no JsonLineError: ${String(error)}`
    }
    return undefined
  },
  async compare(text, random) {
    const signer = createSigner({ appKey: 'key', appSecret: random.hex(32) })
    try {
      const signed = await signer.sign({ host: 'a.example', path: '/x', body: text })
      const { url, headers } = signed
      await compare({ url, headers, body: text }, signed.canonical.replace(/.{3}$/s, 'xyz'))
      await compare({ url, headers, body: text }, text)
    } catch (error) {
      if (!isSignerError(error)) return `no SignerError: ${String(error)}`
    }
    return undefined
  },
}

const drawSecret = (random: Random): string => {
  const length = random.pick([16, 32, 64, 1000, 8000])
  return random.chance(0.5) ? random.hex(length) : Buffer.from(random.bytes(length)).toString('base64')
}

async function attack(context: AttackContext, random: Random): Promise<void> {
  const secret = drawSecret(random)
  const what = random.pick(Object.keys(TEXTS))
  const length = random.chance(0.8) ? random.integer(1, 10_000) : random.integer(10_000, MAX_LENGTH)
  const text = TEXTS[what]?.(random, length, secret) ?? ''
  for (const [name, read] of Object.entries(READERS)) {
    context.attack(name)
    const before = process.cpuUsage()
    const wrong = await read(text, random, secret)
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1000
    if (wrong !== undefined) context.fail(`${name}, ${what}: ${wrong}`)
    if (ms > MAX_MS + MAX_MS_PER_BYTE * Buffer.byteLength(text))
      context.fail(`${name}, ${what}: ${text.length} characters took ${Math.round(ms)} ms`)
  }
}

export const texts: Kind = {
  name: 'texts',
  promise:
    'the time for a string is proportional to its length, with any content and any length of the secrets; a line that cannot be decoded does not affect the next lines',
  counts: [2000, 60],
  async run(context) {
    for (let number = 0; number < context.total; number += 1)
      await attack(context, context.random.fork(`text ${number}`))
  },
}
