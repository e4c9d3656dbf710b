import { inject, test } from 'vitest'
import { fuzzPayloads } from './test/fuzz.ts'

test('generated payloads keep every invariant', () => {
  fuzzPayloads(inject('isFullRun') ? 2_000 : 200, 20_260)
})
