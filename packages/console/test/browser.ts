/** Debian's Chromium with playwright-core, for tests, measurements and screenshots of the console. */
import { existsSync } from 'node:fs'
import { CHROMIUM, installCommand } from '@brokerwire/testing/browsers'
import { type Browser, chromium } from 'playwright-core'

/**
 * Whether tests in Chromium are skipped, and a note for their titles. In CI a missing browser fails its
 * tests.
 */
const isSkipped = !existsSync(CHROMIUM.binary) && process.env.CI === undefined
export const IN_CHROMIUM = {
  skip: isSkipped,
  note: isSkipped ? ` (skipped: ${installCommand(CHROMIUM.packages)})` : '',
} as const

/** Starts a browser without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM.binary, args: ['--disable-dev-shm-usage'] })
}
