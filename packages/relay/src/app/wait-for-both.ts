/**
 * Waits for two promises and discards their values. In an endless chain, the array that `Promise.all` returns
 * would keep the arrays of all earlier promises.
 */
export async function waitForBoth(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.all([one, other])
}
