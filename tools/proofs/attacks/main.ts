/**
 * `pnpm test:attacks [--short] [--only KIND] [--seed N] [--count N]`: what an attacker would try, with random seeds,
 * against the packages themselves and real servers. Prints a count for each kind and each sort of attack, and ends with
 * status 1 where one of them broke what is promised. The same seed makes the same attacks.
 */
import { parseArgs } from 'node:util'
import { KINDS } from './kinds.ts'
import { runKind } from './run-kind.ts'

/** Texts of broken promises that are shown for one kind. */
const SHOWN = 10

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    seed: { type: 'string' },
    count: { type: 'string' },
  },
})
const whole = (option: string, text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${option}: expected a whole number`)
  return number
}
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : whole('seed', values.seed)
const names = KINDS.map(({ name }) => name)
for (const name of values.only ?? []) {
  if (!names.includes(name)) throw new Error(`--only: expected one of ${names.join(', ')}`)
}

console.log(`seed ${seed}`)
const chosen = KINDS.filter(({ name }) => values.only?.includes(name) ?? true)
const startedAt = performance.now()
let attacks = 0
let broken = 0
for (const kind of chosen) {
  const [full, short] = kind.counts
  const count = values.count === undefined ? (values.short ? short : full) : whole('count', values.count)
  const kindStartedAt = performance.now()
  const outcome = await runKind(kind, seed, count)
  attacks += outcome.attacks
  broken += outcome.broken.length
  const seconds = `${((performance.now() - kindStartedAt) / 1000).toFixed(1)} s`
  const verdict = outcome.broken.length === 0 ? 'holds ' : 'BROKEN'
  console.log(
    `${verdict}  ${seconds.padStart(7)}  ${kind.name}: ${outcome.attacks} attacks, ${outcome.broken.length} broken`,
  )
  console.log(`                  promised: ${kind.promise}`)
  console.log(`                  ${[...outcome.sorts].map(([sort, n]) => `${sort} ${n}`).join(', ')}`)
  for (const what of [...new Set(outcome.broken)].slice(0, SHOWN))
    console.log(`                  BROKEN: ${what}`)
  if (outcome.broken.length > 0) {
    const counted = values.count === undefined ? '' : ` --count ${count}`
    const shortened = values.short ? ' --short' : ''
    console.log(
      `                  again: pnpm test:attacks --only ${kind.name} --seed ${seed}${shortened}${counted}`,
    )
  }
}
const seconds = Math.round((performance.now() - startedAt) / 1000)
console.log(`${attacks} attacks of ${chosen.length} kinds, ${broken} broken, ${seconds} s`)
// Not by itself: what a broken promise left open must not keep a failed run waiting.
process.exit(broken === 0 ? 0 : 1)
