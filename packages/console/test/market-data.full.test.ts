/**
 * The console's page of market data in Chromium, with live sessions: it shows the sessions and their
 * subscriptions, and each button and the form have their effect. The other side is a client that receives
 * each packet, over TCP and over WebSocket.
 */
import type { QuotesControls, Simulator, SimulatorOptions } from '@brokerwire/simulator'
import { connectMqttPeer, type MqttPeer, speakMqtt } from '@brokerwire/testing/mqtt-peer'
import { sendSigned } from '@brokerwire/testing/signed-client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IN_CHROMIUM, openBrowser } from './browser.ts'
import { openConsole, PATIENCE_MS, startWithConsole, view } from './console-page.ts'

const { skip, note } = IN_CHROMIUM
const SOON = { timeout: 45_000 }

let browser: Browser
beforeAll(async () => {
  if (!skip) browser = await openBrowser()
})
afterAll(() => browser?.close())

interface Market {
  readonly simulator: Simulator
  readonly quotes: QuotesControls
  readonly page: Page
  /** Connects a session over TCP or WebSocket. */
  join(session: string, transport?: 'tcp' | 'websocket'): Promise<MqttPeer>
  /**
   * Subscribes to symbols with a signed call.
   *
   * @param rejection - The expected error code.
   */
  subscribe(
    session: string,
    symbols: readonly string[],
    subTypes: readonly string[],
    rejection?: string,
  ): Promise<void>
  card(session: string): ReturnType<Page['getByRole']>
  /** Clicks a button above the sessions, and waits for the status message. */
  all(button: string, message: string): Promise<void>
  /** Clicks a button of a session, and waits for the status message. */
  one(session: string, button: string, message: string): Promise<void>
}

/** Opens the page of market data for a service whose subscribe calls need no token. */
async function market(quotes: SimulatorOptions['quotes'] = {}): Promise<Market> {
  const simulator = await startWithConsole({ tokenCheckEnabled: false, quotes })
  const controls = simulator.quotes
  if (controls === undefined) throw new Error('no market data')
  const page = await openConsole(browser, simulator)
  await view(page, 'Market data')
  const { appKey } = simulator.credentials
  const card = (session: string) => page.getByRole('article', { name: `session ${session}` })
  const buttons = page.getByRole('group', { name: 'All sessions' })
  const click = async (button: ReturnType<Page['getByRole']>, message: string): Promise<void> => {
    await button.click()
    await page.getByText(message, { exact: true }).waitFor()
  }
  return {
    simulator,
    quotes: controls,
    page,
    card,
    join: (session, transport = 'tcp') =>
      connectMqttPeer(transport === 'tcp' ? controls.mqttUrl : controls.mqttWebSocketUrl, {
        appKey,
        session,
      }),
    async subscribe(session, symbols, subTypes, rejection) {
      const body = { session_id: session, symbols, category: 'US_STOCK', sub_types: subTypes }
      const path = '/market-data/streaming/subscribe'
      const { status, json } = await sendSigned(simulator, { path, json: body })
      expect([status, json.error_code]).toEqual([rejection === undefined ? 200 : 417, rejection])
    },
    all: (button, message) => click(buttons.getByRole('button', { name: button, exact: true }), message),
    one: (session, button, message) =>
      click(
        card(session).getByRole('button', { name: `${button} session ${session}`, exact: true }),
        message,
      ),
  }
}

