/** Comparisons of throughput: their clients, and their ratios with the goals. */
import type { Goal } from '../benchmark.ts'
import type { ClientName, Task } from './client-process.ts'
import type { Service } from './plan.ts'

/** Ratio of two clients. The shape precedes its key. */
type Ratio = readonly [key: string, of: ClientName, to: ClientName, goal: Goal]

/** Clients that do the same in the same round. */
export interface Comparison {
  readonly service: Service
  readonly task: Task
  /** Length of a run. Short runs of supervised streams measure their new connection. */
  readonly runMs: number
  readonly cases: readonly ClientName[]
  readonly ratios: readonly Ratio[]
}

const PEERS = ['connect-node', 'grpc-js', 'grpc-js, 1 MiB', 'raw node:http2'] as const
const SUPERVISED = ['supervised', 'supervised, in batches', 'supervised, observed'] as const
const MODULE = ['supervised, module events', 'transport, module events'] as const

export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  client: {
    ...{ service: 'trade', task: 'count', runMs: 150 },
    cases: ['transport', 'transport through createClient', ...PEERS],
    ratios: [
      ['client.vs_connect_node', 'transport', 'connect-node', { atLeast: 3 }],
      ['client.vs_grpc_js', 'transport', 'grpc-js', { atLeast: 2 }],
      ['client.vs_raw', 'transport', 'raw node:http2', { atLeast: 0.4 }],
    ],
  },
  decoded: {
    ...{ service: 'trade', task: 'decode', runMs: 150 },
    cases: ['transport', 'connect-node', 'grpc-js'],
    ratios: [
      ['decoded.vs_connect_node', 'transport', 'connect-node', { atLeast: 2 }],
      ['decoded.vs_grpc_js', 'transport', 'grpc-js', { atLeast: 1.5 }],
    ],
  },
  supervised: {
    ...{ service: 'trade', task: 'count', runMs: 600 },
    cases: [...SUPERVISED, 'transport', 'grpc-js, 1 MiB'],
    ratios: [
      ['supervised.vs_transport', 'supervised', 'transport', { atLeast: 0.75 }],
      ['supervised.vs_grpc_js', 'supervised', 'grpc-js, 1 MiB', { atLeast: 2 }],
      ['batches.vs_transport', 'supervised, in batches', 'transport', { atLeast: 0.8 }],
      ['observed.vs_supervised', 'supervised, observed', 'supervised', { atLeast: 0.8 }],
    ],
  },
  supervised_decoded: {
    ...{ service: 'trade', task: 'decode', runMs: 600 },
    cases: ['supervised', 'transport', 'grpc-js'],
    ratios: [['supervised_decoded.vs_grpc_js', 'supervised', 'grpc-js', { atLeast: 1.5 }]],
  },
  module: {
    ...{ service: 'module', task: 'count', runMs: 600 },
    cases: MODULE,
    ratios: [['module.vs_transport', ...MODULE, { atLeast: 0.65 }]],
  },
}
