/** Returns the host of a valid URL, for messages. */
export const getHost = (url: string | undefined): string =>
  url === undefined ? 'no address' : new URL(url).host
