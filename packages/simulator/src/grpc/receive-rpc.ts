/** Receives a request, verifies its signature over the received bytes, and observes when the client disconnects. */
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Clock } from '@brokerwire/core'
import type { Apps } from '../apps/app.ts'
import type { ReceiveBody } from '../receive-body.ts'
import type { RequestLog } from '../request-log.ts'
import type { SignatureCheck } from '../signature-check.ts'
import { getConnectionName } from '../time/in-process-clients.ts'
import { decodeEnvelope } from './decode-envelope.ts'
import type { RpcAuth, RpcContext } from './rpc-context.ts'
import type { SubscriptionControl } from './subscription.ts'

/** Dependencies for opening an RPC. */
export interface RpcInput {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly clock: Clock
  readonly signatures: SignatureCheck
  readonly requestLog: RequestLog
  readonly nextRequestId: () => string
  readonly maxRequestBytes: number
  readonly receiveBody: ReceiveBody
  /** Whether streams require a usable access token. */
  readonly streamAccessToken: 'ignored' | 'required'
  readonly apps: Apps
}

/** An RPC whose request was received completely. */
export interface ReceivedRpc {
  readonly context: RpcContext
  readonly header: Headers
  readonly signal: AbortSignal
  /** The request body as it was received. */
  body(): AsyncIterable<Uint8Array>
  /** Returns the subscription of this RPC. `undefined` until the subscription is accepted. */
  subscription(): SubscriptionControl | undefined
}

/** Receives the request of an RPC. @returns `undefined` if the request was not received completely. */
export async function receiveRpc(input: RpcInput): Promise<ReceivedRpc | undefined> {
  const { request, response } = input
  const { stream } = response
  const connection = getConnectionName(request.socket)
  const controller = new AbortController()
  const callbacks: (() => void)[] = []
  stream.once('close', () => {
    controller.abort()
    for (const callback of callbacks.splice(0)) callback()
  })
  const arrivedAtMs = input.clock.now()
  const body = await input.receiveBody({ incoming: request, exchange: stream })
  if (!(body instanceof Uint8Array)) {
    if (!stream.destroyed) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return undefined
  }
  // The clock is read after the body was received, because a nonce may expire while a slow body is received.
  const nowMs = input.clock.now()
  const headers = singleValues(request.headers)
  const auth = await authenticate(input, { headers, body, nowMs })
  const requestId = input.nextRequestId()
  let control: SubscriptionControl | undefined
  return {
    header: new Headers(Object.entries(headers)),
    signal: controller.signal,
    async *body() {
      yield body
    },
    subscription: () => control,
    context: {
      auth,
      requestId,
      nowMs,
      connection,
      get closed() {
        return controller.signal.aborted
      },
      onClose: (callback) => callbacks.push(callback),
      attach(subscription) {
        control = subscription
      },
      reset: (http2Code) => stream.close(http2Code),
      disconnect: () => stream.session?.destroy(),
      goaway: () => stream.session?.goaway(),
      log: ({ errorCode, subscription }) =>
        input.requestLog.add({
          atMs: arrivedAtMs,
          respondedAtMs: input.clock.now(),
          protocol: 'grpc',
          method: request.method,
          path: request.url.split('?', 1)[0] ?? '',
          headerNames: Object.keys(request.headers).filter((name) => !name.startsWith(':')),
          apiVersion: headers['x-version'],
          appKey: auth.ok ? auth.appKey : undefined,
          status: 200,
          errorCode,
          requestId,
          subscription,
          diagnosis: auth.diagnosis,
        }),
    },
  }
}

async function authenticate(
  input: RpcInput,
  request: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
    readonly nowMs: number
  },
): Promise<RpcAuth> {
  const { headers, body, nowMs } = request
  if (headers['x-app-secret'] !== undefined) {
    const message = 'x-app-secret must not be sent. Keep the app secret private'
    return { ok: false, code: 'UNAUTHORIZED', message }
  }
  const opened = await decodeEnvelope(body, headers['grpc-encoding'], input.maxRequestBytes)
  if (!opened.ok) return { ok: false, code: 'UNAUTHORIZED', message: opened.problem }
  const verdict = await input.signatures.stream({ headers, requestBytes: opened.message }, nowMs)
  if (!verdict.ok || input.streamAccessToken === 'ignored') return verdict
  const token = headers['x-access-token']
  if (token !== undefined && input.apps.of(verdict.appKey).accessTokens.use(verdict.appKey, token, nowMs))
    return verdict
  return { ok: false, code: 'INVALID_TOKEN', message: 'x-access-token must be a token in status NORMAL' }
}

function singleValues(headers: Http2ServerRequest['headers']): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue
    values[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return values
}
