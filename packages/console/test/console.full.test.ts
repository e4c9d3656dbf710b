/**
 * The console in Chromium, with a client in another process: every view, every button, and accessibility
 * without a mouse, for screen readers and in a small window. `console.test.ts` is the short form.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import {
  endOf,
  openModuleStream,
  openTradeStream,
  sendSigned,
  take,
  usableToken,
} from '@brokerwire/testing/signed-client'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { IN_CHROMIUM, openBrowser } from './browser.ts'
import { startClient } from './client-process.ts'
import { type Opening, openConsole, PATIENCE_MS, startWithConsole, view } from './console-page.ts'
import { addressOf, send, startScene, VIEWS } from './scene.ts'

const { skip, note } = IN_CHROMIUM

let browser: Browser
beforeAll(async () => {
  if (!skip) browser = await openBrowser()
})
afterAll(() => browser?.close())

const start = startWithConsole
const open = (simulator: Simulator, opening?: Opening): Promise<Page> =>
  openConsole(browser, simulator, opening)

describe.skipIf(skip)(`the console${note}`, { timeout: PATIENCE_MS }, () => {
  test('after a dropped stream the client reports a gap and resumption, and the page shows the new stream', async () => {
    const simulator = await start()
    const page = await open(simulator)
    const client = startClient(simulator, 'listen', 'module', '--modules', 'journal')
    onTestFinished(client.stop)
    await view(page, 'Streams')
    const card = page.getByRole('article', { name: 'module stream of app-1' })
    await card.waitFor()
    const { position } = simulator.emitModule({ module: 'journal' })
    await card.getByText(position).waitFor()
    await page.getByRole('button', { name: 'Drop all' }).click()
    await page.getByText('Connections were closed without a message: 1 stream.').waitFor()
    await client.prints('reconnecting')
    await client.prints('resumed')
    // The client reconnected with the cursor of its last event.
    await card.getByRole('cell', { name: position }).first().waitFor()
    expect(simulator.subscriptions()).toMatchObject([{ requested: { events: [{ position }] } }])
  })

  test('a rejected request shows the canonical string, and a comparison shows the cause', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await send(simulator, '/openapi/config?page=2&pin=hidden-one', undefined, (url) =>
      url.replace('page=2', 'page=3'),
    )
    await send(simulator, '/openapi/config', undefined)
    await view(page, 'Requests')
    await page.getByLabel('rejected only').check()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.locator('.row', { hasText: '401' }).click()
    await page.getByRole('cell', { name: 'page=3' }).waitFor()
    await page.getByRole('button', { name: 'Copy a report' }).click()
    await page.getByText('The report is copied. It contains no secret.').waitFor()
    const report = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(report).toContain('http GET /openapi/config')
    expect(report).toContain('rejected: UNAUTHORIZED')
    expect(report).toContain('query: pin=<10 characters>')
    for (const hidden of [
      'hidden-one',
      'page=3',
      simulator.credentials.appKey,
      simulator.credentials.appSecret.reveal(),
    ])
      expect(report).not.toContain(hidden)
    const canonical = (
      await page.getByRole('region', { name: 'Request' }).locator('code').allTextContents()
    ).join()
    expect(canonical).toContain('x-timestamp=')
    const { port } = new URL(simulator.baseUrl)
    await page.getByLabel('The string that your client signed').fill('/openapi/config&host=127.0.0.1&page=3')
    await page.getByText('port', { exact: true }).waitFor()
    await page.getByText(`host=127.0.0.1:${port}`, { exact: true }).last().waitFor()
    await page.getByText('The ports differ: only the default port is omitted.').waitFor()
  })

  test('a known mistake is named from the signature alone', async () => {
    const simulator = await start()
    const page = await open(simulator)
    const { appKey, appSecret } = simulator.credentials
    const { host, hostname } = new URL(simulator.baseUrl)
    const signer = createSigner({ appKey, appSecret, now: () => simulator.clock.now() })
    const { headers } = await signer.sign({ scheme: 'http', host: hostname, path: '/openapi/config' })
    expect((await fetch(`${simulator.baseUrl}/openapi/config`, { headers })).status).toBe(401)
    await view(page, 'Requests')
    await page.locator('.row', { hasText: '401' }).click()
    await page.getByText('omitted the port of the host').waitFor()
    await page.getByText('The ports differ: only the default port is omitted.').waitFor()
    await page.getByText(`host=${host}`, { exact: true }).last().waitFor()
  })

  test('the workbench signs in the page; its link brings the example back without the secret', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await view(page, 'Workbench')
    await page.getByLabel('App secret').fill('example-secret')
    const signature = page.getByRole('region', { name: 'Signature', exact: true }).locator('pre')
    await expect.poll(() => signature.textContent()).toMatch(/^[\w+/]+=*$/)
    const before = await signature.textContent()
    await page.getByLabel('URL').fill('https://api.example.com/openapi/orders?b=2&a=1')
    await expect.poll(() => signature.textContent()).not.toBe(before)
    const first = await signature.textContent()
    await page.getByLabel("The other side's canonical string").fill('/openapi/orders&b=2&a=1')
    await page.locator('.causes li').first().waitFor()
    await page.getByRole('button', { name: 'Copy a link' }).click()
    const link = page.url()
    expect(link).toContain('openapi%2Forders')
    expect(link).not.toContain('example-secret')
    await page.goto('about:blank')
    await page.goto(link)
    expect(await page.getByLabel('URL').inputValue()).toBe('https://api.example.com/openapi/orders?b=2&a=1')
    expect(await page.getByLabel('App secret').inputValue()).toBe('')
    await page.getByLabel('App secret').fill('example-secret')
    await expect.poll(() => signature.textContent()).toBe(first)
  })

  test('fifteen days go by, and the token has ended', async () => {
    const simulator = await start({ seed: 7 })
    const page = await open(simulator)
    const [used, idle] = [await usableToken(simulator), await usableToken(simulator)]
    await view(page, 'Tokens')
    const stateOf = (token: string, status: string) =>
      page
        .getByRole('article', { name: `Token ${token.slice(0, 4)}` })
        .getByRole('img', { name: `State ${status}` })
    await stateOf(used, 'NORMAL').waitFor()
    await stateOf(idle, 'NORMAL').waitFor()
    await view(page, 'Time')
    await page.getByRole('button', { name: 'Advance 1 hour' }).click()
    await page.getByText('The clock is 1 h later.').waitFor()
    const headers = { 'x-access-token': used }
    const answer = await sendSigned(simulator, { method: 'GET', path: '/openapi/simulator/echo', headers })
    expect(answer.status).toBe(200)
    await page.getByRole('button', { name: 'Advance 15 days' }).click()
    await page.getByText('The clock is 15 d later.').waitFor()
    await view(page, 'Tokens')
    await stateOf(used, 'EXPIRED').waitFor()
    await stateOf(idle, 'INVALID').waitFor()
    await page.getByText('EXPIRED is final. Create a new token.').waitFor()
    expect(simulator.state()).toMatchObject({ accessTokens: { NORMAL: 0, EXPIRED: 1, INVALID: 1 } })
  })

  test('a raw frame goes out as it was typed, and is replayed; a stream is reset and ended by buttons', async () => {
    const simulator = await start()
    const stream = await openModuleStream(simulator, { events: [{ eventType: 'ODD', position: '' }] })
    await take(stream, 1)
    const page = await open(simulator)
    await view(page, 'Events')
    await page.getByRole('button', { name: 'Send an event' }).click()
    await page
      .getByRole('form', { name: 'Send an event' })
      .getByLabel('Event')
      .first()
      .selectOption('moduleFrame')
    await page.getByLabel('Event type').fill('ODD')
    await page.getByLabel('Cursor').fill('C1')
    await page.getByLabel('Payload as it is sent').fill('no JSON at all')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.row', { hasText: 'not decodable' }).waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByLabel('of kind').selectOption('module')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('1 event sent again, unchanged.').waitFor()
    expect(simulator.moduleEvents()).toMatchObject([
      { eventType: 'ODD', position: 'C1', payload: 'no JSON at all' },
      { eventType: 'ODD', position: 'C1', payload: 'no JSON at all' },
    ])
    await view(page, 'Streams')
    const card = page.getByRole('article', { name: 'module stream of app-1' })
    await card.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('RST_STREAM was sent.').waitFor()
    expect(await endOf(stream)).not.toBe('clean')
    await page.getByText('No streams').waitFor()
    const second = await openModuleStream(simulator, { events: [{ eventType: 'ODD', position: '' }] })
    await take(second, 1)
    await card.getByRole('button', { name: 'End' }).click()
    await page.getByText('Ended cleanly.').waitFor()
    expect(await endOf(second)).toBe('clean')
  })

  test('the buttons above the streams act on all streams or on those of one service, and the page reports silence until it ends', async () => {
    const simulator = await start()
    const openBoth = async () => {
      const trade = await openTradeStream(simulator)
      const module = await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
      await take(trade, 1)
      await take(module, 1)
      return { trade, module }
    }
    const first = await openBoth()
    const page = await open(simulator)
    await view(page, 'Streams')
    const all = page.getByRole('group', { name: 'All streams' })
    await all.getByLabel('Service').selectOption('module')
    await all.getByRole('button', { name: 'Reset all' }).click()
    await page.getByText('RST_STREAM was sent: 1 module stream.').waitFor()
    expect(await endOf(first.module)).not.toBe('clean')
    await all.getByLabel('Service').selectOption('trade')
    await all.getByRole('button', { name: 'GOAWAY all' }).click()
    await page.getByText('GOAWAY was sent, streams continue: 1 connection.').waitFor()
    await all.getByRole('button', { name: 'Silence all' }).click()
    await page.getByText('Nothing is sent: 1 trade stream.').waitFor()
    await page.getByText(/^Nothing is sent on trade streams/).waitFor()
    const { payload } = simulator.emitOrder()
    await page.getByText(', 1 waiting').waitFor()
    await all.getByRole('button', { name: 'Resume all' }).click()
    expect(await take(first.trade, 1)).toMatchObject([{ payload }])
    await all.getByLabel('Service').selectOption('both')
    await all.getByRole('button', { name: 'Reset all' }).click()
    await page.getByText('RST_STREAM was sent: 1 stream.').waitFor()
    expect(await endOf(first.trade)).not.toBe('clean')
    const second = await openBoth()
    await all.getByRole('button', { name: 'End all' }).click()
    await page.getByText('Ended cleanly: 2 streams.').waitFor()
    expect(await Promise.all([endOf(second.trade), endOf(second.module)])).toEqual(['clean', 'clean'])
    await page.getByText('No streams').waitFor()
    expect(await all.count()).toBe(0)
  })

  test('a fault by form strikes the next request', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await view(page, 'Faults')
    await page.getByLabel('HTTP status').fill('429')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('cell', { name: 'respond 429' }).waitFor()
    expect((await fetch(`${simulator.baseUrl}/openapi/config`)).status).toBe(429)
    await page.getByText('No active faults').waitFor()
  })

  test('ten thousand events: what is in the page is bounded, and the newest is on top', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await view(page, 'Events')
    simulator.emitOrder({ scene: 'FINAL_FILLED' })
    await page.locator('.row').first().waitFor()
    for (let sent = 0; sent < 10_000; sent += 1) {
      simulator.emitTradeFrame({ kind: 'option', payload: `{"name":"event ${sent}"}` })
      // Sent in groups with pauses, as in real operation.
      if (sent % 200 === 199) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await page.locator('.row').first().getByText('event 9999').waitFor()
    const rows = await page.locator('.row').count()
    expect(rows).toBeGreaterThan(10)
    expect(rows).toBeLessThanOrEqual(200)
    const kept = Number(await page.locator('.rows > li').first().getAttribute('aria-setsize'))
    expect(kept).toBeLessThanOrEqual(5000)
    await page.locator('.scroll').evaluate((box) => {
      box.scrollTop = box.scrollHeight
    })
    await expect
      .poll(async () => page.locator('.rows > li').last().getAttribute('aria-posinset'))
      .toBe(String(kept))
    expect(await page.locator('.row').count()).toBeLessThanOrEqual(200)
  })

  test('events are filtered and paused, and an invented one is marked', async () => {
    const simulator = await start({ accounts: ['ACCOUNT-ONE', 'ACCOUNT-TWO'] })
    const page = await open(simulator)
    simulator.emitOrder({ accountId: 'ACCOUNT-ONE', scene: 'FINAL_FILLED' })
    simulator.emitOrder({ accountId: 'ACCOUNT-TWO', scene: 'PLACED' })
    simulator.emitPosition({ accountId: 'ACCOUNT-TWO' })
    const { position } = simulator.emitModule({ module: 'funding', accountId: 'ACCOUNT-ONE' })
    await view(page, 'Events')
    const rows = page.locator('.row')
    const counts = (count: number) => expect.poll(() => rows.count()).toBe(count)
    await counts(4)
    await page.getByLabel('Kind').selectOption('order')
    await counts(2)
    await page.getByLabel('Account').selectOption('ACCOUNT-TWO')
    await counts(1)
    await rows.filter({ hasText: 'invented' }).click()
    const details = page.getByRole('region', { name: 'Event', exact: true })
    await details.getByText('Invented: no source documents such a payload.').waitFor()
    await details.getByRole('button', { name: 'Close' }).click()
    expect(await page.evaluate('document.activeElement?.className')).toBe('row')
    await page.getByLabel('Kind').selectOption('any')
    await counts(2)
    await page.getByLabel('Account').selectOption('ACCOUNT-ONE')
    await page.getByLabel('Kind').selectOption('funding')
    await counts(1)
    await page.getByLabel('Kind').selectOption('any')
    await page.getByLabel('Account').selectOption('any')
    await page.getByLabel('Text').fill(position)
    await counts(1)
    await page.getByLabel('Text').fill('FINAL_FILLED')
    await counts(1)
    await rows.filter({ hasText: /filled (BUY|SELL) [\d.]+ \S+ \S+, [\d.]+ at [\d.]+/ }).click()
    await details.getByText('The payload has the fields of published sources').waitFor()
    await page.getByLabel('Text').fill('')
    await page.getByRole('button', { name: 'Pause' }).click()
    simulator.emitOrder()
    await page.getByRole('button', { name: 'Continue (1 new)' }).click()
    await counts(5)
  })

  test('the numbers of the chart are a table', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await page.getByText('Show the numbers').click()
    for (let sent = 0; sent < 5; sent += 1) simulator.emitOrder()
    const table = page.getByRole('table', { name: 'Events and requests per second, newest first' })
    const sum = async () =>
      (await table.locator('tbody td:nth-child(2)').allTextContents()).reduce(
        (all, text) => all + Number(text),
        0,
      )
    await expect.poll(sum).toBe(5)
    await page.getByRole('img', { name: /^Last minute: at most [1-5] events and 0 requests/ }).waitFor()
  })

  test('faults of streams by form, cleared; a scenario by form, its own steps too, and what is wrong in them', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await view(page, 'Faults')
    const form = page.getByRole('form', { name: 'A fault' })
    await form.getByLabel('Target').selectOption('subscription')
    await form.getByLabel('Fault').first().selectOption('auth-error')
    await form.getByLabel('Service').selectOption('module')
    await form.getByLabel('Times').selectOption('3')
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('row', { name: 'subscription auth-error module 3 more' }).waitFor()
    const refused = await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
    expect(await endOf(refused)).toBe('clean')
    await page.getByRole('row', { name: 'subscription auth-error module 2 more' }).waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('No active faults').waitFor()
    await view(page, 'Time')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('lifecycles-forever has started.').waitFor()
    await page.getByText('running', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('stopped', { exact: true }).waitFor()
    await page.getByText('Your own steps').click()
    await page.getByLabel('Steps, as JSON').fill('{ "steps": [')
    await page.getByRole('button', { name: 'Start these steps' }).click()
    await page.getByText('The steps are not JSON').waitFor()
    await page
      .getByLabel('Steps, as JSON')
      .fill('{ "steps": [{ "type": "order", "order": "one", "scene": "PLACED" }] }')
    await page.getByRole('button', { name: 'Start these steps' }).click()
    await page.getByText('Your steps have started.').waitFor()
    await expect.poll(() => simulator.tradeEvents().length).toBeGreaterThan(0)
  })

  test('eight pages can be open, a hidden page releases its connection, and gets all events when it is visible again', async () => {
    const simulator = await start()
    const page = await open(simulator)
    await view(page, 'Events')
    const cookies = await page.context().cookies()
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      'x-console-key': String(await page.evaluate("localStorage.getItem('console-key')")),
    }
    const others: AbortController[] = []
    onTestFinished(() => {
      for (const other of others) other.abort()
    })
    const openOther = async (): Promise<number> => {
      const other = new AbortController()
      const { status } = await fetch(`${simulator.consoleUrl}/api/feed`, { headers, signal: other.signal })
      if (status === 200) others.push(other)
      else other.abort()
      return status
    }
    for (let count = 0; count < 7; count += 1) expect(await openOther()).toBe(200)
    expect(await openOther()).toBe(503)
    const show = (how: 'hidden' | 'visible') =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${how}' })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show('hidden')
    await expect.poll(openOther).toBe(200)
    simulator.emitOrder()
    await show('visible')
    await page.getByText('Eight consoles are open. Close another one to use this one.').waitFor()
    const ninth = await page.context().newPage()
    await ninth.goto(simulator.consoleUrl ?? '')
    await ninth.getByText('Too many consoles are open').waitFor()
    await ninth.close()
    expect(await page.locator('.row').count()).toBe(0)
    others.pop()?.abort()
    await page.getByText('Connected').waitFor()
    await expect.poll(() => page.locator('.row').count()).toBe(1)
  })

  test('a simulator that sends nothing over an open connection is not reachable until it responds', async () => {
    const simulator = await start()
    const page = await (await browser.newContext()).newPage()
    onTestFinished(() => page.context().close())
    await page.clock.install()
    await page.goto(addressOf(simulator))
    await page.getByText('Connected').waitFor()
    // The route accepts the next connection too, and never responds, as a stopped process does.
    await page.route('**/api/feed', () => undefined)
    await page.clock.fastForward(30_000)
    await page.getByText('The simulator is not reachable.').waitFor()
    await page.unroute('**/api/feed')
    await page.clock.fastForward(30_000)
    await page.getByText('Connected').waitFor()
  })

  test.each([
    ['stateFile', 2],
    ['consoleFile', 1],
  ])(
    'the page reports that the simulator is not reachable, and connects again after a restart with %s',
    async (name, rows) => {
      const folder = await mkdtemp(join(tmpdir(), 'console-browser-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const options = { console: true, [name]: join(folder, 'file') }
      const first = await startSimulator(options)
      onTestFinished(() => first.close())
      const page = await open(first)
      first.emitOrder()
      await view(page, 'Events')
      await expect.poll(() => page.locator('.row').count()).toBe(1)
      await page.locator('.row').click()
      const details = page.getByRole('region', { name: 'Event', exact: true })
      await details.waitFor()
      await first.close()
      await page.getByText('The simulator is not reachable.').waitFor()
      const second = await startSimulator(options)
      onTestFinished(() => second.close())
      expect(second.consoleUrl).toBe(first.consoleUrl)
      await page.getByText('Connected').waitFor()
      second.emitOrder()
      // The new simulator has only the events from the state file.
      await expect.poll(() => page.locator('.row').count()).toBe(rows)
      expect(await details.count()).toBe(0)
    },
  )
})

