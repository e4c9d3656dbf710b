import { test } from 'vitest'
import { fuzzPayloads } from './test/fuzz.ts'

test('what must hold for any payload holds for 2000 made-up ones', () => {
  fuzzPayloads(2_000, 20_260)
})
