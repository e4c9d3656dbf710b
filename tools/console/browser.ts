/** Debian's Chromium, by playwright-core: how the console is tested, measured and photographed. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM, INSTALL_CHROMIUM } from '../runtimes/runtimes.ts'

/** Whether it is there; where `CI` is set it has to be. */
export const HAS_CHROMIUM: boolean = existsSync(CHROMIUM)

/** How a person gets it. */
export const HOW_TO_GET_IT: string = INSTALL_CHROMIUM

/** Starts it without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--disable-dev-shm-usage'] })
}
