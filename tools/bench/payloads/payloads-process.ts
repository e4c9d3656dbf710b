/** Measures all decoders in one process, after it has checked that they return the same result. */
import { strict as assert } from 'node:assert'
import { serveCalls } from '@brokerwire/testing/child-calls'
import wireMessages from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { measureRounds } from '../rounds.ts'
import { type Decode, decodeOrder, WITH_EVAL, WITHOUT_EVAL } from './libraries.ts'

const ROUND_MS = 20

const clean = wireMessages.messages
  .filter(({ service, name }) => service === 'trade' && /^order [A-Z_]+$/.test(name))
  .map(({ message }) => message.payload)

/** Returns a copy for the comparison, so that a different prototype of `extra` makes no difference. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

/**
 * Fails if a library returns another result than our decoder, because the library could be faster only
 * because it does less.
 */
function requireSameResult(name: string, decode: Decode): void {
  const withUnknownKey = clean.map((payload) => payload.replace('{', '{"later":[1],'))
  for (const payload of [...clean, ...withUnknownKey]) {
    assert.deepEqual(plain(decode(payload)), plain(decodeOrder(payload)), name)
  }
  const fill = clean.find((payload) => payload.includes('filled_time')) ?? ''
  const wrong = [
    fill.replace(/"qty":"[^"]*"/, '"qty":"1,5"'),
    fill.replace(/"filled_time":"[^"]*"/, '"filled_time":"2026-02-30T00:00:00Z"'),
    fill.replace(/"symbol":"[^"]*"/, '"symbol":null'),
    fill.replace(/"actual_value":"[^"]*"/, '"actual_value":"x"'),
  ]
  for (const payload of wrong) {
    assert.equal(decode(payload), undefined, `${name}: accepted a wrong payload`)
  }
}

/** Returns a function that decodes the next payload at each call, and starts again after the last payload. */
function inTurn(decode: (payload: string) => unknown): () => unknown {
  let next = 0
  return () => {
    const payload = clean[next] ?? ''
    next = next + 1 === clean.length ? 0 : next + 1
    return decode(payload)
  }
}

const decoders = { ours: decodeOrder, ...WITHOUT_EVAL, ...WITH_EVAL }
for (const [name, decode] of Object.entries(decoders)) requireSameResult(name, decode)

const cases = Object.entries({ json_parse: JSON.parse, ...decoders })
const runs = Object.fromEntries(cases.map(([name, decode]) => [name, inTurn(decode)]))

const commands = {
  async measure(rounds: number) {
    return { rounds: await measureRounds(runs, rounds, ROUND_MS), withEval: Object.keys(WITH_EVAL) }
  },
}
export type PayloadCommands = typeof commands
serveCalls(commands)
