/** The internals of `fetch` in the Node of this run. `pnpm runtimes --all` runs the same cases in each supported Node. */
import { expect, test } from 'vitest'
import { nodeFetchCases, requireCheckedNode } from '../test/node-fetch-cases.ts'
import { createSendControl } from './any.ts'

test.each(Object.entries(nodeFetchCases(createSendControl)))('%s', (_, run) => run())

test('a version of Node that was not checked fails, and states what to check', () => {
  expect(() => requireCheckedNode('20.19.0')).not.toThrow()
  expect(() => requireCheckedNode('28.0.0')).toThrow(
    /^Node 28 was not checked .*node-fetch\.ts.*pnpm runtimes --all/,
  )
})
