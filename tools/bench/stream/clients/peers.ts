/**
 * connect-node and grpc-js with their defaults, and grpc-js with windows as large as ours. The client on bare
 * `node:http2` has our windows and discards all DATA. It shows the highest speed that a client on
 * `node:http2` can reach.
 */
import { connect } from 'node:http2'
import { join } from 'node:path'
import { TradeEventService, TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { create, toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import {
  type ClientOptions,
  type ClientReadableStream,
  credentials,
  makeClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { WINDOW_BYTES } from '../plan.ts'
import { type BenchClient, type CreateBenchClient, REQUEST, type ReceivedMessage } from './client.ts'

export const connectNode: CreateBenchClient = (port) => {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` })
  const client = createClient(TradeEventService, transport)
  return {
    async receive(_, onMessage) {
      for await (const message of client.subscribe(REQUEST)) onMessage(message)
      return undefined
    },
  }
}

const SERVICE = 'grpc.trade.event.EventService'

interface EventService {
  Subscribe(request: object): ClientReadableStream<ReceivedMessage>
}

function grpcClient(port: number, options: ClientOptions): BenchClient {
  // The loader's default options decode fastest. The options in the example of the loader's documentation
  // double the time.
  const definition = loadSync('grpc/trade/event/events.proto', {
    includeDirs: [join(process.cwd(), 'packages/protos/proto')],
  })
  const Client = makeClientConstructor(definition[SERVICE] as ServiceDefinition, SERVICE)
  const client = new Client(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
    options,
  ) as unknown as EventService
  return {
    receive: (_, onMessage) =>
      new Promise((resolve, reject) => {
        const call = client.Subscribe(REQUEST)
        call.on('data', onMessage).on('error', reject)
        call.on('end', () => resolve(undefined))
      }),
  }
}

export const grpcJs: CreateBenchClient = (port) => grpcClient(port, {})
export const grpcJsWide: CreateBenchClient = (port) =>
  grpcClient(port, { 'grpc-node.flow_control_window': WINDOW_BYTES })

export const rawHttp2: CreateBenchClient = (port) => {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: WINDOW_BYTES } })
  session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES))
  const request = toBinary(TradeSubscribeRequestSchema, create(TradeSubscribeRequestSchema, REQUEST))
  return {
    receive: () =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': '/grpc.trade.event.EventService/Subscribe',
          'content-type': 'application/grpc+proto',
          te: 'trailers',
        })
        let bytes = 0
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        stream.on('error', reject)
        stream.on('end', () => resolve(bytes))
        stream.end(envelope(request))
      }),
  }
}
