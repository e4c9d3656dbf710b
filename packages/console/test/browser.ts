/** Debian's Chromium, by playwright-core: how the console is tested, measured and photographed. */
import { existsSync } from 'node:fs'
import { CHROMIUM, installCommand } from '@brokerwire/testing/browsers'
import { type Browser, chromium } from 'playwright-core'

/** Whether it is there; where `CI` is set it has to be. */
export const HAS_CHROMIUM: boolean = existsSync(CHROMIUM.binary)

/** How a person gets it. */
export const HOW_TO_GET_IT: string = installCommand(CHROMIUM.packages)

/** Starts it without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM.binary, args: ['--disable-dev-shm-usage'] })
}
