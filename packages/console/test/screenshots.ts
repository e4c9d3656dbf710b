/**
 * `pnpm screenshots [FOLDER]`: takes pictures of every view of the console in both themes, wide and narrow.
 * With `--picture` it takes only that of the README. The pictures show a service with a pending token,
 * streams, events and a rejected request; a service without events; the longest names; open forms; and the
 * page without access or without a simulator.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { ROOT } from '@brokerwire/testing/root'
import { openTradeStream, take } from '@brokerwire/testing/signed-client'
import type { Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { startClient } from './client-process.ts'
import { addressOf, send, startScene, VIEWS } from './scene.ts'

const { values, positionals } = parseArgs({
  options: { picture: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [folder = 'console-screenshots'] = positionals
/** The picture in the README. */
const PICTURE = join(ROOT, 'docs/console.png')
/** Time until the chart has enough data. */
const PICTURE_AFTER_MS = 45_000
const LONG = 'a-name-as-long-as-it-may-be-'.repeat(2)

await using scene = await startScene()
const { simulator } = scene
const clients = [
  startClient(simulator, 'listen', 'trade'),
  startClient(simulator, 'listen', 'module', '--modules', 'journal,funding,trade'),
]
const browser = await openBrowser()
try {
  await simulator.waitForSubscriptions({ service: 'trade', timeoutMs: 60_000 })
  await simulator.waitForSubscriptions({ service: 'module', timeoutMs: 60_000 })
  if (values.picture) await takePicture()
  else await takeAll()
} finally {
  for (const client of clients) client.stop()
  await browser.close()
}
console.log(`screenshots: ${values.picture ? PICTURE : folder}`)

async function takeAll(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await takeViews()
  await takeEmpty()
  await takeLong()
}

/** Opens a window for each theme and size, and calls `take`. */
async function inEachWindow(
  take: (page: Page, save: (name: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, width] of [
      ['wide', 1280],
      ['narrow', 360],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      await take(page, async (name) => {
        const path = join(folder, `${name}-${colorScheme}-${size}.png`)
        await page.screenshot({ path, fullPage: size === 'narrow' })
      })
      await context.close()
    }
  }
}

async function enter(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByText('Connected').waitFor()
}

function takeViews(): Promise<void> {
  return inEachWindow(async (page, save) => {
    await enter(page, scene.address)
    for (const view of VIEWS) {
      await page.goto(`${scene.origin}/#/${view}`)
      await scene.prepare(page, view)
      await save(view)
    }
    await page.goto(`${scene.origin}/#/events`)
    for (const form of ['Send an event', 'Replay']) {
      await page.getByRole('button', { name: form }).click()
      await save(form === 'Replay' ? 'form-replay' : 'form-send')
    }
    await page.goto(`${scene.origin}/#/workbench`)
    await page.getByLabel('URL').fill('no address')
    await page.getByRole('alert').waitFor()
    await save('error-workbench')
    await page.goto(`${scene.origin}/#/time`)
    await page.getByLabel('Milliseconds between steps').fill('-1')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('.status-message.error').waitFor()
    await save('error-message')
  })
}

/** Takes pictures of the page without events, without a simulator, and in a browser without access. */
function takeEmpty(): Promise<void> {
  return inEachWindow(async (page, save) => {
    const fresh = await startSimulator({ console: true })
    await page.goto(fresh.consoleUrl ?? '')
    await page.getByText('This browser has no access').waitFor()
    await save('locked')
    await page.goto('about:blank')
    await enter(page, addressOf(fresh))
    for (const view of ['overview', 'tokens', 'streams', 'events', 'requests', 'faults']) {
      await page.goto(`${fresh.consoleUrl}/#/${view}`)
      await page.locator('h1').waitFor()
      await save(`empty-${view}`)
    }
    await fresh.close()
    await page.getByText('The simulator is not reachable.').waitFor()
    await save('away')
  })
}

async function takeLong(): Promise<void> {
  await using long = await startScene({
    appKey: 'k'.repeat(64),
    accounts: [`${LONG}1`, `${LONG}2`, `${LONG}3`],
  })
  await take(await openTradeStream(long.simulator), 1)
  await long.simulator.waitForSubscriptions()
  await inEachWindow(async (page, save) => {
    await enter(page, long.address)
    for (const view of ['overview', 'streams', 'events', 'requests']) {
      await page.goto(`${long.origin}/#/${view}`)
      await long.prepare(page, view)
      await save(`long-${view}`)
    }
  })
}

async function takePicture(): Promise<void> {
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 640 } })).newPage()
  await page.goto(scene.address)
  const untilMs = performance.now() + PICTURE_AFTER_MS
  for (let burst = 0; performance.now() < untilMs; burst = (burst + 1) % 9) {
    for (let sent = 0; sent < burst; sent += 1) simulator.emitModule({ module: 'journal' })
    if (burst % 3 === 0) await send(simulator, '/openapi/config', undefined)
    await page.waitForTimeout(700)
  }
  await page.screenshot({ path: PICTURE })
}
