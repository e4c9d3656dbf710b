/** The console in Firefox and in Safari's engine: it opens, shows new events, and a button has its effect. */
import { existsSync } from 'node:fs'
import { startSimulator } from '@brokerwire/simulator'
import { type Browser, FIREFOX, installCommand, WEBKIT } from '@brokerwire/testing/browsers'
import { type DrivenBrowser, driveFirefox, driveWebKit } from '@brokerwire/testing/web-driver'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addressOf, send } from './scene.ts'

const BROWSERS: readonly (readonly [browser: Browser, drive: (url: string) => Promise<DrivenBrowser>])[] = [
  [FIREFOX, driveFirefox],
  [WEBKIT, driveWebKit],
]
/** Time limit for the first start of a browser on a busy machine. */
const PATIENCE_MS = 180_000
const SOON = { timeout: 45_000, interval: 100 }

const find = (selector: string, text: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((e) => e.textContent.includes(${JSON.stringify(text)}))`

describe.each(BROWSERS)('the console elsewhere', (browser, drive) => {
  const { name, binary, packages } = browser
  // In CI a missing browser fails its test.
  const isSkipped = !existsSync(binary) && process.env.CI === undefined
  const note = isSkipped ? ` (skipped: ${installCommand(packages)})` : ''
  test.skipIf(isSkipped)(
    `${name}: the key becomes a session, a token is approved, an event arrives, a request is signed${note}`,
    { timeout: PATIENCE_MS },
    async () => {
      const simulator = await startSimulator({ console: true, secondFactor: 'manual' })
      onTestFinished(() => simulator.close())
      await send(simulator, '/openapi/auth/token/create', '{}')
      const page = await drive(addressOf(simulator))
      onTestFinished(() => page.close())
      const shows = (selector: string, text: string) =>
        expect.poll(() => page.run(`return ${find(selector, text)} !== undefined`), SOON).toBe(true)
      const click = async (selector: string, text: string): Promise<void> => {
        await shows(selector, text)
        await page.run(`${find(selector, text)}.click()`)
      }

      await shows('.link', 'Connected')
      expect(await page.run('return [location.hash, document.cookie]')).toEqual(['#/overview', ''])
      await click('nav a', 'Tokens')
      await click('.card button', 'Approve')
      await expect.poll(() => simulator.state(), SOON).toMatchObject({ accessTokens: { NORMAL: 1 } })
      await click('nav a', 'Events')
      simulator.emitOrder({ scene: 'FINAL_FILLED' })
      await click('.row .ellipsis', 'filled ')
      await shows('.details pre', '"sceneType": "FINAL_FILLED"')
      await click('nav a', 'Workbench')
      await page.run(`
        const secret = document.querySelector('input[type=password]')
        secret.value = 'example-secret'
        secret.dispatchEvent(new Event('input', { bubbles: true }))`)
      await expect
        .poll(
          () => page.run('return document.querySelector("[aria-label=Signature] pre")?.textContent'),
          SOON,
        )
        .toMatch(/^[\w+/]{27}=$/)
      await page.run('location.reload()')
      await shows('.link', 'Connected')
    },
  )
})
