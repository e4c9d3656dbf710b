/**
 * `pnpm sentences [--seed N] [--count N]`: draws sentences from what users read, to be held against the code or a run by
 * somebody who did not write them. The specification and the facts are others' words and are left out.
 */
import { parseArgs } from 'node:util'
import { createSeededRandom } from '@brokerwire/core/testing'
import { readmeDocuments } from '../check-readme/documents.ts'
import { draw, sentencesOf } from './sentences.ts'

const OF_OTHERS = new Set(['docs/specification.md', 'docs/facts.md'])

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string', default: '100' } },
})
const seed = Number(values.seed ?? Date.now() % 2 ** 32)
const count = Number(values.count)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1) {
  console.error('sentences: --seed and --count take whole numbers')
  process.exit(2)
}
const documents = (await readmeDocuments()).filter(({ file }) => !OF_OTHERS.has(file))
const all = documents.flatMap(({ file, text }) => sentencesOf(file, text))
for (const { file, line, text } of draw(all, count, createSeededRandom(seed)))
  console.log(`${file}:${line}: ${text}`)
console.log(`${Math.min(count, all.length)} of ${all.length} sentences, seed ${seed}`)
