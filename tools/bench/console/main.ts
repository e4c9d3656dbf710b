/**
 * `pnpm bench:console [--seconds N] [--rate N]`: the longest task of the console's page while events arrive, as the
 * browser's own observer of long tasks sees it, on the view that shows them. Its goal is 100 ms at 1,000 events a second.
 */
import { parseArgs } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { openBrowser } from '../../console/browser.ts'
import { addressOf } from '../../console/scene.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, rate: { type: 'string', default: '1000' } },
})
const SECONDS = Number(values.seconds)
const RATE = Number(values.rate)
const PORTION_MS = 10

await using simulator = await startSimulator({ console: true })
const browser = await openBrowser()
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await page.goto(addressOf(simulator))
  await page.getByRole('link', { name: 'Events' }).click()
  simulator.emitOrder()
  await page.locator('.row').first().waitFor()
  await page.evaluate(`
    window.tasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.tasks.push(duration)
    }).observe({ type: 'longtask' })
  `)
  const startedAt = performance.now()
  let sent = 0
  while (sent < RATE * SECONDS) {
    const due = Math.min(RATE * SECONDS, Math.floor(((performance.now() - startedAt) / 1000) * RATE))
    for (; sent < due; sent += 1) simulator.emitOrder()
    await new Promise((resolve) => setTimeout(resolve, PORTION_MS))
  }
  const took = (performance.now() - startedAt) / 1000
  await page.waitForTimeout(1000)
  const tasks = (await page.evaluate('window.tasks')) as readonly number[]
  const heap = (await page.evaluate('performance.memory.usedJSHeapSize')) as number
  console.log(`events: ${sent} in ${took.toFixed(1)} s, ${Math.round(sent / took)} a second`)
  console.log(`rows in the page: ${await page.locator('.row').count()}`)
  console.log(`heap of the page: ${(heap / 1_048_576).toFixed(1)} MiB`)
  console.log(`tasks of 50 ms and more: ${tasks.length}`)
  console.log(
    `longest task: ${tasks.length === 0 ? 'below 50' : Math.max(...tasks).toFixed(0)} ms (goal: at most 100)`,
  )
} finally {
  await browser.close()
}
