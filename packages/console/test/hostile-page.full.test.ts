/**
 * A hostile page in a browser that has a console with a session open. It tries everything that a page can
 * send, frame or open. It is served from two origins:
 *
 * - `localhost` is another site, to which the browser sends no cookie.
 * - `127.0.0.1` with another port is the same site, because cookies ignore ports. Here only the checks of the
 * console prevent the attack.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { IN_CHROMIUM, openBrowser } from './browser.ts'
import { addressOf } from './scene.ts'

const { skip, note } = IN_CHROMIUM

let browser: Browser
beforeAll(async () => {
  if (!skip) browser = await openBrowser()
})
afterAll(() => browser?.close())

interface Attack {
  readonly simulator: Simulator
  /** The console, open in the same browser. */
  readonly victim: Page
  readonly hostile: Page
  readonly console: string
  /** Statuses of the console's responses to the hostile page. */
  readonly answers: string[]
  /** Cookies that the browser sent to the hostile server. */
  readonly cookies: readonly string[]
}

/** Opens a console with a session, and a hostile page in the same browser. */
async function attackFrom(host: 'localhost' | '127.0.0.1'): Promise<Attack> {
  const simulator = await startSimulator({ console: true })
  onTestFinished(() => simulator.close())
  const cookies: string[] = []
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '')
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>hostile</title><body>')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const victim = await context.newPage()
  await victim.goto(addressOf(simulator))
  await victim.getByText('Connected').waitFor()
  const hostile = await context.newPage()
  const answers: string[] = []
  context.on('response', (response) => {
    const { pathname, origin } = new URL(response.url())
    if (origin === simulator.consoleUrl)
      answers.push(`${response.request().method()} ${pathname} ${response.status()}`)
  })
  await hostile.goto(`http://${host}:${(server.address() as AddressInfo).port}/`)
  return { simulator, victim, hostile, console: simulator.consoleUrl ?? '', answers, cookies }
}

/** Sends the request from the hostile page. */
const inPage = (page: Page, target: string, body: string): Promise<unknown> =>
  page.evaluate(`(async (target) => { ${body} })(${JSON.stringify(target)})`)

/** Sends the same request from the console's page. */
const emitOwn = ({ victim }: Attack): Promise<unknown> =>
  victim.evaluate(
    `fetch('api/emit', { method: 'POST', headers: { 'content-type': 'application/json', 'x-console-key': localStorage.getItem('console-key') }, body: '{"order":{}}' }).then(({ status }) => status)`,
  )

const eventsOf = ({ simulator }: Attack) => simulator.tradeEvents().length

