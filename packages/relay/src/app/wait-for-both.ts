/**
 * Waits for two promises and drops their values. In an endless chain, the array of `Promise.all` would keep the arrays of all
 * promises before.
 */
export async function waitForBoth(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.all([one, other])
}
