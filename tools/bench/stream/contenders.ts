/** Who takes part, under the names that the tables print. */

import type { CreateBenchClient } from './clients/client.ts'
import { createConnectNode, createConnectNodeWide } from './clients/connect-node.ts'
import { createGrpcJs, createGrpcJsWide } from './clients/grpc-js.ts'
import { createOurs, createOursModule, createOursThroughConnect } from './clients/ours.ts'
import { createRaw } from './clients/raw.ts'
import { createSink } from './clients/sink.ts'
import {
  createSupervised,
  createSupervisedInBatches,
  createSupervisedModule,
  createSupervisedObserved,
} from './clients/supervised.ts'

export const CONTENDERS = {
  ours: createOurs,
  'ours through createClient': createOursThroughConnect,
  'connect-node': createConnectNode,
  'connect-node, 1 MiB': createConnectNodeWide,
  'grpc-js': createGrpcJs,
  'grpc-js, 1 MiB': createGrpcJsWide,
  'raw node:http2': createRaw,
  'plain socket': createSink,
  supervised: createSupervised,
  'supervised, in batches': createSupervisedInBatches,
  'supervised, observed': createSupervisedObserved,
  'ours, module events': createOursModule,
  'supervised, module events': createSupervisedModule,
} as const satisfies Readonly<Record<string, CreateBenchClient>>

export type ContenderName = keyof typeof CONTENDERS
