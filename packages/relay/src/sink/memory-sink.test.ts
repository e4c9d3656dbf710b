import { describe } from 'vitest'
import { contractSuite } from '../test/contract-suite.ts'
import { createMemoryStream } from './memory-sink.ts'

describe('a memory sink', () => {
  const open = async () => {
    const stream = createMemoryStream('memory')
    return { openSink: stream.open, truncate: async (sequence: number) => stream.truncate(sequence) }
  }
  contractSuite({ open, restart: false, sizeLimit: false })
})