describe.skipIf(skip)(`everybody can use it${note}`, { timeout: PATIENCE_MS }, () => {
  test('axe finds nothing on any view, in light and dark', async () => {
    await using scene = await startScene()
    const { simulator } = scene
    await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
    await simulator.waitForSubscriptions()
    const page = await open(simulator)
    await page.evaluate(axe.source)
    const violations = (): Promise<unknown> =>
      page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
      )
    for (const name of VIEWS) {
      await page.goto(`${scene.origin}/#/${name}`)
      await scene.prepare(page, name)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect([name, colorScheme, await violations()]).toEqual([name, colorScheme, []])
      }
    }
    await page.goto(`${scene.origin}/#/tokens`)
    await simulator.close()
    await page.getByText('The simulator is not reachable.').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(['away', colorScheme, await violations()]).toEqual(['away', colorScheme, []])
    }
  })

  test('no view scrolls sideways in a window of 360 pixels', async () => {
    await using scene = await startScene({ accounts: ['A'.repeat(64)], appKey: 'k'.repeat(64) })
    const page = await open(scene.simulator, { width: 360 })
    for (const name of VIEWS) {
      await page.goto(`${scene.origin}/#/${name}`)
      await scene.prepare(page, name)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect([name, width]).toEqual([name, 360])
    }
  })

  test('a screen reader gets the current view, the counts, and the result of a button', async () => {
    const simulator = await start()
    await usableToken(simulator)
    await send(simulator, '/openapi/auth/token/create', '{}')
    const page = await open(simulator)
    const hears = async (role: 'banner' | 'main' | 'navigation', name?: string) =>
      expect(await page.getByRole(role, name === undefined ? {} : { name }).count()).toBe(1)
    await hears('banner')
    await hears('main')
    await hears('navigation', 'Views')
    await page.getByRole('status').filter({ hasText: 'Connected' }).waitFor()
    await page.getByRole('link', { name: 'Tokens 1 waiting for approval' }).waitFor()
    await page
      .getByRole('link', { name: 'Overview', exact: true })
      .and(page.locator('[aria-current=page]'))
      .waitFor()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: /^Approve [\w-]{4}…$/ }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Token [\w-]{4}… is approved\.$/ })
      .waitFor()
    await view(page, 'Tokens')
    const card = page.getByRole('article', { name: /^Token / }).first()
    await card.getByRole('img', { name: 'State NORMAL' }).waitFor()
    await card.getByRole('progressbar', { name: /^Time left until / }).waitFor()
    await card.getByRole('button', { name: /^Expire token / }).click()
    await page.getByRole('status').filter({ hasText: 'has expired.' }).waitFor()
    expect(await page.title()).toBe('Tokens · brokerwire console')
    await view(page, 'Streams')
    await page.getByRole('meter', { name: 'Connection slots of app-1' }).waitFor()
    simulator.emitOrder()
    await view(page, 'Events')
    await page.getByRole('region', { name: 'Events, newest first' }).waitFor()
    await page.getByRole('button', { name: 'Pause', pressed: false }).waitFor()
    await page.getByRole('button', { name: 'Send an event', expanded: false }).click()
    await page.getByRole('form', { name: 'Send an event' }).waitFor()
    await simulator.close()
    await page.getByRole('status').filter({ hasText: 'The simulator is not reachable.' }).waitFor()
  })

  test('with the keyboard alone: to the view, through the list, and back', async () => {
    const simulator = await start()
    const page = await open(simulator)
    for (let sent = 0; sent < 3; sent += 1) simulator.emitOrder()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the view')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('MAIN')
    await page.getByRole('link', { name: 'Events' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.row').first().waitFor()
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Events')
    const row = page.locator('.row').first()
    await row.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Event', exact: true }).waitFor()
    expect(await row.getAttribute('aria-pressed')).toBe('true')
    await page.keyboard.press('Space')
    await expect.poll(() => row.getAttribute('aria-pressed')).toBe('false')
  })
})
