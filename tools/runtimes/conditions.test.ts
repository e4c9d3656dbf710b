/** The published file of `#crypto` for the conditions of each runtime. */
import { expect, test } from 'vitest'
import signer from '../../packages/signer/package.json' with { type: 'json' }
import { resolveTarget } from '../ci/lib/workspace.ts'

test.each([
  ['Workers', ['workerd', 'worker', 'browser'], 'workerd'],
  ['Workers with the condition node', ['workerd', 'node'], 'workerd'],
  ['the edge runtime of Vercel', ['edge-light', 'worker', 'browser'], 'web'],
  ['other workers', ['worker', 'browser'], 'web'],
  ['browsers', ['browser', 'module'], 'web'],
  ['Deno', ['deno', 'node'], 'native'],
  ['Bun', ['bun', 'node'], 'native'],
  ['Node', ['node'], 'native'],
  ['an unknown runtime', [], 'web'],
])('%s', (_runtime, conditions, name) => {
  const target = signer.imports['#crypto']
  expect(resolveTarget(target, conditions)).toBe(`./dist/crypto/${name}-runtime.js`)
  expect(resolveTarget(target, ['@brokerwire/source', ...conditions])).toBe(`./src/crypto/${name}-runtime.ts`)
})
