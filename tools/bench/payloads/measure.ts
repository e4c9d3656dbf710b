/** Measures every contender in one process; prints the nanoseconds of each round as JSON. */
import wireMessages from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { measureRounds } from '../rounds.ts'
import { type Contender, OURS, WITH_EVAL, WITHOUT_EVAL } from './contenders.ts'

const ROUNDS = 25
const ROUND_MS = 20

const clean = wireMessages.messages
  .filter(({ service, name }) => service === 'trade' && /^order [A-Z_]+$/.test(name))
  .map(({ message }) => message.payload)

/** Key order and the prototype of `extra` do not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** Who does less than the whole job must not be measured. */
function requireSameJob(name: string, contender: Contender): void {
  const withUnknownKey = clean.map((payload) => payload.replace('{', '{"later":[1],'))
  for (const payload of [...clean, ...withUnknownKey]) {
    if (canonical(contender(payload)) !== canonical(OURS(payload))) throw new Error(`${name}: another result`)
  }
  const fill = clean.find((payload) => payload.includes('filled_time')) ?? ''
  const wrong = [
    fill.replace(/"qty":"[^"]*"/, '"qty":"1,5"'),
    fill.replace(/"filled_time":"[^"]*"/, '"filled_time":"2026-02-30T00:00:00Z"'),
    fill.replace(/"symbol":"[^"]*"/, '"symbol":null'),
    fill.replace(/"actual_value":"[^"]*"/, '"actual_value":"x"'),
  ]
  for (const payload of wrong) {
    if (contender(payload) !== undefined) throw new Error(`${name}: took a wrong payload`)
  }
}

/** Goes round the payloads. */
function running(contender: (payload: string) => unknown): () => unknown {
  let next = 0
  return () => {
    const payload = clean[next] ?? ''
    next = next + 1 === clean.length ? 0 : next + 1
    return contender(payload)
  }
}

const contenders = { ours: OURS, ...WITHOUT_EVAL, ...WITH_EVAL }
for (const [name, contender] of Object.entries(contenders)) requireSameJob(name, contender)
const decoding = Object.fromEntries(Object.entries(contenders).map(([name, run]) => [name, running(run)]))
const rounds = await measureRounds({ json_parse: running(JSON.parse), ...decoding }, ROUNDS, ROUND_MS)
console.log(JSON.stringify(rounds))
