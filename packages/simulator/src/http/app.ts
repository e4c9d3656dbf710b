/**
 * The HTTP endpoints. Signatures are verified over the request target and the body exactly as they were
 * received. A parsed URL is not used, because it is normalized and could differ from the string that was
 * signed.
 */
import type { Clock } from '@brokerwire/core'
import { utf8Decode } from '@brokerwire/core/internal'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { App, Apps } from '../apps/app.ts'
import type { SimulatorOptions } from '../options.ts'
import type { ReceiveBody } from '../receive-body.ts'
import type { RequestLog } from '../request-log.ts'
import type { RouteTable } from '../routes/route-table.ts'
import { serveRoute } from '../routes/serve-route.ts'
import type { SimulatorPlugin } from '../server/plugin.ts'
import type { SignatureCheck } from '../signature-check.ts'
import type { LimitGroup } from '../tokens/rate-limit.ts'
import { asyncApiText } from './async-api.ts'
import { describeRequest, getPath } from './describe-request.ts'
import { jsonObject } from './json-object.ts'
import {
  accessTokenBody,
  clientTokenBody,
  type ExpiryFormat,
  type HttpEnv,
  respondToBodyError,
  respondWithError,
} from './responses.ts'

/** Dependencies of the endpoints. */
export interface HttpAppContext extends ExpiryFormat {
  readonly clock: Clock
  readonly signatures: SignatureCheck
  readonly apps: Apps
  readonly tokenRefresh: boolean
  /** The JSON text that is served at {@link OPEN_API_PATH}. */
  readonly openApi: string | undefined
  /** Returns the text that is served at {@link METRICS_PATH}. */
  readonly metrics: SimulatorOptions['metrics']
  /** Routes of the user. */
  readonly routes: RouteTable
  /** Plugins that add endpoints. */
  readonly plugins: readonly SimulatorPlugin[]
  /** Whether new requests are accepted. */
  readonly isServing: () => boolean
  readonly requestLog: RequestLog
  readonly nextRequestId: () => string
  readonly receiveBody: ReceiveBody
}

/** Health check for process supervisors. Its requests are not signed and not logged. */
const HEALTH_PATH = '/healthz'
/**
 * The OpenAPI document of the option `openApi`, for browsers and code generators. Its requests are not signed
 * and not logged.
 */
const OPEN_API_PATH = '/openapi.json'
/** The AsyncAPI document of event streams and market data. Its requests are not signed and not logged. */
const ASYNC_API_PATH = '/asyncapi.json'
/** The metrics of the option `metrics`. The requests of Prometheus are not signed and not logged. */
const METRICS_PATH = '/metrics'

const JSON_HEADERS = { 'content-type': 'application/json' }
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Handler = MiddlewareHandler<HttpEnv>

