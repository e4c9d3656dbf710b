/**
 * One promise for two, without their values: in a chain without end, the array of `Promise.all` would hold that of the one
 * before, and so on for ever.
 */
export async function waitForBoth(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.all([one, other])
}
