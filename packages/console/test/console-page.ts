/** A browser window with a console, for the tests in Chromium. An error in the page fails the test. */
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { addressOf } from './scene.ts'

/** Time limit for a browser, and in some tests a client in another process, on a busy machine. */
export const PATIENCE_MS = 180_000

/** Options of a window. */
export interface Opening {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** Opens a window with a console. It is closed at the end of the test. */
export async function openConsole(
  browser: Browser,
  simulator: Simulator,
  { colorScheme = 'light', width = 1200 }: Opening = {},
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const problems: string[] = []
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('console', (message) => {
    // The browser reports failed connections as errors too.
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

/** Starts a service with a console. It is closed at the end of the test. */
export async function startWithConsole(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ console: true, secondFactor: 'manual', ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** Opens a view with its link. */
export const view = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).click()
