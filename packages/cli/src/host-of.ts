/** The host of an address that was read already, to be shown. */
export const hostOf = (url: string | undefined): string =>
  url === undefined ? 'no address' : new URL(url).host
