/** The console's view of orders in Chromium: errors of the service, the keyboard alone, several apps, and a service without orders. */
import type { Simulator } from '@brokerwire/simulator'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IN_CHROMIUM, openBrowser } from './browser.ts'
import { openConsole, PATIENCE_MS, startWithConsole, view } from './console-page.ts'
import { placeOrder } from './scene.ts'

const { skip, note } = IN_CHROMIUM

let browser: Browser
beforeAll(async () => {
  if (!skip) browser = await openBrowser()
})
afterAll(() => browser?.close())

async function openOrders(simulator: Simulator): Promise<Page> {
  const page = await openConsole(browser, simulator)
  await view(page, 'Orders')
  return page
}

const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent')

describe.skipIf(skip)(`the console's orders${note}`, { timeout: PATIENCE_MS }, () => {
  test('a preview shows the costs and places nothing, and errors show status, code and message', async () => {
    const simulator = await startWithConsole()
    simulator.trading?.setPrice('AAPL', '200.00')
    const page = await openOrders(simulator)
    const ticket = page.getByRole('form', { name: 'Order ticket' })
    const status = ticket.getByRole('status')
    await ticket.getByLabel('Type').selectOption('LIMIT')
    await ticket.getByLabel('Quantity').fill('10')
    await ticket.getByText('AAPL is at 200.00.').waitFor()
    await ticket.getByRole('button', { name: 'Preview' }).click()
    await status.getByText('Estimated cost 2000.00 USD, and fees of 0.66.').waitFor()
    await page.getByText('No orders yet').waitFor()
    await placeOrder(page, 'LIMIT', { Quantity: 'ten' })
    await status.getByText('417 INVALID_PARAMETER').waitFor()
    await status.getByText('new_orders[0].quantity must be a decimal above 0 with at most 8 places').waitFor()
    await placeOrder(page, 'MARKET', { Quantity: '100000' })
    await status.getByText('417 OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH').waitFor()
    expect(simulator.trading?.orders()).toEqual([])
  })

  test('with the keyboard alone: an order is placed, replaced and cancelled, and the focus is never lost', async () => {
    const simulator = await startWithConsole()
    const page = await openOrders(simulator)
    const ticket = page.getByRole('form', { name: 'Order ticket' })
    await ticket.getByLabel('Type').focus()
    await page.keyboard.type('LIMIT')
    await ticket.getByLabel('Limit price').focus()
    await page.keyboard.type('1.00')
    await page.keyboard.press('Enter')
    const replace = page.getByRole('button', { name: /^Replace order/ })
    await replace.focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: 'Replace an order' })
    await form.getByLabel('Quantity').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('0')
    await page.keyboard.press('Enter')
    await form.waitFor({ state: 'detached' })
    expect(await focused(page)).toMatch(/^Replace order console-/)
    expect(simulator.trading?.orders()).toMatchObject([{ quantity: '1000', limitPrice: '1.00' }])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('CANCELLED', { exact: true }).waitFor()
    expect(await focused(page)).toBe('Orders, newest first')
  })

  test('several apps: the ticket has the accounts and instruments of the selected app', async () => {
    const simulator = await startWithConsole({
      apps: [{ name: 'first' }, { name: 'second', region: 'hk', symbols: ['9988'] }],
    })
    const page = await openOrders(simulator)
    const ticket = page.getByRole('form', { name: 'Order ticket' })
    await ticket.getByLabel('App').selectOption('second')
    expect(await ticket.getByLabel('Symbol').locator('option').allTextContents()).toEqual(['9988'])
    expect(await ticket.getByLabel('Type').locator('option').allTextContents()).toEqual(['ENHANCED_LIMIT'])
    const [, account = ''] = simulator.app('second').accounts
    await ticket.getByLabel('Account').selectOption(account)
    const id = await placeOrder(page, 'ENHANCED_LIMIT', { Quantity: '100', 'Limit price': '1.00' })
    await page.getByRole('row', { name: id }).waitFor()
    expect(simulator.app('second').trading?.orders({ accountId: account })).toMatchObject([
      { clientOrderId: id, symbol: '9988' },
    ])
  })

  test('a service without orders shows that the option is off', async () => {
    const page = await openOrders(await startWithConsole({ trading: false }))
    await page.getByText('This simulator has no orders').waitFor()
  })
})
