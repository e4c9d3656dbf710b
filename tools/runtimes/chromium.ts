/** Starts Debian's Chromium with playwright-core. */
import { CHROMIUM } from '@brokerwire/testing/browsers'
import { type Browser, chromium } from 'playwright-core'

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM.binary, args: ['--disable-dev-shm-usage'] })

/**
 * Opens a page.
 *
 * @returns A function that ends the browser.
 */
export async function openChromium(url: string): Promise<() => Promise<void>> {
  const browser = await launchChromium()
  await (await browser.newPage()).goto(url)
  return () => browser.close()
}
