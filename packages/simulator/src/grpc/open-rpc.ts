/** Collects a request, checks its signature over the bytes that arrived, and watches for the client's leaving. */
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Clock } from '@brokerwire/core'
import type { RequestLog } from '../request-log.ts'
import type { SignatureCheck } from '../signature-check.ts'
import { openEnvelope } from './envelope.ts'
import type { RpcAuth, RpcContext } from './rpc-context.ts'
import type { SubscriptionControl } from './subscription.ts'

/** What is needed to open an RPC. */
export interface RpcInput {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly clock: Clock
  readonly signatures: SignatureCheck
  readonly requestLog: RequestLog
  readonly nextRequestId: () => string
  readonly maxRequestBytes: number
  /** Whether a stream needs a usable access token. */
  readonly streamAccessToken: 'ignored' | 'required'
  readonly useAccessToken: (appKey: string, token: string) => boolean
}

/** An RPC whose request has arrived. */
export interface OpenedRpc {
  readonly context: RpcContext
  readonly header: Headers
  readonly signal: AbortSignal
  /** The request body as it arrived. */
  body(): AsyncIterable<Uint8Array>
  /** The subscription whose frames it carries. */
  subscription(): SubscriptionControl | undefined
}

/** @returns `undefined` where the client left before its request was complete. */
export async function openRpc(input: RpcInput): Promise<OpenedRpc | undefined> {
  const { request, response } = input
  const { stream } = response
  const controller = new AbortController()
  const callbacks: (() => void)[] = []
  stream.once('close', () => {
    controller.abort()
    for (const callback of callbacks.splice(0)) callback()
  })
  const arrivedAtMs = input.clock.now()
  const body = await collect(request, input.maxRequestBytes)
  if (body === undefined) return undefined
  const headers = singleValues(request.headers)
  const auth = await authenticate(input, headers, body)
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
      get closed() {
        return controller.signal.aborted
      },
      onClose: (callback) => callbacks.push(callback),
      attach(subscription) {
        control = subscription
      },
      reset: (http2Code) => stream.close(http2Code),
      log: ({ errorCode, subscription }) =>
        input.requestLog.add({
          atMs: arrivedAtMs,
          answeredAtMs: input.clock.now(),
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
        }),
    },
  }
}

async function authenticate(
  input: RpcInput,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<RpcAuth> {
  if (headers['x-app-secret'] !== undefined) {
    const message = 'x-app-secret was sent: the app secret must never leave its owner'
    return { ok: false, code: 'UNAUTHORIZED', message }
  }
  const opened = await openEnvelope(body, headers['grpc-encoding'], input.maxRequestBytes)
  if (!opened.ok) return { ok: false, code: 'UNAUTHORIZED', message: opened.problem }
  const verdict = await input.signatures.stream(headers, opened.message)
  if (!verdict.ok || input.streamAccessToken === 'ignored') return verdict
  const token = headers['x-access-token']
  if (token !== undefined && input.useAccessToken(verdict.appKey, token)) return verdict
  return { ok: false, code: 'INVALID_TOKEN', message: 'x-access-token must be a token in status NORMAL' }
}

function collect(request: Http2ServerRequest, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else request.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve(undefined))
  })
}

function singleValues(headers: Http2ServerRequest['headers']): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue
    values[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return values
}
