/** What is compared with what, under which key, and what is to be reached. */
import type { ContenderName } from './contenders.ts'
import type { Service, Shape } from './plan.ts'

export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

interface Ratio extends Goal {
  /** Without the shape, which goes before it. */
  readonly key: string
  readonly of: ContenderName
  readonly to: ContenderName
}

/** Contenders that do the same in the same round. */
export interface Kind {
  readonly name: string
  readonly service: Service
  readonly job: 'client' | 'decoded'
  /** Time that one contender gets in one round: short runs measure the new connection of a supervised stream. */
  readonly runMs: number
  readonly contenders: readonly ContenderName[]
  readonly ratios: readonly Ratio[]
}

export const SHAPES: readonly Shape[] = ['permsg', 'packed']

export const KINDS: readonly Kind[] = [
  {
    name: 'client',
    service: 'trade',
    job: 'client',
    runMs: 150,
    contenders: [
      'ours',
      'ours through createClient',
      'connect-node',
      'connect-node, 1 MiB',
      'grpc-js',
      'grpc-js, 1 MiB',
      'raw node:http2',
      'plain socket',
    ],
    ratios: [
      { key: 'client.vs_connect_node', of: 'ours', to: 'connect-node', atLeast: 3 },
      { key: 'client.vs_grpc_js', of: 'ours', to: 'grpc-js', atLeast: 2 },
      { key: 'client.vs_raw', of: 'ours', to: 'raw node:http2', atLeast: 0.4 },
    ],
  },
  {
    name: 'decoded',
    service: 'trade',
    job: 'decoded',
    runMs: 150,
    contenders: ['ours', 'connect-node', 'grpc-js'],
    ratios: [
      { key: 'decoded.vs_connect_node', of: 'ours', to: 'connect-node', atLeast: 2 },
      { key: 'decoded.vs_grpc_js', of: 'ours', to: 'grpc-js', atLeast: 1.5 },
    ],
  },
  {
    name: 'supervised',
    service: 'trade',
    job: 'client',
    runMs: 600,
    contenders: ['supervised', 'supervised, in batches', 'supervised, observed', 'ours', 'grpc-js, 1 MiB'],
    ratios: [
      { key: 'supervised.vs_transport', of: 'supervised', to: 'ours', atLeast: 0.75 },
      { key: 'supervised.vs_grpc_js', of: 'supervised', to: 'grpc-js, 1 MiB', atLeast: 2 },
      { key: 'batches.vs_transport', of: 'supervised, in batches', to: 'ours', atLeast: 0.8 },
      { key: 'observed.vs_supervised', of: 'supervised, observed', to: 'supervised', atLeast: 0.8 },
    ],
  },
  {
    name: 'supervised_decoded',
    service: 'trade',
    job: 'decoded',
    runMs: 600,
    contenders: ['supervised', 'ours', 'grpc-js'],
    ratios: [{ key: 'supervised_decoded.vs_grpc_js', of: 'supervised', to: 'grpc-js', atLeast: 1.5 }],
  },
  {
    name: 'module',
    service: 'module',
    job: 'client',
    runMs: 600,
    contenders: ['supervised, module events', 'ours, module events'],
    ratios: [
      {
        key: 'module.vs_transport',
        of: 'supervised, module events',
        to: 'ours, module events',
        atLeast: 0.65,
      },
    ],
  },
]

/** By the names of the ratios, in the order in which they are printed. */
export const GOALS: Readonly<Record<string, Goal>> = {
  ...Object.fromEntries(
    SHAPES.flatMap((shape) =>
      KINDS.flatMap(({ ratios }) => ratios.map((ratio): [string, Goal] => [`${shape}.${ratio.key}`, ratio])),
    ),
  ),
  'latency.p50.vs_grpc_js': { atMost: 1.1 },
  'latency.supervised.p50.vs_transport': { atMost: 1.15 },
  'rss.vs_connect_node': { atMost: 1.3 },
  'rss.supervised.vs_connect_node': { atMost: 1.3 },
}
