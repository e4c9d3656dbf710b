/** grpc-js with proto-loader, as it comes, and with its option for raised windows. */
import { join } from 'node:path'
import {
  type ClientOptions,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { WINDOW_BYTES } from '../plan.ts'
import { type BenchClient, type CreateBenchClient, REQUEST, type ReceivedMessage } from './client.ts'

interface Client {
  Subscribe(request: object): ClientReadableStream<ReceivedMessage>
  close(): void
}

interface Package {
  readonly grpc: {
    readonly trade: {
      readonly event: { readonly EventService: new (address: string, c: object, options: object) => Client }
    }
  }
}

function grpcClient(port: number, options: ClientOptions): BenchClient {
  // Without further options it decodes fastest: those of its documentation's example take twice the time.
  const includeDirs = [join(process.cwd(), 'protos')]
  const definition = loadSync('grpc/trade/event/events.proto', { includeDirs })
  const loaded = loadPackageDefinition(definition) as unknown as Package
  const client = new loaded.grpc.trade.event.EventService(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
    options,
  )
  return {
    receive: (payload, onMessage) =>
      new Promise((resolve, reject) => {
        const call = client.Subscribe({ ...REQUEST, payload })
        call.on('data', onMessage)
        call.on('error', reject)
        call.on('end', () => resolve(undefined))
      }),
    close: () => client.close(),
  }
}

export const createGrpcJs: CreateBenchClient = (port) => grpcClient(port, {})
export const createGrpcJsWide: CreateBenchClient = (port) =>
  grpcClient(port, { 'grpc-node.flow_control_window': WINDOW_BYTES })
