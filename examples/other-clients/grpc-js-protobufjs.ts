/** Prints order events of the accounts in `BROKERWIRE_ACCOUNTS`, with grpc-js and the static code of protobufjs. */
import {
  TradeEventType,
  TradeSubscribeRequest,
  TradeSubscribeResponse,
} from '@brokerwire/protos/protobufjs/trade'
import { createSigner } from '@brokerwire/signer'
import { createGrpcSigningInterceptor } from '@brokerwire/signer/grpc'
import * as grpc from '@grpc/grpc-js'

const { BROKERWIRE_APP_KEY = '', BROKERWIRE_APP_SECRET = '', BROKERWIRE_ACCOUNTS = '' } = process.env
const { BROKERWIRE_EVENTS_URL = 'https://events-api.example.com', BROKERWIRE_ACCESS_TOKEN } = process.env

const url = new URL(BROKERWIRE_EVENTS_URL)
const isSecure = url.protocol === 'https:'
const credentials = isSecure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure()
const signer = createSigner({ appKey: BROKERWIRE_APP_KEY, appSecret: BROKERWIRE_APP_SECRET })
const client = new grpc.Client(`${url.hostname}:${url.port || (isSecure ? 443 : 80)}`, credentials, {
  // The last interceptor, so that no other one changes the signed message.
  interceptors: [
    createGrpcSigningInterceptor({ grpc, signer, accessToken: BROKERWIRE_ACCESS_TOKEN || undefined }),
  ],
  // A request that is sent again needs a new signature.
  'grpc.enable_retries': 0,
})

const call = client.makeServerStreamRequest(
  '/grpc.trade.event.EventService/Subscribe',
  (request: TradeSubscribeRequest) => Buffer.from(TradeSubscribeRequest.encode(request).finish()),
  TradeSubscribeResponse.decode,
  TradeSubscribeRequest.create({
    subscribeType: 1,
    timestamp: Date.now(),
    accounts: BROKERWIRE_ACCOUNTS.split(','),
  }),
)
process.once('SIGTERM', () => call.cancel())
try {
  for await (const message of call) {
    const { eventType, payload } = message as TradeSubscribeResponse
    // An order event has a code that is not in the enum.
    const code: number = eventType
    if (code === 1024) console.log('order', payload)
    else console.log(TradeEventType[code] ?? code, payload)
    // The stream ends with the status OK after this message.
    if (code === TradeEventType.AuthError) process.exitCode = 1
  }
} catch (error) {
  if ((error as grpc.ServiceError).code !== grpc.status.CANCELLED) throw error
}
client.close()
