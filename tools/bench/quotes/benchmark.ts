/**
 * CPU time that a client of market data needs for a snapshot. The broker runs in another process. All clients
 * receive the same messages.
 */
import { interleave, medians, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import type { ClientCommands, ClientName } from './client-process.ts'
import type { ServerCommands } from './server-process.ts'

const PLAIN: readonly ClientName[] = ['ours', 'MQTT.js']
const DECODED: readonly ClientName[] = ['ours, decoded', 'MQTT.js, decoded by protobuf-es']

export const goals = {
  'quotes.client.vs_mqttjs': { atLeast: 3 },
  'quotes.decoded.vs_mqttjs': { atLeast: 2 },
}

export function run({ quick }: Options): Promise<Results> {
  const blocks = quick ? 20 : 100
  const sizes: Record<string, number> = {}
  return withPrograms(async (start) => {
    const server = await start<ServerCommands>(new URL('server-process.ts', import.meta.url))
    const { port, symbols } = await server.call('listen')
    const messages = blocks * symbols
    const clients = await Promise.all(
      [...PLAIN, ...DECODED].map(
        async (name) =>
          [name, await start<ClientCommands>(new URL('client-process.ts', import.meta.url))] as const,
      ),
    )
    const rounds = await interleave(Object.fromEntries(clients), quick ? 3 : 15, async (client, name) => {
      const { size, cpuUs } = await client.call('receive', name as ClientName, port, blocks, messages)
      sizes[name] = size
      return cpuUs / messages
    })
    for (const group of [PLAIN, DECODED]) {
      if (new Set(group.map((name) => sizes[name])).size === 1) continue
      throw new Error(`the clients did not receive the same: ${JSON.stringify(sizes)}`)
    }
    return {
      tables: [medians('a snapshot', 'µs of CPU time', rounds)],
      ratios: {
        'quotes.client.vs_mqttjs': ratioByRound(rounds, 'MQTT.js', 'ours'),
        'quotes.decoded.vs_mqttjs': ratioByRound(rounds, 'MQTT.js, decoded by protobuf-es', 'ours, decoded'),
      },
    }
  })
}
