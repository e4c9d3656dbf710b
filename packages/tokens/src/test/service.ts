/** Fake token endpoints with scripted statuses, delays and failures. */
import { type Clock, Secret } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type {
  AccessTokenEndpoints,
  AccessTokenResponse,
  ClientTokenEndpoints,
  ClientTokenPair,
  TokenCallFailure,
  TokenCallFailureKind,
  TokenCallResult,
} from '../types.ts'

const DAY_MS = 86_400_000

export function failure(
  kind: TokenCallFailureKind,
  more: Partial<TokenCallFailure> = {},
): { ok: false; failure: TokenCallFailure } {
  return { ok: false, failure: { kind, error: new Error('secret-in-error'), ...more } }
}

interface IssuedToken {
  readonly text: string
  status: string
  expiresAtMs: number | undefined
  readonly createdAtMs: number
}

export interface TestService {
  readonly endpoints: AccessTokenEndpoints
  readonly tokens: IssuedToken[]
  /** The calls in order, each with its time. */
  readonly calls: {
    readonly call: 'create' | 'check' | 'config'
    readonly atMs: number
    readonly body?: string
  }[]
  /** Results of the next calls of each kind, before the default behavior. */
  readonly next: {
    create: TokenCallResult<AccessTokenResponse>[]
    check: TokenCallResult<AccessTokenResponse>[]
  }
  delayMs: number
  mostCreatesInFlight: number
  count(call: 'create' | 'check' | 'config'): number
  approve(): void
  last(): IssuedToken
}

/** Creates the access-token endpoints. Tokens of production are PENDING until `approve()`, and EXPIRED after five minutes. */
export function createTestService(clock: Clock, options: { production?: boolean } = {}): TestService {
  const { production = true } = options
  let inFlight = 0
  const record = (token: IssuedToken): AccessTokenResponse => {
    if (token.status === 'PENDING' && clock.now() - token.createdAtMs >= 300_000) token.status = 'EXPIRED'
    return { token: new Secret(token.text), expiresAtMs: token.expiresAtMs, status: token.status }
  }
  const service: TestService = {
    tokens: [],
    calls: [],
    next: { create: [], check: [] },
    delayMs: 0,
    mostCreatesInFlight: 0,
    count: (call) => service.calls.filter((made) => made.call === call).length,
    approve() {
      service.last().status = 'NORMAL'
    },
    last() {
      const token = service.tokens.at(-1)
      if (token === undefined) throw new Error('no token was issued')
      return token
    },
    endpoints: {
      async create({ previousToken }) {
        service.calls.push({ call: 'create', atMs: clock.now(), body: previousToken?.reveal() ?? '' })
        inFlight += 1
        service.mostCreatesInFlight = Math.max(service.mostCreatesInFlight, inFlight)
        try {
          if (service.delayMs > 0) await sleep(clock, service.delayMs)
          const scripted = service.next.create.shift()
          if (scripted !== undefined) return scripted
          const number = service.tokens.length + 1
          const token: IssuedToken = {
            text: `secret-token-${number}`,
            status: production ? 'PENDING' : 'NORMAL',
            expiresAtMs: clock.now() + 15 * DAY_MS,
            createdAtMs: clock.now(),
          }
          service.tokens.push(token)
          return { ok: true, value: record(token) }
        } finally {
          inFlight -= 1
        }
      },
      async check(token) {
        service.calls.push({ call: 'check', atMs: clock.now(), body: token.reveal() })
        if (service.delayMs > 0) await sleep(clock, service.delayMs)
        const scripted = service.next.check.shift()
        if (scripted !== undefined) return scripted
        const found = service.tokens.find(({ text }) => text === token.reveal())
        if (found !== undefined) return { ok: true, value: record(found) }
        return { ok: true, value: { token, expiresAtMs: undefined, status: 'INVALID' } }
      },
      async config() {
        service.calls.push({ call: 'config', atMs: clock.now() })
        return { ok: true, value: { tokenCheckEnabled: production } }
      },
    },
  }
  return service
}

export interface TestClientService {
  readonly endpoints: ClientTokenEndpoints
  readonly calls: string[]
  readonly next: { create: TokenCallResult<ClientTokenPair>[]; refresh: TokenCallResult<ClientTokenPair>[] }
  /** Number of refreshes whose response is lost although the service has created the new pair. */
  loseResponses: number
  delayMs: number
  mostInFlight: number
}

/** Creates the client-token endpoints: a refresh token works once, and a create ends every earlier pair. */
export function createTestClientService(clock: Clock): TestClientService {
  let issued = 0
  let inFlight = 0
  const valid = new Map<string, string>()
  const issue = (user: string): ClientTokenPair => {
    issued += 1
    for (const [refreshToken, owner] of valid) if (owner === user) valid.delete(refreshToken)
    valid.set(`secret-refresh-${issued}`, user)
    return {
      accessToken: new Secret(`secret-access-${issued}`),
      expiresAtMs: clock.now() + 7_200_000,
      refreshToken: new Secret(`secret-refresh-${issued}`),
      refreshExpiresAtMs: clock.now() + 15 * DAY_MS,
    }
  }
  const during = async <T>(work: () => T): Promise<T> => {
    inFlight += 1
    service.mostInFlight = Math.max(service.mostInFlight, inFlight)
    if (service.delayMs > 0) await sleep(clock, service.delayMs)
    inFlight -= 1
    return work()
  }
  const service: TestClientService = {
    calls: [],
    next: { create: [], refresh: [] },
    loseResponses: 0,
    delayMs: 0,
    mostInFlight: 0,
    endpoints: {
      create(user) {
        service.calls.push('create')
        return during(() => service.next.create.shift() ?? { ok: true, value: issue(user) })
      },
      refresh(refreshToken) {
        service.calls.push('refresh')
        return during(() => {
          const scripted = service.next.refresh.shift()
          if (scripted !== undefined) return scripted
          const user = valid.get(refreshToken.reveal())
          if (user === undefined) return failure('rejected', { status: 401, code: 'INVALID_TOKEN' })
          const value = issue(user)
          if (service.loseResponses === 0) return { ok: true, value }
          service.loseResponses -= 1
          return failure('no-response')
        })
      },
    },
  }
  return service
}
