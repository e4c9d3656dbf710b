/** Prints order events of the accounts in `BROKERWIRE_ACCOUNTS`, with grpc-js and proto-loader. */
import { fileURLToPath } from 'node:url'
import { createSigner } from '@brokerwire/signer'
import { createGrpcSigningInterceptor } from '@brokerwire/signer/grpc'
import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const { BROKERWIRE_APP_KEY = '', BROKERWIRE_APP_SECRET = '', BROKERWIRE_ACCOUNTS = '' } = process.env
const { BROKERWIRE_EVENTS_URL = 'https://events-api.example.com', BROKERWIRE_ACCESS_TOKEN } = process.env

const protos = new URL('proto', import.meta.resolve('@brokerwire/protos/package.json'))
const definition = loadSync('grpc/trade/event/events.proto', {
  includeDirs: [fileURLToPath(protos)],
  // Without these, a 64-bit integer is an object, and a field with its default value is absent: SubscribeSuccess is 0.
  longs: String,
  enums: String,
  defaults: true,
})
const { EventService } = (grpc.loadPackageDefinition(definition) as unknown as Package).grpc.trade.event

const url = new URL(BROKERWIRE_EVENTS_URL)
const isSecure = url.protocol === 'https:'
const credentials = isSecure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure()
const signer = createSigner({ appKey: BROKERWIRE_APP_KEY, appSecret: BROKERWIRE_APP_SECRET })
const client = new EventService(`${url.hostname}:${url.port || (isSecure ? 443 : 80)}`, credentials, {
  // The last interceptor, so that no other one changes the signed message.
  interceptors: [
    createGrpcSigningInterceptor({ grpc, signer, accessToken: BROKERWIRE_ACCESS_TOKEN || undefined }),
  ],
  // A request that is sent again needs a new signature.
  'grpc.enable_retries': 0,
})

const accounts = BROKERWIRE_ACCOUNTS.split(',')
const call = client.Subscribe({ subscribeType: 1, timestamp: String(Date.now()), accounts })
process.once('SIGTERM', () => call.cancel())
try {
  for await (const { eventType, payload } of call as AsyncIterable<Message>) {
    // A code that is not in the enum is a number, such as 1024 for an order event.
    if (eventType === 1024) console.log('order', payload)
    else console.log(eventType, payload)
    // The stream ends with the status OK after this message.
    if (eventType === 'AuthError') process.exitCode = 1
  }
} catch (error) {
  if ((error as grpc.ServiceError).code !== grpc.status.CANCELLED) throw error
}
client.close()

interface Message {
  readonly eventType: string | number
  readonly payload: string
}

/** proto-loader has no types of messages and services. */
interface Package {
  readonly grpc: {
    readonly trade: {
      readonly event: {
        readonly EventService: new (
          ...args: ConstructorParameters<typeof grpc.Client>
        ) => grpc.Client & { Subscribe(request: object): grpc.ClientReadableStream<Message> }
      }
    }
  }
}
