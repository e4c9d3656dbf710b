/** A program that takes one event from a server and ends its stream. The process must then exit by itself. */
import { createStreams } from '../create-streams.ts'
import { testSigner } from './frames.ts'

const streams = createStreams({ signer: testSigner(), eventsUrl: process.argv[2] })
for await (const item of streams.tradeEvents({ accounts: ['A1'] })) {
  if (item.type === 'event') break
}
process.stdout.write('ended')
