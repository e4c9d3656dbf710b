/**
 * A program that makes one call for each way to end, each over a transport that is never closed. It must exit after the last call.
 * Its argument is the server's address. The request states how the server ends the call.
 */
import { createStreamClient } from '../../transport/create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from '../../transport/create-stream-transport.ts'
import { Echo } from './echo-service.ts'
import { codeName } from './outcome.ts'

const baseUrl = String(process.argv[2])
const transports: StreamTransport[] = []
const ends: string[] = []

for (const value of ['end', 'left', 'status', 'reset', 'lost', 'deadline', 'unary']) {
  const transport = createStreamTransport({ baseUrl })
  transports.push(transport)
  const client = createStreamClient(Echo, transport)
  try {
    if (value === 'unary') await client.unary({ value })
    else {
      const timeoutMs = value === 'deadline' ? 100 : 60_000
      for await (const _ of client.serverStream({ value }, { timeoutMs })) if (value === 'left') break
    }
    ends.push('ok')
  } catch (error) {
    ends.push(codeName(error))
  }
}
process.stdout.write(ends.join())
