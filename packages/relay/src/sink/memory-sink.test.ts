import { describe } from 'vitest'
import { fenceSuite, sinkSuite } from '../test/sink-suite.ts'
import { createMemoryStream } from './memory-sink.ts'

describe('a memory sink', () => {
  const setUp = async () => {
    const stream = createMemoryStream('memory')
    return { open: async () => stream.open() }
  }
  sinkSuite(setUp)
  fenceSuite(setUp)
})
