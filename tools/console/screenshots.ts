/**
 * `pnpm console:screenshots [FOLDER]`: every view of the console in both themes, wide and narrow, and the picture of the
 * README. What is shown is a service at work: a token that waits, streams, events, a request that was refused.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from './browser.ts'
import { startScene, VIEWS } from './scene.ts'

const folder = process.argv[2] ?? 'console-screenshots'
mkdirSync(folder, { recursive: true })

await using scene = await startScene()
const browser = await openBrowser()
try {
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
        await page.screenshot({
          path: join(folder, `${view}-${colorScheme}-${size}.png`),
          fullPage: size === 'narrow',
        })
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
}
console.log(`screenshots: ${folder}`)
