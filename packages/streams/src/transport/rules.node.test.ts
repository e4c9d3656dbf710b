/**
 * The rules of gRPC over HTTP/2 and of Connect transports, on this transport and, in the full set, on that of connect-node.
 *
 * A row states each difference and its reason, and fails if there is no difference. After each row, this transport leaves no stream
 * at the server and no handle in the process.
 */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { activeResources, leakedResources, until } from '../test/transport/active-resources.ts'
import { createHarness, type Harness, TRANSPORTS } from '../test/transport/harness.ts'
import { RULES, rulesPage } from '../test/transport/rules/table.ts'

let harness: Harness | undefined
afterEach(() => harness?.close())

test('the rules have different names', () => {
  const ids = RULES.flatMap(({ rules }) => rules.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

test('the rules are those of TRANSPORT-RULES.md, which `vitest --update` writes', async () => {
  await expect(rulesPage()).toMatchFileSnapshot('../../TRANSPORT-RULES.md')
})

describe.each(RULES)('$name', ({ rules }) => {
  describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (_id, rule) => {
    const { connectNode } = rule
    const hasOther = inject('isFullRun') && !(connectNode && 'notRun' in connectNode)
    const runs = TRANSPORTS.filter((name) => name === 'ours' || hasOther)
    test.each(runs)('%s', async (name) => {
      const before = activeResources()
      harness = createHarness(name)
      const differs = name === 'connect-node' && connectNode !== undefined && 'expected' in connectNode
      if (differs) expect(connectNode.expected).not.toEqual(rule.expected)
      expect(await rule.run(harness)).toEqual(differs ? connectNode.expected : rule.expected)
      if (name !== 'ours') return
      expect(await until(() => harness?.openStreams === 0)).toBe(true)
      await harness.close()
      expect(await leakedResources(before)).toEqual([])
    })
  })
})
