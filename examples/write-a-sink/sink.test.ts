/** Runs the contract that each sink must pass. */
import { CONTRACT_ADDRESS, sinkContract } from '@brokerwire/relay/testing'
import { test } from 'vitest'
import { createSink, deleteStream } from './sink.ts'

const open = async () => ({
  openSink: () => createSink({ address: CONTRACT_ADDRESS, options: {}, onState: () => {} }),
  close: async () => deleteStream(CONTRACT_ADDRESS),
})
const cases = sinkContract({ open, truncation: false, restart: false, sizeLimit: false })
for (const { name, run } of cases) test(name, run)