/** Creates the application. */
export function createHttpApp(context: HttpAppContext): Hono<HttpEnv> {
  const appFor = (c: Context<HttpEnv>): App => context.apps.of(c.get('appKey'))
  const app = new Hono<HttpEnv>()
  const signed = signatureGate(context)
  const limited = rateGate(context, 'access')
  const authenticated = tokenGate(context)

  app.get(HEALTH_PATH, (c) => {
    c.header('date', new Date(context.clock.now()).toUTCString())
    return context.isServing() ? c.json({ status: 'ok' }) : c.json({ status: 'draining' }, 503)
  })
  const { openApi, metrics } = context
  if (openApi !== undefined) app.get(OPEN_API_PATH, (c) => c.body(openApi, 200, JSON_HEADERS))
  app.get(ASYNC_API_PATH, (c) => c.body(asyncApiText(), 200, JSON_HEADERS))
  if (metrics !== undefined) {
    app.get(METRICS_PATH, async (c) => {
      const text = await Promise.resolve()
        .then(metrics)
        .catch(() => undefined)
      return text === undefined ? c.body(null, 500) : c.body(text, 200, { 'content-type': METRICS_TYPE })
    })
  }
  app.use('*', logRequests(context))
  for (const [create, check] of [
    ['/auth/tokens/create', '/auth/tokens/check'],
    ['/openapi/auth/token/create', '/openapi/auth/token/check'],
  ] as const) {
    app.post(create, signed, limited, (c) => {
      const fields = jsonBody(c)
      if (fields === undefined) return invalidBody(c)
      const previous = optionalString(fields, 'token')
      if (previous === null) return invalidField(c, 'token')
      const view = appFor(c).accessTokens.create(c.get('appKey'), previous, c.get('nowMs'))
      return c.json(accessTokenBody(view, context))
    })
    app.post(check, signed, limited, (c) => {
      const fields = jsonBody(c)
      if (fields === undefined) return invalidBody(c)
      const token = optionalString(fields, 'token')
      if (typeof token !== 'string') return invalidField(c, 'token')
      const view = appFor(c).accessTokens.check(c.get('appKey'), token, c.get('nowMs'))
      return c.json(accessTokenBody(view, context))
    })
  }
  if (context.tokenRefresh) {
    app.post('/openapi/auth/token/refresh', signed, limited, (c) => {
      const fields = jsonBody(c)
      if (fields === undefined) return invalidBody(c)
      const token = optionalString(fields, 'token')
      if (typeof token !== 'string') return invalidField(c, 'token')
      const view = appFor(c).accessTokens.refresh(c.get('appKey'), token, c.get('nowMs'))
      if (view === undefined)
        return respondWithError(c, 401, 'INVALID_TOKEN', 'the token must be in status NORMAL')
      return c.json(accessTokenBody(view, context))
    })
  }
  for (const [create, refresh] of [
    ['/auth/client-tokens/create', '/auth/client-tokens/refresh'],
    ['/openapi/auth/client/token/create', '/openapi/auth/client/token/refresh'],
  ] as const) {
    app.post(create, signed, rateGate(context, 'client-create'), (c) => {
      const fields = jsonBody(c)
      if (fields === undefined) return invalidBody(c)
      const user = optionalString(fields, 'client_user_id')
      if (typeof user !== 'string') return invalidField(c, 'client_user_id')
      return c.json(
        clientTokenBody(appFor(c).clientTokens.create(c.get('appKey'), user, c.get('nowMs')), context),
      )
    })
    app.post(refresh, signed, rateGate(context, 'client-refresh'), (c) => {
      const fields = jsonBody(c)
      if (fields === undefined) return invalidBody(c)
      const token = optionalString(fields, 'refresh_token')
      if (typeof token !== 'string') return invalidField(c, 'refresh_token')
      const pair = appFor(c).clientTokens.refresh(c.get('appKey'), token, c.get('nowMs'))
      if (pair === undefined)
        return respondWithError(
          c,
          401,
          'INVALID_TOKEN',
          'the refresh token is unknown, used, replaced or expired',
        )
      return c.json(clientTokenBody(pair, context))
    })
  }
  app.get('/openapi/config', signed, (c) =>
    c.json({ token_check_enabled: appFor(c).settings.tokenCheckEnabled }),
  )
  app.all('/openapi/simulator/echo', signed, authenticated, (c) =>
    c.json({
      method: c.req.method,
      target: c.env.incoming.url,
      body: utf8Decode(c.get('body')) ?? null,
      api_version: c.req.header('x-version') ?? 'v2',
      received_at: c.get('nowMs'),
    }),
  )
  for (const plugin of context.plugins) plugin.addRoutes?.(app, { signed, authenticated })
  app.all(
    '*',
    (c, next) => {
      const { incoming } = c.env
      const route = context.routes.match(c.req.method, getPath(incoming))
      if (route === undefined) return respondWithError(c, 404, 'NOT_FOUND', 'no such endpoint')
      c.set('route', route)
      return next()
    },
    signed,
    versionGate,
    (c, next) => (c.get('route').token === 'none' ? next() : authenticated(c, next)),
    (c) => serveRoute(c, c.get('route'), c.get('requestId')),
  )
  app.notFound((c) => respondWithError(c, 404, 'NOT_FOUND', 'no such endpoint'))
  app.onError((_error, c) => respondWithError(c, 500, 'SYSTEM_ERROR', 'the simulator failed'))
  return app
}

/**
 * Gives each request an id, sets `Date` by the simulator's clock, and logs the request. The log has the time
 * at which the request arrived, and the time at which the response was ready.
 */
