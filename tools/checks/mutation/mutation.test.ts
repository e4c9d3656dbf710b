/** A mutant by its text, and what a run's mutants mean beside the list. */
import { describe, expect, it } from 'vitest'
import { judge, type Listed, type Mutant } from './judge.ts'
import { spotOf } from './spot.ts'

const FILE = 'packages/signer/src/x.ts'
const mutant = (to: string, fate: Mutant['fate'], file = FILE): Mutant => ({
  file,
  from: 'a < b',
  to,
  fate,
  line: 7,
})
const listed = (to: string, file = FILE): Listed => ({ file, from: 'a < b', to, reason: 'because' })
const killed = (count: number): Mutant[] =>
  Array.from({ length: count }, (_, i) => mutant(`killed ${i}`, 'Killed'))

describe('spotOf', () => {
  const source = 'const one = 1\nif (one < 2) {\n  run()\n}\n'

  it('shows the line before and after', () => {
    const location = { start: { line: 2, column: 5 }, end: { line: 2, column: 12 } }
    expect(spotOf(source, location, 'one <= 2')).toEqual({
      from: 'if (one < 2) {',
      to: 'if (one <= 2) {',
    })
  })

  it('joins the lines of a block, wherever it stands', () => {
    const location = { start: { line: 2, column: 14 }, end: { line: 4, column: 2 } }
    const spot = { from: 'if (one < 2) { run() }', to: 'if (one < 2) {}' }
    expect(spotOf(source, location, '{}')).toEqual(spot)
    const lower = { start: { line: 4, column: 14 }, end: { line: 6, column: 2 } }
    expect(spotOf(`\n\n${source}`, lower, '{}')).toEqual(spot)
  })
})

describe('judge', () => {
  it('is content where the survivors are those of the list', () => {
    const mutants = [...killed(19), mutant('a <= b', 'Survived')]
    const { lines, problems } = judge(mutants, [listed('a <= b')], true)
    expect(problems).toEqual([])
    expect(lines).toContain('  95.0 %    20 mutants    1 survive  in total')
    expect(lines.slice(-4)).toEqual([`${FILE}:7`, '  - a < b', '  + a <= b', '  because'])
  })

  it('names a survivor that is not listed, and code that no test runs', () => {
    const mutants = [...killed(28), mutant('a <= b', 'Survived'), mutant('a > b', 'NoCoverage')]
    const { lines, problems } = judge(mutants, [], true)
    expect(problems).toEqual([
      `${FILE}:7: survives and is not listed`,
      `${FILE}:7: survives and is not listed`,
    ])
    expect(lines).toContain('  not listed')
    expect(lines).toContain('  not listed, runs in no test')
  })

  it('names what is listed and does not survive any more', () => {
    const mutants = [...killed(20), mutant('a <= b', 'Killed')]
    expect(judge(mutants, [listed('a <= b')], true).problems).toEqual([
      `${FILE}: listed, but does not survive: a <= b`,
    ])
  })

  it('takes a timeout for a kill, and for no proof against the list', () => {
    const mutants = [...killed(20), mutant('a <= b', 'Timeout')]
    const { lines, problems } = judge(mutants, [listed('a <= b')], true)
    expect(problems).toEqual([])
    expect(lines.slice(-2)).toEqual([
      ' 100.0 %    21 mutants    0 survive  in total',
      '1 of the killed ran too long: endless loops, or a busy machine',
    ])
  })

  it('fails below 90 %, and not at it', () => {
    const survivor = mutant('a <= b', 'Survived')
    expect(judge([...killed(9), survivor], [listed('a <= b')], true).problems).toEqual([])
    expect(judge([...killed(8), survivor], [listed('a <= b')], true).problems).toEqual([
      'the score is below 90 %',
    ])
  })

  it('asks of a run of some files neither the goal nor the rest of the list', () => {
    const survivor = mutant('a <= b', 'Survived')
    const list = [listed('a <= b'), listed('a <= b', 'packages/signer/src/y.ts')]
    expect(judge([survivor], list, false).problems).toEqual([])
    expect(judge([survivor], list, true).problems).toHaveLength(2)
  })
})
