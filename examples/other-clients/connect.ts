/** Prints order events of the accounts in `BROKERWIRE_ACCOUNTS`, with a generated Connect client over connect-node. */
import { TradeEventService, TradeEventType } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { createSigningInterceptor } from '@brokerwire/signer/connect'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'

const { BROKERWIRE_APP_KEY = '', BROKERWIRE_APP_SECRET = '', BROKERWIRE_ACCOUNTS = '' } = process.env
const { BROKERWIRE_EVENTS_URL = 'https://events-api.example.com', BROKERWIRE_ACCESS_TOKEN } = process.env

const signer = createSigner({ appKey: BROKERWIRE_APP_KEY, appSecret: BROKERWIRE_APP_SECRET })
const transport = createGrpcTransport({
  baseUrl: BROKERWIRE_EVENTS_URL,
  // The last interceptor, so that no other one changes the signed message.
  interceptors: [createSigningInterceptor({ signer, accessToken: BROKERWIRE_ACCESS_TOKEN || undefined })],
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const request = { subscribeType: 1, timestamp: BigInt(Date.now()), accounts: BROKERWIRE_ACCOUNTS.split(',') }
const messages = createClient(TradeEventService, transport).subscribe(request, { signal: stop.signal })
try {
  for await (const { eventType, payload } of messages) {
    // An order event has a code that is not in the enum.
    const code: number = eventType
    if (code === 1024) console.log('order', payload)
    else console.log(TradeEventType[code] ?? code, payload)
    // The stream ends with the status OK after this message.
    if (code === TradeEventType.AuthError) process.exitCode = 1
  }
} catch (error) {
  if (!stop.signal.aborted) throw error
}
