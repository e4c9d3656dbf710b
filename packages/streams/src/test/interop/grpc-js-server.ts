/** An interop server on @grpc/grpc-js: see `interop-server.ts`. */
import {
  ModuleEventService,
  ModuleMessageType,
  ModuleSubscribeRequestSchema,
  ModuleSubscribeResponseSchema,
  TradeEventService,
  TradeEventType,
  TradeSubscribeRequestSchema,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { createVerifier, type Verifier } from '@brokerwire/signer'
import {
  create,
  type DescMethodServerStreaming,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import {
  type Metadata,
  Server,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js'
import { listenGrpcJs } from './grpc-js-listen.ts'
import { type InteropCredentials, type InteropServer, LARGE_ACCOUNT } from './interop-server.ts'

type Call = ServerWritableStream<Buffer, Uint8Array>

const trade = (fields: MessageInitShape<typeof TradeSubscribeResponseSchema>): Uint8Array =>
  toBinary(
    TradeSubscribeResponseSchema,
    create(TradeSubscribeResponseSchema, { subscribeType: 1, contentType: 'text/plain', ...fields }),
  )
const order = (requestId: string, payload: string): Uint8Array =>
  trade({ eventType: 1024 as TradeEventType, contentType: 'application/json', requestId, payload })
const module = (fields: MessageInitShape<typeof ModuleSubscribeResponseSchema>): Uint8Array =>
  toBinary(ModuleSubscribeResponseSchema, create(ModuleSubscribeResponseSchema, fields))

/** Starts the server on 127.0.0.1. */
export async function startGrpcJsServer(credentials: InteropCredentials): Promise<InteropServer> {
  const { appKey, appSecret } = credentials
  const verifier = createVerifier({ secretFor: (key) => (key === appKey ? appSecret : undefined) })
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  let tradeCalls = 0
  let moduleCalls = 0

  const serveTrade = async (call: Call): Promise<void> => {
    if (!(await isSigned(verifier, call.request, call.metadata))) {
      call.write(trade({ eventType: TradeEventType.AuthError }))
      call.end()
      return
    }
    const { accounts } = fromBinary(TradeSubscribeRequestSchema, call.request)
    tradeCalls += 1
    call.write(trade({ eventType: TradeEventType.SubscribeSuccess }))
    call.write(trade({ eventType: TradeEventType.Ping, requestId: `connection-${tradeCalls}` }))
    const large = LARGE_ACCOUNT.exec(accounts[0] ?? '')
    if (large !== null) {
      call.write(order('large', JSON.stringify({ text: 'x'.repeat(Number(large[1]) - 11) })))
      return
    }
    for (let n = tradeCalls * 3 - 2; n <= tradeCalls * 3; n += 1)
      call.write(order(`r${n}`, `{"number":${n}}`))
    if (tradeCalls === 1) breakOff(call)
  }
  const serveModule = async (call: Call): Promise<void> => {
    if (!(await isSigned(verifier, call.request, call.metadata))) {
      call.write(module({ type: ModuleMessageType.AuthError }))
      call.end()
      return
    }
    const { eventType = '', position = '' } =
      fromBinary(ModuleSubscribeRequestSchema, call.request).events[0] ?? {}
    moduleCalls += 1
    call.write(module({ type: ModuleMessageType.SubscribeSuccess }))
    call.write(module({ type: ModuleMessageType.Ping }))
    const after = Number(position || '0')
    for (let n = after + 1; n <= after + 3; n += 1) {
      const fields = { eventType, id: `m${n}`, position: String(n), payload: `{"number":${n}}` }
      call.write(module({ type: ModuleMessageType.Event, ...fields }))
    }
    if (moduleCalls === 1) breakOff(call)
  }

  server.addService(definition(TradeEventService.method.subscribe), { subscribe: starter(serveTrade) })
  server.addService(definition(ModuleEventService.method.subscribe), { subscribe: starter(serveModule) })
  return listenGrpcJs(server)
}

/** Passes raw bytes in both directions, because the signature covers them. */
function definition(method: DescMethodServerStreaming): ServiceDefinition {
  return {
    subscribe: {
      path: `/${method.parent.typeName}/${method.name}`,
      requestStream: false,
      responseStream: true,
      requestSerialize: Buffer.from,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      responseDeserialize: (bytes) => bytes,
    },
  }
}

const starter = (serve: (call: Call) => Promise<void>) => (call: Call) => {
  serve(call).catch((error: unknown) => call.destroy(error as Error))
}

function breakOff(call: Call): void {
  call.emit('error', { code: status.UNAVAILABLE, details: 'try again later' })
}

async function isSigned(verifier: Verifier, requestBytes: Buffer, metadata: Metadata): Promise<boolean> {
  const headers = Object.fromEntries(
    Object.entries(metadata.getMap()).map(([name, value]) => [name, String(value)]),
  )
  return (await verifier.verifyStream({ headers, requestBytes })).ok
}
