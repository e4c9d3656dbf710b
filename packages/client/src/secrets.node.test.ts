/**
 * Errors, observer reports, notices and logs contain no secret, whatever fails. The store contains tokens under their keys only, and
 * never the app secret.
 */
import { inspect } from 'node:util'
import { createVirtualClock } from '@brokerwire/core/testing'
import { isStreamsError } from '@brokerwire/streams'
import { expect, onTestFinished, test, vi } from 'vitest'
import { passTime, rejection, startSetUp } from './test/set-up.ts'

const ECHO = '/openapi/simulator/echo'
const MARK = 'quoted-secret-value'

/** All strings that can be read from a value, including its causes and hidden properties. */
function readAll(value: unknown, seen = new Set<unknown>()): string {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  const parts = Reflect.ownKeys(value).map((name) => {
    const part: unknown = Reflect.get(value, name)
    return `${String(name)}: ${typeof part === 'function' ? '' : readAll(part, seen)}`
  })
  const printed = inspect(value, { depth: 12, showHidden: true })
  return [String(value), JSON.stringify(value), printed, ...parts].join('\n')
}

function expectNone(items: readonly unknown[], secrets: ReadonlySet<string>): void {
  for (const item of items) {
    const readable = readAll(item)
    for (const secret of secrets) if (readable.includes(secret)) expect.fail(`a secret in ${inspect(item)}`)
  }
}

/** Records all output to the console and the standard streams, and warnings of the process. */
function listenToLogs(): unknown[] {
  const logged: unknown[] = []
  const keep = (...items: unknown[]): boolean => {
    logged.push(...items)
    return true
  }
  const spies = [
    ...(['debug', 'error', 'info', 'log', 'trace', 'warn'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(keep),
    ),
    vi.spyOn(process.stdout, 'write').mockImplementation(keep),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep),
  ]
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
    for (const spy of spies) spy.mockRestore()
  })
  return logged
}

test('a rejected token of a stream appears in no error, notice or report', async () => {
  const { simulator, reports, open } = await startSetUp({
    environment: 'sandbox',
    streamAccessToken: 'required',
  })
  const hear = (item: unknown): void => {
    reports.push(item)
  }
  const brokerage = open({
    observer: { onStreamAttempt: hear, onStreamState: hear, onStreamNotice: hear },
  })
  const token = await brokerage.accessTokens.get()
  simulator.endAccessTokens()
  const listening = async (): Promise<void> => {
    for await (const item of brokerage.tradeEvents({ accounts: simulator.accounts })) reports.push(item)
  }
  const error = await rejection(listening())
  expect(isStreamsError(error)).toBe(true)
  expect(reports.length).toBeGreaterThan(4)
  const secrets = [simulator.credentials.appSecret.reveal(), token?.token.reveal() ?? '']
  expectNone([...reports, error, brokerage], new Set(secrets))
})

test('no failure shows a secret', async () => {
  const logged = listenToLogs()
  const clock = createVirtualClock()
  const setUp = await startSetUp({ clock })
  const { simulator, reports, store } = setUp
  const { faults } = simulator
  const signatures: string[] = []
  const tokens = new Set<string>()
  const spy: typeof fetch = async (input, init) => {
    const headers = (init?.headers ?? {}) as Record<string, string>
    for (const name of ['x-signature', 'x-signature-nonce']) signatures.push(headers[name] ?? '')
    const response = await fetch(input, init)
    for (const found of (
      await response
        .clone()
        .text()
        .catch(() => '')
    ).matchAll(/token":"([^"]+)"/g))
      tokens.add(found[1] ?? '')
    return response
  }
  const brokerage = setUp.open({ http: { fetch: spy as never, timeoutMs: 5000 } })
  const { http, accessTokens, clientTokens } = brokerage
  const attempt = async (promise: Promise<unknown>): Promise<void> => {
    reports.push(await passTime(setUp, clock, promise))
  }
  /** A service that quotes the latest token that a request carried. */
  const quote = (status: number) =>
    ({
      kind: 'respond',
      status,
      body: JSON.stringify({
        error_code: 'ODD',
        message: `not good: ${[...tokens].filter((token) => token !== MARK).at(-1)}`,
      }),
    }) as const

  for (const fault of [
    quote(401),
    quote(417),
    quote(500),
    { kind: 'respond', status: 200, body: `{"token":"${MARK}","expires_at":` } as const,
    { kind: 'close' } as const,
    { kind: 'truncate' } as const,
  ]) {
    faults.nextHttp(fault, { path: '/auth/tokens/create' })
    await attempt(accessTokens.get({ wait: false }))
    await clock.advance(300_000)
  }
  await attempt(accessTokens.get({ wait: false }))
  simulator.approveSecondFactor()
  await clock.advance(5000)
  await attempt(accessTokens.get())
  for (const fault of [quote(401), quote(403), quote(429), { kind: 'truncate' } as const]) {
    faults.nextHttp(fault, { path: ECHO })
    await attempt(http.request({ method: 'POST', path: ECHO, json: { note: 'x' } }))
  }
  faults.nextHttp({ kind: 'hang' }, { path: ECHO })
  const hung = rejection(http.request({ method: 'POST', path: ECHO, json: {} }))
  while (setUp.busy === 0) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(5000)
  reports.push(await hung)
  await attempt(http.request({ method: 'GET', path: ECHO, headers: { 'x-app-secret': MARK } }))
  simulator.endAccessTokens()
  await attempt(http.request({ method: 'GET', path: ECHO }))
  await attempt(clientTokens.get('anna'))
  await clock.advance(7_000_000)
  for (let count = 0; count < 2; count += 1)
    faults.nextHttp(quote(500), { path: '/auth/client-tokens/refresh' })
  await attempt(clientTokens.get('anna'))
  const secrets = new Set([simulator.credentials.appSecret.reveal(), MARK, ...signatures, ...tokens])
  secrets.delete('')
  expect(tokens.size).toBeGreaterThanOrEqual(4)
  expect(signatures.length).toBeGreaterThan(20)
  expect(reports.filter((item) => item instanceof Error).length).toBeGreaterThan(10)
  expect(logged).toEqual([])
  expectNone([...reports, simulator.requests(), simulator.state(), brokerage, accessTokens, http], secrets)

  const { appSecret, appKey } = simulator.credentials
  for (const { key, text = '' } of store.written) {
    expect(key).toMatch(
      new RegExp(
        `^(access-token|client-token|rate-limit)/production/us/${appKey}/https?%3A[^/]+(/anna|/app-key|/client-create|/client-refresh)?$`,
      ),
    )
    if (key.startsWith('rate-limit')) for (const token of tokens) expect(text).not.toContain(token)
    for (const secret of [appSecret.reveal(), MARK, ...signatures]) {
      expect(key).not.toContain(secret)
      if (secret !== '') expect(text).not.toContain(secret)
    }
    for (const token of tokens) expect(key).not.toContain(token)
  }
})