function logRequests({ clock, requestLog, nextRequestId }: HttpAppContext): Handler {
  return async (c, next) => {
    const requestId = nextRequestId()
    c.set('requestId', requestId)
    const atMs = clock.now()
    await next()
    c.header('x-request-id', requestId)
    c.header('date', new Date((c.get('nowMs') as number | undefined) ?? atMs).toUTCString())
    requestLog.add({
      ...describeRequest(c.env.incoming),
      atMs,
      respondedAtMs: clock.now(),
      appKey: c.get('appKey') as string | undefined,
      status: c.res.status,
      errorCode: c.get('errorCode') as string | undefined,
      requestId,
      body: c.get('body') as Uint8Array | undefined,
      diagnosis: c.get('diagnosis'),
    })
  }
}

const versionGate: Handler = async (c, next) => {
  const { versions, name } = c.get('route')
  if (versions.includes(c.req.header('x-version') ?? 'v2')) return next()
  return respondWithError(
    c,
    401,
    'VERSION_NOT_SUPPORTED',
    `x-version must be ${versions.join(' or ')} for ${name}`,
  )
}

function signatureGate(context: HttpAppContext): Handler {
  return async (c, next) => {
    const { incoming } = c.env
    if (incoming.headers['x-app-secret'] !== undefined) {
      return respondWithError(
        c,
        401,
        'UNAUTHORIZED',
        'x-app-secret must not be sent. Keep the app secret private',
      )
    }
    const body = await context.receiveBody({ incoming, exchange: c.env.outgoing })
    if (!(body instanceof Uint8Array)) return respondToBodyError(c, body)
    // The clock is read after the body was received, because a nonce may expire while a slow body is
    // received.
    const nowMs = context.clock.now()
    c.set('nowMs', nowMs)
    const auth = await context.signatures.http(
      {
        host: incoming.headers.host ?? '',
        target: incoming.url ?? '',
        headers: incoming.headersDistinct,
        body: body.length === 0 ? undefined : body,
      },
      nowMs,
    )
    c.set('diagnosis', auth.diagnosis)
    if (!auth.ok) return respondWithError(c, 401, auth.code, auth.message)
    const version = c.req.header('x-version')
    if (version !== undefined && version !== 'v2' && version !== 'v3') {
      return respondWithError(c, 401, 'VERSION_NOT_SUPPORTED', 'x-version must be v2 or v3')
    }
    c.set('appKey', auth.appKey)
    c.set('body', body)
    return next()
  }
}

function rateGate(context: HttpAppContext, of: LimitGroup): Handler {
  return async (c, next) => {
    const waitMs = context.apps.of(c.get('appKey')).limiter.take(of, c.get('nowMs'))
    if (waitMs === 0) return next()
    c.header('retry-after', String(Math.ceil(waitMs / 1000)))
    return respondWithError(c, 429, 'TOO_MANY_REQUESTS', 'too many calls of the token endpoints')
  }
}

function tokenGate(context: HttpAppContext): Handler {
  return async (c, next) => {
    const { settings, accessTokens } = context.apps.of(c.get('appKey'))
    if (!settings.tokenCheckEnabled) return next()
    const token = c.req.header('x-access-token')
    if (token === undefined) return respondWithError(c, 401, 'UNAUTHORIZED', 'x-access-token must be set')
    if (accessTokens.use(c.get('appKey'), token, c.get('nowMs'))) return next()
    return respondWithError(c, 401, 'INVALID_TOKEN', 'x-access-token must be a token in status NORMAL')
  }
}

/**
 * Returns the fields of the body. An empty body has no fields. `undefined` if the body is not a JSON object.
 */
function jsonBody(c: Context<HttpEnv>): Readonly<Record<string, unknown>> | undefined {
  const body = c.get('body')
  return body.length === 0 ? {} : jsonObject(body)
}

/**
 * Returns a field that is a non-empty string. `undefined` if the field is missing, and `null` if it has
 * another value.
 */
function optionalString(fields: Readonly<Record<string, unknown>>, name: string): string | null | undefined {
  if (!Object.hasOwn(fields, name)) return undefined
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function invalidBody(c: Context<HttpEnv>): Response {
  return respondWithError(c, 417, 'OPENAPI_PARAM_ERR', 'the request body must be a JSON object')
}

function invalidField(c: Context<HttpEnv>, name: string): Response {
  return respondWithError(c, 417, 'INVALID_PARAMETER', `${name} must be a non-empty string`)
}
