/** A window on a console, for the tests in Chromium: what goes wrong in its page fails the test. */
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { addressOf } from './scene.ts'

/** On a busy machine: a browser, and at times a client in another process. */
export const PATIENCE_MS = 180_000

/** How a window is opened. */
export interface Opening {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** A window on a console, which ends with the test. */
export async function openConsole(
  browser: Browser,
  simulator: Simulator,
  { colorScheme = 'light', width = 1200 }: Opening = {},
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const problems: string[] = []
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('console', (message) => {
    // The browser also reports a failed connection.
    if (message.type() === 'error' && !/ERR_|401|503/.test(message.text())) problems.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  await page.goto(addressOf(simulator))
  await page.getByText('Connected').waitFor()
  return page
}

/** A service with a console, which ends with the test. */
export async function startWithConsole(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ console: true, secondFactor: 'manual', ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** Goes to a view by its link. */
export const view = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).click()