describe.skipIf(skip)(`the console's market data${note}`, { timeout: PATIENCE_MS }, () => {
  test('sessions appear with what they asked for, prices move by a button, and who leaves is gone', async () => {
    const { quotes, page, join, subscribe, card, all } = await market({ maxConnections: 3 })
    await page.getByText('No sessions').waitFor()
    await page.getByText('0 slots of 3 taken').waitFor()
    await page.getByText(quotes.mqttUrl, { exact: true }).waitFor()
    await page.getByText(quotes.mqttWebSocketUrl, { exact: true }).waitFor()
    const tcp = await join('first')
    const socket = await join('second', 'websocket')
    await card('first').getByRole('heading', { name: 'MQTT app-1', exact: true }).waitFor()
    await card('second').getByRole('heading', { name: 'MQTT over WebSocket app-1', exact: true }).waitFor()
    await card('first').getByText('No subscriptions.').waitFor()
    await page.getByText('2 slots of 3 taken').waitFor()
    await all('Move a price', 'Prices moved: 0 messages.')
    await subscribe('first', ['AAPL', 'TSLA'], ['SNAPSHOT', 'TICK'])
    await card('first')
      .getByText('AAPL (US_STOCK: SNAPSHOT, TICK) · TSLA (US_STOCK: SNAPSHOT, TICK)')
      .waitFor()
    await all('Move a price', 'Prices moved: 2 messages.')
    await expect.poll(tcp.topics, SOON).toEqual(['snapshot', 'tick'])
    const many = Array.from({ length: 25 }, (_, at) => `S${at}`)
    await subscribe('second', many, ['QUOTE'])
    await card('second').getByText('and 5 more').waitFor()
    expect(await socket.pingAndLeave()).toBe(true)
    await card('second').waitFor({ state: 'detached' })
    await page.getByText('1 slot of 3 taken').waitFor()
    expect(socket.topics()).toEqual([])
  })

  test('a button of a session acts on that session alone', async () => {
    const { quotes, page, join, subscribe, card, one } = await market({ slotLingerMs: 3_600_000 })
    const other = await join('other', 'websocket')
    const mine = await join('mine', 'websocket')
    await subscribe('mine', ['AAPL'], ['SNAPSHOT'])
    await one('mine', 'Echo', 'An echo was sent: 1 session.')
    await one('mine', 'Notice', 'A notice was sent: 1 session.')
    await expect.poll(mine.topics, SOON).toEqual(['echo', 'notice'])
    expect(JSON.parse(mine.textOf('notice') ?? '')).toMatchObject({ type: 'status', drop: 0 })

    const badge = card('mine').getByText('silent', { exact: true })
    await one('mine', 'Silence messages', 'No messages are sent, PINGs are answered: 1 session.')
    await badge.waitFor()
    expect(quotes.step()).toBe(0)
    await mine.ping()
    await one('mine', 'Resume', 'Messages are sent again: 1 session.')
    await badge.waitFor({ state: 'detached' })
    expect(quotes.step()).toBe(1)
    await expect.poll(mine.topics, SOON).toEqual(['echo', 'notice', 'snapshot'])

    await one('mine', 'Forget', 'The subscribe calls reject the session now: 1 session.')
    await subscribe('mine', ['TSLA'], ['TICK'], 'INVALID_SESSION')
    await subscribe('other', ['TSLA'], ['TICK'])
    await mine.ping()

    await one('mine', 'Silence', 'Nothing is sent: 1 session.')
    await badge.waitFor()
    expect(await mine.pingAndLeave()).toBe(false)
    await card('mine').waitFor({ state: 'detached' })

    // 1005: a close frame without a status. 1006: no close frame.
    for (const [button, message, end, slots] of [
      ['End', 'Ended: 1 session.', 'closed 1005', '1 slot'],
      [
        'Invalid close',
        'An invalid close frame was sent: 1 session.',
        /invalid status code 25209/,
        '2 slots',
      ],
      ['Drop', 'Closed without a message: 1 session.', 'closed 1006', '3 slots'],
    ] as const) {
      const peer = await join('next', 'websocket')
      await one('next', button, message)
      await expect.poll(peer.end, SOON).toEqual(typeof end === 'string' ? end : expect.stringMatching(end))
      // Without DISCONNECT the slot stays reserved for a while.
      await page.getByText(`${slots} of 5 taken`).waitFor()
    }
    expect([other.topics(), other.end()]).toEqual([[], undefined])
    await other.ping()
  })

  test('the buttons above act on all sessions', async () => {
    const { page, quotes, join, subscribe, all } = await market()
    const both = async (): Promise<readonly MqttPeer[]> => [
      await join('tcp'),
      await join('socket', 'websocket'),
    ]
    const ends = (peers: readonly MqttPeer[]) => peers.map((peer) => peer.end())
    const first = await both()
    await all('Echo all', 'An echo was sent: 2 sessions.')
    await all('Notice all', 'A notice was sent: 2 sessions.')
    for (const { topics } of first) await expect.poll(topics, SOON).toEqual(['echo', 'notice'])
    await all('Forget all', 'The subscribe calls reject the session now: 2 sessions.')
    for (const { session } of first) await subscribe(session, ['AAPL'], ['TICK'], 'INVALID_SESSION')
    await all('Drop all', 'Closed without a message: 2 sessions.')
    await expect.poll(() => ends(first), SOON).toEqual(['closed', 'closed 1006'])
    await page.getByText('No sessions').waitFor()
    const second = await both()
    await all('End all', 'Ended: 2 sessions.')
    await expect.poll(() => ends(second), SOON).toEqual(['closed', 'closed 1005'])
    const third = await both()
    await all('Invalid close all', 'An invalid close frame was sent: 2 sessions.')
    await expect
      .poll(() => ends(third), SOON)
      .toEqual(['closed', expect.stringMatching(/invalid status code 25209/)])
    await expect.poll(quotes.sessions, SOON).toEqual([])
  })

  test('the form adds faults for the next CONNECTs, as many times as given, until they are cleared', async () => {
    const { simulator, quotes, page, join } = await market()
    const form = page.getByRole('form', { name: 'The next CONNECT' })
    const add = async (action: string, fields: { readonly code?: string; readonly count?: string } = {}) => {
      await form.getByLabel('The next CONNECT').selectOption(action)
      if (fields.code !== undefined) await form.getByLabel('CONNACK').selectOption(fields.code)
      await form.getByLabel('Times').fill(fields.count ?? '1')
      // The text below may still be visible from the call before.
      const answered = page.waitForResponse(/\/api\/quotes$/)
      await form.getByRole('button', { name: 'Add' }).click()
      await answered
      await page.getByText('The fault applies to the next CONNECT.', { exact: true }).waitFor()
    }
    await add('reject-connect', { count: '2' })
    const codes = async () => (await join('one')).code()
    expect([await codes(), await codes(), await codes()]).toEqual([105, 105, 0])
    await add('reject-connect', { code: '104' })
    expect(await codes()).toBe(104)
    await add('drop-connect')
    expect(await form.getByLabel('CONNACK').count()).toBe(0)
    const dropped = await join('two')
    expect([dropped.code(), dropped.end()]).toEqual([undefined, 'closed'])
    await add('ignore-connect')
    const { appKey } = simulator.credentials
    const ignored = speakMqtt(quotes.mqttUrl, { appKey, session: 'three' })
    // The next CONNECT on the same connection is the first one that gets a response. Another one after that
    // closes the connection.
    ignored.connect()
    await ignored.ping()
    expect(ignored.code()).toBe(0)
    await add('reject-connect', { count: '9' })
    await form.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('All CONNECT faults are cleared.', { exact: true }).waitFor()
    expect(await codes()).toBe(0)
  })

  test('a service without market data shows how to start it', async () => {
    const page = await openConsole(browser, await startWithConsole())
    await view(page, 'Market data')
    await page.getByText('This simulator has no market data').waitFor()
    await page.getByText('brokerwire simulate --console --quotes', { exact: true }).waitFor()
  })
})
