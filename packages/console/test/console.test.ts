/**
 * The console in Chromium: it opens, approves a token, sends an event, ends one of two sessions, and places an order.
 * `*.full.test.ts` test everything else.
 */
import { connectMqttPeer } from '@brokerwire/testing/mqtt-peer'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { IN_CHROMIUM, openBrowser } from './browser.ts'
import { startClient } from './client-process.ts'
import { openConsole, PATIENCE_MS, startWithConsole, view } from './console-page.ts'
import { addressOf, placeOrder } from './scene.ts'

const { skip, note } = IN_CHROMIUM

let browser: Browser
beforeAll(async () => {
  if (!skip) browser = await openBrowser()
})
afterAll(() => browser?.close())

describe.skipIf(skip)(`the console${note}`, { timeout: PATIENCE_MS }, () => {
  test('removes the token from the address at once, and stays open without it', async () => {
    const simulator = await startWithConsole()
    const page = await openConsole(browser, simulator)
    const token = simulator.consoleToken.reveal()
    expect(page.url()).toBe(`${simulator.consoleUrl}/#/overview`)
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(token)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await page.getByText('Connected').waitFor()
    const stranger = await (await browser.newContext()).newPage()
    await stranger.goto(simulator.consoleUrl ?? '')
    await stranger.getByText('This browser has no access').waitFor()
    // The printed address is opened in a tab that already shows the page. Then only the fragment changes.
    await stranger.goto(addressOf(simulator))
    await stranger.getByText('Connected').waitFor()
    expect(stranger.url()).toBe(`${simulator.consoleUrl}/#/overview`)
    await stranger.context().close()
  })

  test('approves a token, and a client in another process that waited for it continues', async () => {
    const simulator = await startWithConsole()
    const page = await openConsole(browser, simulator)
    const client = startClient(simulator, 'listen', 'trade', '--with-token', '--create', '--json')
    onTestFinished(client.stop)
    await view(page, 'Tokens')
    const card = page.getByRole('article', { name: /^Token/ })
    await card.getByText('PENDING', { exact: true }).first().waitFor()
    await card.getByText('until EXPIRED: time for the second factor is over').waitFor()
    const { x = 0, y = 0 } = (await card.getByRole('button', { name: 'Approve' }).boundingBox()) ?? {}
    await page.mouse.click(x + 9, y + 9)
    await card.getByRole('img', { name: 'State NORMAL' }).waitFor()
    // A second click must hit no other button: in an earlier version, Expire moved to the position of
    // Approve.
    await page.mouse.click(x + 9, y + 9)
    await card.getByRole('button', { name: 'Approved' }).waitFor()
    expect(simulator.state()).toMatchObject({ accessTokens: { NORMAL: 1 } })
    await view(page, 'Streams')
    await page.getByRole('article', { name: 'trade stream of app-1' }).waitFor()
    await view(page, 'Events')
    await page.getByRole('button', { name: 'Send an event' }).click()
    await page.getByLabel('Scene').selectOption('FINAL_FILLED')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .locator('.row', { hasText: /filled (BUY|SELL)/ })
      .first()
      .click()
    await page.getByText('"scene_type": "FINAL_FILLED"').waitFor()
    await page.getByText('"sceneType": "FINAL_FILLED"').waitFor()
    await client.prints('FINAL_FILLED')
  })

  test('ends one session of market data, and leaves the other', async () => {
    const simulator = await startWithConsole({ quotes: {} })
    const { appKey } = simulator.credentials
    const url = simulator.quotes?.mqttUrl ?? ''
    const [one, other] = await Promise.all(
      ['one', 'other'].map((session) => connectMqttPeer(url, { appKey, session })),
    )
    const page = await openConsole(browser, simulator)
    await view(page, 'Market data')
    await page.getByRole('button', { name: 'End session one', exact: true }).click()
    await page.getByText('Ended: 1 session.', { exact: true }).waitFor()
    await expect.poll(() => one?.end()).toBeDefined()
    await other?.ping()
  })

  test('places an order, shows its fills as time moves, and replaces and cancels another one', async () => {
    const simulator = await startWithConsole()
    const { trading } = simulator
    if (trading === undefined) throw new Error('trading is on by default')
    trading.setPrice('AAPL', '200.00')
    const page = await openConsole(browser, simulator)
    await view(page, 'Orders')
    const id = await placeOrder(page, 'LIMIT', { Quantity: '40', 'Limit price': '150.00' })
    const row = page.getByRole('row', { name: id })
    await row.getByText('SUBMITTED', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Orders 1 open' }).waitFor()
    trading.setPrice('AAPL', '140.00')
    await simulator.advance(60_000)
    await row.getByText('FILLED', { exact: true }).waitFor()
    await row.getByRole('cell', { name: '140.01', exact: true }).waitFor()
    expect(await row.getByRole('button').count()).toBe(0)

    const other = await placeOrder(page, 'LIMIT', { 'Limit price': '100.00' })
    await page.getByRole('button', { name: `Replace order ${other}` }).click()
    const form = page.getByRole('form', { name: 'Replace an order' })
    await form.getByLabel('Quantity').fill('70')
    await form.getByRole('button', { name: 'Replace' }).click()
    await page.getByText(`Order ${other} is replaced.`).waitFor()
    await page.getByRole('row', { name: other }).getByRole('cell', { name: '70', exact: true }).waitFor()
    await page.getByRole('button', { name: `Cancel order ${other}` }).click()
    await page.getByRole('row', { name: other }).getByText('CANCELLED').waitFor()
    expect(trading.orders()).toMatchObject([
      { clientOrderId: id, status: 'FILLED' },
      { clientOrderId: other, quantity: '70', status: 'CANCELLED' },
    ])
  })
})