describe.skipIf(skip)(`a hostile page in the same browser${note}`, () => {
  test('the page of the console itself can do what is tried below', async () => {
    const attack = await attackFrom('127.0.0.1')
    expect([await emitOwn(attack), eventsOf(attack)]).toEqual([200, 1])
  })

  test.each(['localhost', '127.0.0.1'] as const)(
    'from %s: fetch neither changes nor reads anything',
    async (host) => {
      const attack = await attackFrom(host)
      const outcomes = await inPage(
        attack.hostile,
        attack.console,
        `const body = '{"order":{}}'
      const all = { credentials: 'include' }
      const attempt = (path, init) => fetch(target + path, { ...all, ...init }).then(
        async (answer) => answer.type + ' ' + answer.status + ' ' + (await answer.text()), () => 'refused')
      return Promise.all([
        attempt('/api/emit', { method: 'POST', body, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
        attempt('/api/emit', { method: 'POST', body, headers: { 'content-type': 'text/plain' } }),
        attempt('/api/emit', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
        attempt('/api/emit', { method: 'POST', body: new Blob([body], { type: 'application/json' }), keepalive: true }),
        attempt('/api/request?index=0', {}),
        attempt('/api/request?index=0', { mode: 'no-cors' }),
        attempt('/', {}),
        attempt('/', { mode: 'no-cors' }),
        navigator.sendBeacon(target + '/api/emit', body) && 'beacon',
      ])`,
      )
      // The browser hides each response from the page. Responses without CORS are hidden by the resource
      // policy.
      expect(outcomes).toEqual([...Array(8).fill('refused'), 'beacon'])
      expect(attack.answers.filter((answer) => !answer.endsWith(' 403'))).toEqual([])
      expect(eventsOf(attack)).toBe(0)
      // The session was valid during the whole attack.
      expect([await emitOwn(attack), eventsOf(attack)]).toEqual([200, 1])
    },
  )

  test.each(['localhost', '127.0.0.1'] as const)(
    'from %s: a form, into a frame and at the top, is refused',
    async (host) => {
      const attack = await attackFrom(host)
      const submit = (into: string) =>
        inPage(
          attack.hostile,
          attack.console,
          `const form = document.createElement('form')
          form.method = 'POST'
          form.enctype = 'text/plain'
          form.action = target + '/api/emit'
          form.target = ${JSON.stringify(into)}
          const field = document.createElement('input')
          // Sent as {"order":{},"x":"="}: the form writes JSON.
          field.name = '{"order":{},"x":"'
          field.value = '"}'
          form.append(field)
          const frame = document.createElement('iframe')
          frame.name = 'frame'
          document.body.append(frame, form)
          form.submit()`,
        )
      await submit('frame')
      await expect.poll(() => attack.answers).toEqual(['POST /api/emit 403'])
      await submit('_self')
      await expect.poll(() => attack.answers).toEqual(['POST /api/emit 403', 'POST /api/emit 403'])
      expect(eventsOf(attack)).toBe(0)
    },
  )

  test('a server on another port is sent the cookie, and can do nothing with it', async () => {
    const { simulator, cookies, console: origin, hostile, ...attack } = await attackFrom('127.0.0.1')
    const [cookie = ''] = cookies
    // Current browsers send the cookie. If they no longer do, this test contains no attack.
    expect(cookie).toMatch(/^brokerwire-console-\d+=[\da-f]{64}$/)
    const headers = { cookie, origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const call = { method: 'POST', headers, body: '{"order":{}}' }
    expect((await fetch(`${origin}/api/emit`, call)).status).toBe(401)
    expect((await fetch(`${origin}/api/feed`, { headers })).status).toBe(401)
    expect(simulator.tradeEvents()).toHaveLength(0)
    // The hostile page cannot read the key, which is stored during the whole attack.
    expect(await hostile.evaluate('Object.keys(localStorage)')).toEqual([])
    const key = String(await attack.victim.evaluate("localStorage.getItem('console-key')"))
    expect(
      (await fetch(`${origin}/api/emit`, { ...call, headers: { ...headers, 'x-console-key': key } })).status,
    ).toBe(200)
  })

  test.each(['localhost', '127.0.0.1'] as const)('from %s: no frame shows it', async (host) => {
    const attack = await attackFrom(host)
    await inPage(
      attack.hostile,
      attack.console,
      `const frame = document.createElement('iframe')
      frame.src = target + '/'
      const loaded = new Promise((resolve) => { frame.onload = resolve })
      document.body.append(frame)
      await loaded`,
    )
    const [, frame] = attack.hostile.frames()
    expect(await frame?.locator('#console').count()).toBe(0)
    expect(attack.answers.filter((answer) => !answer.endsWith(' 403'))).toEqual([])
  })

  test.each(['localhost', '127.0.0.1'] as const)(
    'from %s: a window that opens it has no hold on it, and images, scripts and feeds of it are refused',
    async (host) => {
      const attack = await attackFrom(host)
      const opened = attack.hostile.context().waitForEvent('page')
      await inPage(attack.hostile, attack.console, `window.opened = window.open(target + '/#/tokens')`)
      const page = await opened
      await page.getByText('Connected').or(page.getByText('This browser has no access')).first().waitFor()
      expect(await page.evaluate('window.opener')).toBeNull()
      // For the hostile page, a window without a reference counts as closed.
      await expect.poll(() => attack.hostile.evaluate('window.opened.closed')).toBe(true)
      await page.close()
      const outcomes = await inPage(
        attack.hostile,
        attack.console,
        `const load = (name, path) => new Promise((resolve) => {
          const element = document.createElement(name)
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('refused')
          element.src = target + path
          document.body.append(element)
        })
        const feed = new EventSource(target + '/api/feed', { withCredentials: true })
        const fed = new Promise((resolve) => {
          feed.onerror = () => resolve(feed.readyState === 2 ? 'refused' : 'again')
          feed.addEventListener('hello', () => resolve('read'))
        })
        return Promise.all([load('img', '/api/request?index=0'), load('script', '/console.js'), load('script', '/api/request?index=0'), fed])`,
      )
      expect(outcomes).toEqual(['refused', 'refused', 'refused', 'refused'])
    },
  )
})
