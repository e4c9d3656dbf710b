/**
 * `pnpm console:screenshots [FOLDER]`: every view of the console in both themes, wide and narrow; with `--picture`, that of
 * the README alone. What is shown is a service at work: a token that waits, streams, events, a request that was refused.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../lib/workspace.ts'
import { openBrowser } from './browser.ts'
import { startClient } from './client-process.ts'
import { send, startScene, VIEWS } from './scene.ts'

const { values, positionals } = parseArgs({
  options: { picture: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [folder = 'console-screenshots'] = positionals
/** Of the README. */
const PICTURE = join(ROOT, 'docs/console.png')
/** So that the chart has something to show. */
const PICTURE_AFTER_MS = 45_000

await using scene = await startScene()
const { simulator } = scene
const clients = [
  startClient(simulator, 'listen', 'trade'),
  startClient(simulator, 'listen', 'module', '--modules', 'journal,funding,trade'),
]
const browser = await openBrowser()
try {
  await simulator.subscribed({ service: 'trade', timeoutMs: 60_000 })
  await simulator.subscribed({ service: 'module', timeoutMs: 60_000 })
  if (values.picture) await takePicture()
  else await takeAll()
} finally {
  for (const client of clients) client.stop()
  await browser.close()
}
console.log(`screenshots: ${values.picture ? PICTURE : folder}`)

async function takeAll(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, width] of [
      ['wide', 1280],
      ['narrow', 360],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      await page.goto(scene.address)
      await page.getByText('Connected').waitFor()
      for (const view of VIEWS) {
        await page.goto(`${scene.origin}/#/${view}`)
        await scene.prepare(page, view)
        const path = join(folder, `${view}-${colorScheme}-${size}.png`)
        await page.screenshot({ path, fullPage: size === 'narrow' })
      }
      await context.close()
    }
  }
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
